#include "kubernetes/api/config.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "lib/common/no_proxy.h"
#include "lib/http/proxy.h"
#include "lib/http/url.h"
#include "lib/security/reloaded.h"
#include "lib/yaml/node.h"

namespace twofold::kube {
namespace {

using yaml::NodeRef;

constexpr std::size_t kMaxFile = 1 << 20;
constexpr std::string_view kPodFolder = "/var/run/secrets/kubernetes.io/serviceaccount/";
constexpr std::string_view kExecGroup = "client.authentication.k8s.io/";

/// One kubeconfig file, parsed.
struct File {
  std::string path;
  NodeRef root;
};

/// A value of a file, for reading and for messages.
struct Value {
  const File* file = nullptr;
  const yaml::Node* node = nullptr;
};

Status Bad(const Value& value, std::string_view field, std::string_view what) {
  const Status fault = yaml::Fault(value.node->place, field, what);
  return absl::InvalidArgumentError(
      absl::StrCat(value.file->path, ":", std::string(fault.message())));
}

/// What is under `key`; null: nothing, or null.
const yaml::Node* Child(const Value& map, std::string_view key) {
  const yaml::Map* entries = yaml::AsMap(*map.node);
  const yaml::Entry* entry = entries == nullptr ? nullptr : yaml::Find(*entries, key);
  return entry == nullptr || yaml::IsNull(*entry->value) ? nullptr : entry->value.get();
}

/// Errors are kept in `status`, the first one counts, so that readers are plain lists of fields.
class Reader {
 public:
  Reader(Value map, const ConfigSources& sources, Status& status)
      : map_(map), sources_(sources), status_(status) {}

  std::string Text(std::string_view key) const {
    return Get<std::string>(key, "takes text; quote it").value_or("");
  }

  bool Flag(std::string_view key) const {
    return Get<bool>(key, "takes true or false").value_or(false);
  }

  std::vector<std::string> Texts(std::string_view key) const;

  [[nodiscard]] std::optional<Reader> Within(std::string_view key) const;

  /// The maps of a list.
  [[nodiscard]] std::vector<Reader> Each(std::string_view key) const;

  /// A file named relative to the kubeconfig.
  [[nodiscard]] std::string Path(std::string_view key) const {
    const std::string path = Text(key);
    return path.empty() ? "" : FromConfig(path);
  }

  [[nodiscard]] std::string FromConfig(const std::string& path) const {
    return (std::filesystem::path(map_.file->path).parent_path() / path).lexically_normal();
  }

  /// `key`-data in base64, else the contents of the file `key`.
  [[nodiscard]] std::string Contents(const std::string& key) const;

  void Fail(std::string_view field, std::string_view what) const {
    status_.Update(Bad(map_, field, what));
  }

  /// Of what stands in a variable of the environment.
  void FailVariable(std::string_view name, std::string_view what) const {
    status_.Update(
        absl::InvalidArgumentError(absl::StrCat(std::string(name), ": ", std::string(what))));
  }

  [[nodiscard]] bool Has(std::string_view key) const { return Child(map_, key) != nullptr; }
  [[nodiscard]] const yaml::Node* Find(std::string_view key) const { return Child(map_, key); }

 private:
  template <typename T>
  std::optional<T> Get(std::string_view key, std::string_view what) const {
    const yaml::Node* node = Child(map_, key);
    if (node == nullptr) return std::nullopt;
    if (const T* value = std::get_if<T>(&node->value)) return *value;
    status_.Update(Bad({map_.file, node}, key, what));
    return std::nullopt;
  }

  Value map_;
  const ConfigSources& sources_;
  Status& status_;
};

std::vector<std::string> Reader::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const NodeRef& item : Get<yaml::List>(key, "takes a list of texts").value_or(yaml::List{})) {
    if (const auto* text = std::get_if<std::string>(&item->value)) {
      texts.push_back(*text);
    } else {
      status_.Update(Bad({map_.file, item.get()}, key, "takes texts; quote them"));
    }
  }
  return texts;
}

std::optional<Reader> Reader::Within(std::string_view key) const {
  const yaml::Node* node = Child(map_, key);
  if (node == nullptr) return std::nullopt;
  const Value value{map_.file, node};
  if (yaml::AsMap(*node) == nullptr) status_.Update(Bad(value, key, "takes a map"));
  return Reader(value, sources_, status_);
}

