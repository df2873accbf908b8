#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/result.h"

/// Which API server, and as whom: from kubeconfig files, or from the pod that this runs in.
namespace twofold::kube {

/// Where the API server is, and how to know that it is the one.
struct Cluster {
  std::string server;     ///< https://host:port, perhaps with a path; http without credentials
  std::string ca;         ///< PEM; empty: what the system trusts
  bool insecure = false;  ///< anybody may be the server
  std::string tls_server_name;  ///< in its certificate; empty: the host of `server`
  std::string proxy;            ///< http://[user:password@]host:port; empty: none
  bool disable_compression = false;
  std::string exec_config = {};  ///< JSON for exec plugins that ask for the cluster; empty: none
};

/// A program that prints credentials.
struct ExecPlugin {
  std::string command;  ///< absolute, or a name to look for in PATH
  std::vector<std::string> args;
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string api_version;               ///< client.authentication.k8s.io/v1 or v1beta1
  std::string install_hint;
  bool wants_cluster = false;
};

/// Whom we are. Several may be given; a token counts before a password.
struct Identity {
  std::string cert;  ///< PEM
  std::string key;   ///< PEM
  std::string token;
  std::string token_file;  ///< counts before `token`
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;

  std::string as;  ///< whom to act for; empty: nobody
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_extra;
};

struct Config {
  Cluster cluster;
  Identity identity;
  std::string space = "default";  ///< the namespace of what is given without one
  std::string source;             ///< for messages: "context x of /home/u/.kube/config"
};

/// What decides which configuration counts; files are read with `read`.
struct ConfigSources {
  std::string kubeconfig;  ///< --kubeconfig: this file alone; empty: by the environment
  std::string context;     ///< --context; empty: current-context

  /// A variable of the environment; empty: not set. KUBECONFIG, HOME, KUBERNETES_SERVICE_*.
  std::function<std::string(const std::string& name)> variable;

  /// A whole file. kNotFound: there is none.
  std::function<Result<std::string>(const std::string& path)> read;
};

/// Those of this process.
ConfigSources OwnSources();

/// The configuration as kubectl finds it: --kubeconfig; else the files of KUBECONFIG, of which the
/// first that has an entry counts; else ~/.kube/config; else, in a pod, its service account.
///
/// Errors   kInvalidArgument, kNotFound: FILE:LINE:COLUMN, the field, and the remedy. auth-provider
///          is refused by name, and so are a token, a password or an exec plugin for a server by
///          http, unless it is this machine. Says nothing of `insecure`: what connects does.
Result<Config> FindConfig(const ConfigSources& sources);

/// One kubeconfig file is `text` (YAML or JSON, 1 MiB); `path` is for messages and for what is
/// named relative to it. Reads the files that it names. For tests, and for FindConfig.
Result<Config> ParseConfig(const std::string& text, const std::string& path,
                           const ConfigSources& sources);

}  // namespace twofold::kube
