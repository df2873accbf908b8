#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/agent/agent.h"
#include "backend/agent/make_workload.h"
#include "lib/common/result.h"
#include "lib/security/options.h"
#include "lib/security/server.h"

namespace twofold::backend {

/// The command line, as given. Times are in seconds.
struct Options {
  AgentOptions agent;        ///< what needs no looking up
  WorkloadOptions workload;  ///< likewise
  double backoff = 0;  ///< 0 = leave when the queue is empty; else the first pause of reconnects
  double backoff_max = 0;   ///< longest pause of reconnects; 0 = as `backoff`
  double limit = 0;         ///< longest run time; 0 = none
  double ready_limit = 60;  ///< longest time of a gang's member to get ready; 0 = none
  double drain_limit = 30;
  std::string dir;           ///< working directory; empty: as it is
  std::string glob;          ///< first match replaces FILENAME; empty: nothing is replaced
  std::string http_address;  ///< of /healthz and /readyz; empty: they are not served
  std::string node_env;      ///< variable with the name of the node; empty or not set: host name
  std::string pod_env;
  std::string image_env;                 ///< variable with the name of the image; empty: not known
  std::string suite_path;                ///< folders with programs of suites, as PATH has them
  std::string work_dir;                  ///< of suites; empty: $TMPDIR, or /tmp
  std::vector<std::string> allow_env;    ///< names of variables that programs get as well
  std::vector<std::string> allow_paths;  ///< folders and files that specs may name
  std::string peers_address;  ///< where to serve them, "off": nowhere; empty: see PeersAddress
  std::vector<std::string> labels;  ///< KEY=VALUE
  security::ClientOptions security;
  security::ServerOptions http_security;
  bool once = false;
  bool dry_run = false;  ///< of `once`
  std::string shell;     ///< a line for a shell, which is the workload then
  bool check_config = false;
  bool verbose = false;
};

/// Adds the options to the program; the workload is none of them.
void Declare(CLI::App& app, Options& options);

/// Parses and checks what can be checked without looking at the machine. Returns the exit code if
/// the program has to end now.
std::optional<int> ParseOptions(int argc, const char* const* argv, Options& options);

/// What the options mean on this machine.
struct Configuration {
  AgentOptions agent;
  WorkloadOptions workload;
  security::Server http_security;
  std::string peers_address;  ///< host:port; empty: nothing is served
};

/// Goes to `dir`, finds `glob`, reads names from the environment, certificates and tokens.
/// Errors   Any: one line for the person who started the program.
Result<Configuration> Prepare(const Options& options);

/// What is wrong with `label` as KEY=VALUE; empty if nothing is. A key is 1 to 253 letters, digits,
/// '-', '_', '.' and '/', beginning and ending with a letter or digit; a value up to 253 printable
/// ASCII characters.
std::string CheckLabel(const std::string& label);

/// The labels `KEY=VALUE,KEY=VALUE` in `list` (empty: none), then those of `labels`: the last one
/// of a key counts.
/// Errors   kInvalidArgument: the label that is none, or that there are too many.
Result<Labels> MakeLabels(std::string_view list, const std::vector<std::string>& labels);

/// Prints the one line that says what is wrong; returns kExitUsage.
int Complain(const Status& status);

/// Where to serve other members of gangs: as `options` say, else at any port for benchmark suites,
/// whose rank 0 drives the others, and nowhere for what needs no more than its own process.
std::string PeersAddress(const Options& options);

}  // namespace twofold::backend