std::vector<Reader> Reader::Each(std::string_view key) const {
  std::vector<Reader> readers;
  const yaml::Node* node = Child(map_, key);
  if (node == nullptr) return readers;
  const yaml::List* list = yaml::AsList(*node);
  if (list == nullptr) status_.Update(Bad({map_.file, node}, key, "takes a list"));
  for (const NodeRef& item : list == nullptr ? yaml::List{} : *list) {
    const Value value{map_.file, item.get()};
    if (yaml::AsMap(*item) == nullptr) status_.Update(Bad(value, key, "takes a list of maps"));
    readers.emplace_back(value, sources_, status_);
  }
  return readers;
}

std::string Reader::Contents(const std::string& key) const {
  const std::string data_key = key + "-data";
  if (const std::string data = Text(data_key); !data.empty()) {
    std::string text;
    if (!absl::Base64Unescape(data, &text)) Fail(data_key, "is not base64");
    return text;
  }
  const std::string path = Path(key);
  if (path.empty()) return {};
  Result<std::string> text = sources_.read(path);
  if (!text.ok()) Fail(key, std::string(text.status().message()));
  return text.ok() ? *std::move(text) : "";
}

/// The settings that an exec plugin may find in the cluster's extensions, as JSON.
std::string ExecConfig(const Reader& cluster) {
  for (const Reader& extension : cluster.Each("extensions")) {
    if (extension.Text("name") != "client.authentication.k8s.io/exec") continue;
    const yaml::Node* config = extension.Find("extension");
    return config == nullptr ? "" : yaml::ToJson(*config).dump();
  }
  return {};
}

