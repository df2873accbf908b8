#include "kubernetes/api/exec_plugin.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "kubernetes/api/call.h"
#include "lib/common/printable.h"
#include "lib/process/environment.h"
#include "lib/process/run.h"

namespace twofold::kube {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;
constexpr std::size_t kErrorTail = 1000;

Status Failed(const ExecPlugin& plugin, std::string_view what) {
  return absl::UnauthenticatedError(absl::StrCat(
      "exec plugin ", plugin.command, ": ", std::string(what),
      plugin.install_hint.empty() ? "" : "; ", Printable(plugin.install_hint, kErrorTail)));
}

Result<std::string> FindCommand(const std::string& command) {
  const char* path = std::getenv("PATH");
  return process::FindProgram(command, {{}, path == nullptr ? "" : path});
}

}  // namespace

std::string ExecInfo(const ExecPlugin& plugin, const Cluster& cluster) {
  Json info = {{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}};
  info["spec"]["interactive"] = false;
  if (plugin.wants_cluster) {
    Json& told = info["spec"]["cluster"];
    told["server"] = cluster.server;
    if (!cluster.ca.empty()) {
      told["certificate-authority-data"] = absl::Base64Escape(cluster.ca);
    }
    if (cluster.insecure) told["insecure-skip-tls-verify"] = true;
    if (!cluster.tls_server_name.empty()) told["tls-server-name"] = cluster.tls_server_name;
    if (!cluster.proxy.empty()) told["proxy-url"] = cluster.proxy;
    if (cluster.disable_compression) told["disable-compression"] = true;
    if (!cluster.exec_config.empty()) told["config"] = Json::parse(cluster.exec_config);
  }
  return info.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ExecCredential> ParseExecCredential(const std::string& text, const ExecPlugin& plugin) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object() || TextAt(object, "/kind") != "ExecCredential") {
    return Failed(plugin, "it printed no ExecCredential");
  }
  if (const std::string version = TextAt(object, "/apiVersion"); version != plugin.api_version) {
    return Failed(plugin,
                  absl::StrCat("it printed apiVersion ", Printable(version, 100), ", not ",
                               plugin.api_version, ": correct apiVersion in the kubeconfig"));
  }
  ExecCredential credential{TextAt(object, "/status/token"),
                            TextAt(object, "/status/clientCertificateData"),
                            TextAt(object, "/status/clientKeyData"), std::nullopt};
  if (credential.cert.empty() != credential.key.empty()) {
    return Failed(plugin, "it printed one of clientCertificateData and clientKeyData alone");
  }
  if (credential.token.empty() && credential.cert.empty()) {
    return Failed(plugin, "it printed neither a token nor a certificate");
  }
  const std::string expires = TextAt(object, "/status/expirationTimestamp");
  if (expires.empty()) return credential;
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, expires, &time, nullptr)) {
    return Failed(plugin, "its expirationTimestamp is no time of RFC 3339");
  }
  credential.expires = absl::ToChronoTime(time);
  return credential;
}

Result<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const Cluster& cluster,
                                     Duration timeout, const std::function<bool()>& given_up) {
  const Result<std::string> command = FindCommand(plugin.command);
  if (!command.ok()) return Failed(plugin, std::string(command.status().message()));
  process::Program program;
  program.argv = {*command};
  program.argv.insert(program.argv.end(), plugin.args.begin(), plugin.args.end());
  program.is_ours = true;
  program.environment = plugin.environment;
  program.environment.push_back("KUBERNETES_EXEC_INFO=" + ExecInfo(plugin, cluster));
  const Result<process::Ran> ran = process::Run(
      std::move(program), "", {.timeout = timeout, .most_bytes = kMaxOutput, .given_up = given_up});
  if (!ran.ok()) return Failed(plugin, std::string(ran.status().message()));
  if (ran->killed.ok() && ran->exit.ok()) return ParseExecCredential(ran->out, plugin);
  const std::string why =
      ran->killed.ok() ? process::Describe(ran->exit) : std::string(ran->killed.message());
  return Failed(plugin, absl::StrCat(why, ran->errors.empty() ? "" : ": ", ran->errors));
}

}  // namespace twofold::kube
