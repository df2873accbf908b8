#include "kubernetes/api/exec_plugin.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "kubernetes/api/call.h"
#include "lib/common/printable.h"
#include "lib/process/environment.h"
#include "lib/process/pipes.h"
#include "lib/process/process.h"
#include "lib/process/spawn.h"

namespace twofold::kube {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;
constexpr std::size_t kErrorTail = 1000;
constexpr auto kLook = std::chrono::milliseconds(20);

Status Failed(const ExecPlugin& plugin, std::string_view what) {
  return absl::UnauthenticatedError(absl::StrCat(
      "exec plugin ", plugin.command, ": ", std::string(what),
      plugin.install_hint.empty() ? "" : "; ", Printable(plugin.install_hint, kErrorTail)));
}

/// A plugin that runs. Nothing of it is left when this is gone.
class Run {
 public:
  Run(pid_t pid, process::Pipe output, process::Pipe errors)
      : pid_(pid), output_(std::move(output.read)), errors_(std::move(errors.read)) {}
  ~Run() { End(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Reads until it has ended; what it has printed.
  Result<std::string> Collect(Instant deadline, const std::function<bool()>& given_up);

  [[nodiscard]] std::string errors() const { return Printable(error_tail_.Last(), kErrorTail); }

 private:
  [[nodiscard]] bool HasEnded() const;
  Status ReadSome();
  process::Exit End();

  pid_t pid_;
  Descriptor output_;
  Descriptor errors_;
  std::string text_;
  process::OutputTail error_tail_{kErrorTail};
};

/// Leaves it unreaped, so that its number stays that of its group.
bool Run::HasEnded() const {
  siginfo_t info{};
  const int told = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return told != 0 || info.si_pid == pid_;
}

process::Exit Run::End() {
  if (pid_ < 0) return {};
  kill(-pid_, SIGKILL);
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  pid_ = -1;
  return reaped < 0 ? process::Exit{} : process::ExitOf(status);
}

/// What is there, for kLook at most.
Status Run::ReadSome() {
  std::array<pollfd, 2> pipes = {{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
  if (poll(pipes.data(), pipes.size(), kLook.count()) <= 0) return absl::OkStatus();
  std::array<char, 16 << 10> buffer;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes[i].revents == 0) continue;
    const ssize_t size = read(pipes[i].fd, buffer.data(), buffer.size());
    if (size <= 0) {
      (i == 0 ? output_ : errors_) = Descriptor();  // poll skips what is negative
      continue;
    }
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (i == 1) {
      error_tail_.Append(bytes);
    } else if (text_.size() + bytes.size() > kMaxOutput) {
      return absl::ResourceExhaustedError("it printed more than 1 MiB");
    } else {
      text_ += bytes;
    }
  }
  return absl::OkStatus();
}

Result<std::string> Run::Collect(Instant deadline, const std::function<bool()>& given_up) {
  for (bool ended = false; !ended;) {
    ended = HasEnded();  // before the last read, which so gets all
    if (Status status = ReadSome(); !status.ok()) return status;
    if (!ended && given_up && given_up()) return absl::CancelledError("nobody waits for it");
    if (!ended && Now() > deadline) return absl::DeadlineExceededError("it did not end in time");
  }
  while (output_.get() >= 0) {  // what pipes still hold; a child of it may keep them open
    const std::size_t before = text_.size();
    if (Status status = ReadSome(); !status.ok()) return status;
    if (text_.size() == before) break;
  }
  const process::Exit exit = End();
  if (exit.ok()) return text_;
  return absl::UnknownError(process::Describe(exit));
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
  const Instant deadline = Now() + timeout;
  const Result<std::string> command = FindCommand(plugin.command);
  if (!command.ok()) return Failed(plugin, std::string(command.status().message()));
  Result<process::Pipe> output = process::OpenPipe();
  if (!output.ok()) return output.status();
  Result<process::Pipe> errors = process::OpenPipe();
  if (!errors.ok()) return errors.status();
  process::Program program;
  program.argv = {*command};
  program.argv.insert(program.argv.end(), plugin.args.begin(), plugin.args.end());
  program.null_in = true;
  program.is_ours = true;
  program.environment = plugin.environment;
  program.environment.push_back("KUBERNETES_EXEC_INFO=" + ExecInfo(plugin, cluster));
  program.out = output->write.get();
  program.err = errors->write.get();
  const Result<process::Child> child = process::Spawn(program);
  if (!child.ok()) return Failed(plugin, std::string(child.status().message()));
  output->write = Descriptor();
  errors->write = Descriptor();
  Run run(child->pid, *std::move(output), *std::move(errors));
  const Result<std::string> text = run.Collect(deadline, given_up);
  if (text.ok()) return ParseExecCredential(*text, plugin);
  const std::string told = run.errors();
  return Failed(plugin,
                absl::StrCat(std::string(text.status().message()), told.empty() ? "" : ": ", told));
}

}  // namespace twofold::kube