/// That of the file, else that of the environment.
std::string ProxyOf(const Reader& reader, const http::Url& server, const ConfigSources& sources) {
  const std::string own = reader.Text("proxy-url");
  const std::string proxy = own.empty() ? http::ProxyOfEnvironment(server, sources.variable) : own;
  if (proxy.empty()) return {};
  const auto parsed = http::ParseProxy(proxy);
  if (parsed.ok()) return proxy;
  const std::string what(parsed.status().message());
  if (own.empty()) {
    reader.FailVariable(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY", what);
  } else {
    reader.Fail("proxy-url", what);
  }
  return {};
}

bool HasSecrets(const Identity& identity) {
  return identity.exec || !identity.token.empty() || !identity.token_file.empty() ||
         !identity.username.empty() || !identity.password.empty();
}

/// Whether others than this machine hear what is said to the server.
bool IsInClear(const Cluster& cluster) {
  const auto url = http::ParseUrl(cluster.server);
  return url.ok() && !url->tls && !(cluster.proxy.empty() && IsThisMachine(url->server.host));
}

Cluster ReadCluster(const Reader& reader, const ConfigSources& sources) {
  Cluster cluster;
  cluster.server = reader.Text("server");
  cluster.ca = reader.Contents("certificate-authority");
  cluster.insecure = reader.Flag("insecure-skip-tls-verify");
  cluster.tls_server_name = reader.Text("tls-server-name");
  cluster.disable_compression = reader.Flag("disable-compression");
  cluster.exec_config = ExecConfig(reader);
  const Result<http::Url> url = http::ParseUrl(cluster.server);
  if (!url.ok()) {
    reader.Fail("server",
                cluster.server.empty() ? "is missing" : std::string(url.status().message()));
    return cluster;
  }
  if (cluster.insecure && !cluster.ca.empty()) {
    reader.Fail("insecure-skip-tls-verify",
                "contradicts certificate-authority: remove one of the two");
  }
  cluster.proxy = ProxyOf(reader, *url, sources);
  return cluster;
}

ExecPlugin ReadExec(const Reader& reader) {
  ExecPlugin exec;
  exec.command = reader.Text("command");
  exec.args = reader.Texts("args");
  exec.api_version = reader.Text("apiVersion");
  exec.install_hint = reader.Text("installHint");
  exec.wants_cluster = reader.Flag("provideClusterInfo");
  for (const Reader& variable : reader.Each("env")) {
    exec.environment.push_back(absl::StrCat(variable.Text("name"), "=", variable.Text("value")));
  }
  if (exec.command.empty()) reader.Fail("command", "is missing");
  // As kubectl does: a path is relative to the file, a bare name is looked for in PATH.
  if (exec.command.find('/') != std::string::npos) exec.command = reader.FromConfig(exec.command);
  if (exec.api_version != absl::StrCat(std::string(kExecGroup), "v1") &&
      exec.api_version != absl::StrCat(std::string(kExecGroup), "v1beta1")) {
    reader.Fail("apiVersion", absl::StrCat("must be ", std::string(kExecGroup),
                                           "v1 or v1beta1: update the plugin and this file"));
  }
  if (reader.Text("interactiveMode") == "Always") {
    reader.Fail("interactiveMode",
                "is Always, but nobody is asked here: use a plugin that needs no terminal, or a "
                "token");
  }
  return exec;
}

void RefuseAuthProvider(const Reader& reader) {
  const auto provider = reader.Within("auth-provider");
  if (!provider) return;
  reader.Fail("auth-provider",
              absl::StrCat("'", provider->Text("name"),
                           "': Kubernetes 1.26 has removed these; use the cloud's exec plugin "
                           "(such as gke-gcloud-auth-plugin or kubelogin), or a token"));
}

Identity ReadIdentity(const Reader& reader) {
  Identity identity;
  identity.cert = reader.Contents("client-certificate");
  identity.key = reader.Contents("client-key");
  identity.token = reader.Text("token");
  identity.token_file = reader.Path("tokenFile");
  identity.username = reader.Text("username");
  identity.password = reader.Text("password");
  identity.as = reader.Text("as");
  identity.as_uid = reader.Text("as-uid");
  identity.as_groups = reader.Texts("as-groups");
  if (const auto extra = reader.Within("as-user-extra")) {
    if (const yaml::Map* entries = yaml::AsMap(*reader.Find("as-user-extra"))) {
      for (const yaml::Entry& entry : *entries)
        identity.as_extra[entry.key] = extra->Texts(entry.key);
    }
  }
  if (const auto exec = reader.Within("exec")) identity.exec = ReadExec(*exec);
  RefuseAuthProvider(reader);
  if (identity.cert.empty() != identity.key.empty()) {
    reader.Fail(identity.key.empty() ? "client-key" : "client-certificate",
                "is missing: the two go together");
  }
  const bool acts =
      !identity.as_uid.empty() || !identity.as_groups.empty() || !identity.as_extra.empty();
  if (acts && identity.as.empty())
    reader.Fail("as", "is missing beside as-uid, as-groups or extra");
  return identity;
}

/// Several files as one: of entries with the same name, the first counts.
class Files {
 public:
  Files(std::vector<File> files, const ConfigSources& sources)
      : files_(std::move(files)), sources_(sources) {}

  Result<Config> Read();

 private:
  [[nodiscard]] Reader Root(const File& file) {
    return {{&file, file.root.get()}, sources_, status_};
  }
  std::string FirstText(std::string_view key);
  Result<Reader> Named(const std::string& list, const std::string& entry, const std::string& name);
  [[nodiscard]] std::string Paths() const {
    return absl::StrJoin(files_, ", ",
                         [](std::string* text, const File& file) { text->append(file.path); });
  }

  const std::vector<File> files_;
  const ConfigSources& sources_;
  Status status_;
};

std::string Files::FirstText(std::string_view key) {
  for (const File& file : files_) {
    if (std::string text = Root(file).Text(key); !text.empty()) return text;
  }
  return {};
}

/// The map under `entry` in the list's element of this name.
Result<Reader> Files::Named(const std::string& list, const std::string& entry,
                            const std::string& name) {
  for (const File& file : files_) {
    for (const Reader& element : Root(file).Each(list)) {
      if (element.Text("name") != name) continue;
      const auto found = element.Within(entry);
      if (!found) element.Fail(entry, "is missing");
      if (!status_.ok()) return status_;
      return *found;
    }
  }
  if (!status_.ok()) return status_;
  return absl::NotFoundError(
      absl::StrCat(Paths(), ": ", list, " has no entry with the name '", name, "'"));
}

Result<Config> Files::Read() {
  const std::string context =
      sources_.context.empty() ? FirstText("current-context") : sources_.context;
  if (!status_.ok()) return status_;
  if (context.empty()) {
    return absl::NotFoundError(
        absl::StrCat(Paths(),
                     ": there is no current-context: name one with --context, or set it with "
                     "kubectl config use-context"));
  }
  const Result<Reader> place = Named("contexts", "context", context);
  if (!place.ok()) return place.status();
  const Result<Reader> cluster = Named("clusters", "cluster", place->Text("cluster"));
  if (!cluster.ok()) return cluster.status();
  Config config;
  config.cluster = ReadCluster(*cluster, sources_);
  if (const std::string user = place->Text("user"); !user.empty()) {
    const Result<Reader> found = Named("users", "user", user);
    if (!found.ok()) return found.status();
    config.identity = ReadIdentity(*found);
  }
  if (HasSecrets(config.identity) && IsInClear(config.cluster)) {
    cluster->Fail("server",
                  "would get the user's credentials in clear text: use https, or a user without "
                  "token, password and exec");
  }
  if (const std::string space = place->Text("namespace"); !space.empty()) config.space = space;
  config.source = absl::StrCat("context ", context, " of ", Paths());
  if (!status_.ok()) return status_;
  return config;
}

Result<File> ParseFile(const std::string& text, const std::string& path) {
  yaml::Limits limits;
  limits.bytes = kMaxFile;
  Result<NodeRef> root = yaml::ParseDocument(text, limits);
  if (!root.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ":", std::string(root.status().message())));
  }
  File file{path, *std::move(root)};
  if (yaml::AsMap(*file.root) == nullptr) {
    return Bad({&file, file.root.get()}, "", "a kubeconfig is a map");
  }
  return file;
}

bool IsBlank(const std::string& text) { return absl::StripAsciiWhitespace(text).empty(); }

/// The files that are there.
Result<std::vector<File>> ReadFiles(const std::vector<std::string>& paths,
                                    const ConfigSources& sources) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    const Result<std::string> text = sources.read(path);
    if (absl::IsNotFound(text.status()) && sources.kubeconfig.empty()) continue;
    if (!text.ok()) return text.status();
    if (IsBlank(*text)) continue;
    Result<File> file = ParseFile(*text, path);
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
  }
  return files;
}

std::vector<std::string> Candidates(const ConfigSources& sources) {
  if (!sources.kubeconfig.empty()) return {sources.kubeconfig};
  if (const std::string list = sources.variable("KUBECONFIG"); !list.empty()) {
    return absl::StrSplit(list, ':', absl::SkipEmpty());
  }
  const std::string home = sources.variable("HOME");
  if (home.empty()) return {};
  return {home + "/.kube/config"};
}

std::string InPod(std::string_view file) {
  return absl::StrCat(std::string(kPodFolder), std::string(file));
}

/// Of the pod's service account.
Result<Config> PodConfig(const ConfigSources& sources) {
  const std::string host = sources.variable("KUBERNETES_SERVICE_HOST");
  const std::string port = sources.variable("KUBERNETES_SERVICE_PORT");
  const bool is_v6 = host.find(':') != std::string::npos;
  Config config;
  config.cluster.server =
      absl::StrCat("https://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":", port);
  config.identity.token_file = InPod("token");
  config.source = "the service account of this pod";
  Result<std::string> ca = sources.read(InPod("ca.crt"));
  if (!ca.ok()) return ca.status();
  config.cluster.ca = *std::move(ca);
  const Result<std::string> space = sources.read(InPod("namespace"));
  if (space.ok() && !IsBlank(*space))
    config.space = std::string(absl::StripAsciiWhitespace(*space));
  const Result<http::Url> url = http::ParseUrl(config.cluster.server);
  if (!url.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("KUBERNETES_SERVICE_HOST and _PORT: ", std::string(url.status().message())));
  }
  return config;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  return security::ReadFile("kubeconfig", path);
}

}  // namespace

ConfigSources OwnSources() {
  ConfigSources sources;
  sources.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
  sources.read = ReadWholeFile;
  return sources;
}

Result<Config> FindConfig(const ConfigSources& sources) {
  const std::vector<std::string> paths = Candidates(sources);
  Result<std::vector<File>> files = ReadFiles(paths, sources);
  if (!files.ok()) return files.status();
  if (!files->empty()) return Files(*std::move(files), sources).Read();
  if (!sources.variable("KUBERNETES_SERVICE_HOST").empty()) return PodConfig(sources);
  return absl::NotFoundError(absl::StrCat(
      "no cluster is configured: ", paths.empty() ? "HOME is not set" : absl::StrJoin(paths, ", "),
      paths.empty() ? "" : " does not exist or is empty",
      "; use --kubeconfig FILE or set KUBECONFIG"));
}

Result<Config> ParseConfig(const std::string& text, const std::string& path,
                           const ConfigSources& sources) {
  Result<File> file = ParseFile(text, path);
  if (!file.ok()) return file.status();
  std::vector<File> files;
  files.push_back(*std::move(file));
  return Files(std::move(files), sources).Read();
}

}  // namespace twofold::kube
