#include "cli/local/cluster.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "cli/local/log_file.h"
#include "lib/common/descriptors.h"
#include "lib/common/match.h"
#include "lib/process/spawn.h"

namespace twofold::local {
namespace {

constexpr Duration kLookForReadyFile = std::chrono::milliseconds(20);
constexpr Duration kLookAtLogs = std::chrono::seconds(1);
constexpr std::uintmax_t kLogLimit = 8 << 20;
constexpr Duration kStopGrace = std::chrono::seconds(3);  // nobody waits for results any more

std::string ProcessName(const DeploymentSpec& spec, int replica) {
  return absl::StrCat(spec.name, "-", replica);
}

// What it prints is appended to the file `log`, and so is why it cannot run.
Result<pid_t> StartProcess(std::vector<std::string> argv, const std::string& pod,
                           const std::string& log) {
  const Descriptor file(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) return absl::ErrnoToStatus(errno, log);
  const auto child = process::Spawn({.argv = std::move(argv),
                                     .null_in = true,
                                     .is_ours = true,
                                     .environment = {"TWOFOLD_POD=" + pod},
                                     .out = file.get(),
                                     .err = file.get()});
  if (child.ok()) return child->pid;
  const std::string why = absl::StrCat("cannot run ", std::string(child.status().message()));
  WriteAll(file.get(), why + "\n");
  return Status(child.status().code(), why);
}

}  // namespace

bool IsSettled(const DeploymentStatus& deployment) {
  return deployment.at("ready") == deployment.at("replicas") && deployment.at("terminating") == 0;
}

Cluster::Cluster(StateFolder folder, const std::vector<DeploymentSpec>& plan,
                 const DeploymentPolicy& policy)
    : folder_(std::move(folder)) {
  for (const DeploymentSpec& spec : plan) {
    members_.push_back({spec, Deployment(policy), {}, {}, {}});
    members_.back().deployment.Scale(spec.replicas);
  }
}

void Cluster::Step(Instant now) {
  for (Member& member : members_) {
    const bool is_frontend = &member == &members_.front();
    if (!is_frontend && frontend().addresses.empty()) break;
    if (is_frontend && stopping_ && OthersStopped()) member.deployment.Scale(0);
    for (const Action& action : member.deployment.Step(now)) Carry(member, action, now);
    LookForReadyFiles(member);
    for (const auto& [replica, process] : member.processes) {
      BoundLog(folder_.LogFile(ProcessName(member.spec, replica)), kLogLimit);
    }
  }
}

void Cluster::Carry(Member& member, const Action& action, Instant now) {
  ++generation_;
  if (action.kind == Action::Kind::kStart) return Start(member, action.replica, now);
  Process& process = member.processes[action.replica];
  process.ending = true;
  kill(process.pid, action.kind == Action::Kind::kKill ? SIGKILL : SIGTERM);
}

void Cluster::Start(Member& member, int replica, Instant now) {
  const std::string name = ProcessName(member.spec, replica);
  std::error_code error;
  std::filesystem::remove(folder_.ReadyFile(name), error);
  const Result<pid_t> pid = StartProcess(CommandLine(member, replica), name, folder_.LogFile(name));
  if (!pid.ok()) {
    member.last_exit = "exit code 127";  // as shells say it
    spdlog::error("{}", std::string(pid.status().message()));
    member.deployment.OnExit(replica, now);
    return;
  }
  spdlog::info("{} started, pid {}", name, *pid);
  member.processes[replica] = Process{*pid};
}

std::vector<std::string> Cluster::CommandLine(const Member& member, int replica) const {
  std::vector<std::string> line = {member.spec.program};
  if (!member.spec.listen.empty()) {
    line.insert(line.end(), {"--ready-file", folder_.ReadyFile(ProcessName(member.spec, replica))});
  }
  for (const auto& [key, address] : member.spec.listen) {
    const auto known = member.addresses.find(key);  // a restart keeps the ports
    line.push_back("--" + key + "-address");
    line.push_back(known == member.addresses.end() ? address : known->second);
  }
  const auto& addresses = frontend().addresses;
  for (std::string argument : member.spec.arguments) {
    for (const auto& [key, address] : addresses) {
      absl::StrReplaceAll({{"{" + key + "}", address}}, &argument);
    }
    line.push_back(std::move(argument));
  }
  return line;
}

void Cluster::LookForReadyFiles(Member& member) {
  if (member.spec.listen.empty()) return;
  for (auto& [replica, process] : member.processes) {
    if (process.serving) continue;
    const auto addresses = ReadReadyFile(folder_.ReadyFile(ProcessName(member.spec, replica)));
    if (!addresses.ok()) continue;
    process.serving = true;
    member.addresses = *addresses;
  }
}

void Cluster::Reap(Instant now) {
  for (Member& member : members_) {
    const std::map<int, Process> processes = member.processes;  // OnExit removes from it
    for (const auto& [replica, process] : processes) {
      if (const auto exit = process::Poll(process.pid)) OnExit(member, replica, *exit, now);
    }
  }
}

void Cluster::OnExit(Member& member, int replica, const process::Exit& exit, Instant now) {
  ++generation_;
  const std::string name = ProcessName(member.spec, replica);
  const bool asked = member.processes.at(replica).ending;
  if (!asked) member.last_exit = Describe(exit);
  spdlog::log(asked ? spdlog::level::info : spdlog::level::warn, "{} ended{}: {}", name,
              asked ? "" : " by itself", Describe(exit));
  member.processes.erase(replica);
  member.deployment.OnExit(replica, now);
}

Instant Cluster::NextDeadline(Instant now) const {
  Instant next = now + kLookAtLogs;
  for (const Member& member : members_) {
    if (&member != &members_.front() && frontend().addresses.empty()) break;
    if (const auto deadline = member.deployment.NextDeadline()) next = std::min(next, *deadline);
    const bool starting = std::any_of(
        member.processes.begin(), member.processes.end(),
        [&](const auto& entry) { return !member.spec.listen.empty() && !entry.second.serving; });
    if (starting) next = std::min(next, now + kLookForReadyFile);
  }
  return next;
}

Status Cluster::Scale(const std::string& name, int replicas) {
  for (Member& member : members_) {
    if (!IsCalled(member.spec.name, name)) continue;
    if (member.spec.kind != Kind::kBackend) {
      return absl::FailedPreconditionError(absl::StrCat(
          member.spec.name, " is a ", ToString(member.spec.kind), "; only backends scale"));
    }
    if (!stopping_) member.deployment.Scale(replicas);
    ++generation_;
    return absl::OkStatus();
  }
  return Find(name).status();
}

void Cluster::Stop(Instant now) {
  stopping_ = true;
  for (Member& member : members_) {
    member.deployment.ShortenGrace(kStopGrace, now);
    if (&member != &members_.front()) member.deployment.Scale(0);
  }
}

bool Cluster::OthersStopped() const {
  return std::all_of(members_.begin() + 1, members_.end(),
                     [](const Member& member) { return member.processes.empty(); });
}

bool Cluster::Stopped() const {
  return stopping_ && OthersStopped() && frontend().deployment.desired() == 0 &&
         frontend().processes.empty();
}

nlohmann::ordered_json Cluster::Snapshot() const {
  auto all = nlohmann::ordered_json::array();
  for (const Member& member : members_) all.push_back(StatusOf(member));
  return all;
}

Result<DeploymentStatus> Cluster::Find(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const Member& member : members_) {
    if (IsCalled(member.spec.name, name)) return StatusOf(member);
    names.push_back(member.spec.name);
  }
  return absl::NotFoundError(absl::StrCat("no deployment '", name, "'", Hint(name, names)));
}

void Cluster::SetRegistrations(std::uint64_t generation, Registrations registrations) {
  if (generation == generation_) registrations_ = std::move(registrations);
}

std::string Cluster::FrontendHttp() const {
  const auto http = frontend().addresses.find("http");
  return http == frontend().addresses.end() ? "" : http->second;
}

DeploymentStatus Cluster::StatusOf(const Member& member) const {
  std::vector<pid_t> pids;
  for (const auto& [replica, process] : member.processes) pids.push_back(process.pid);
  return {{"name", member.spec.name},
          {"kind", ToString(member.spec.kind)},
          {"queue", member.spec.queue},
          {"replicas", member.deployment.desired()},
          {"running", member.deployment.running()},
          {"ready", Ready(member)},
          {"terminating", member.deployment.terminating()},
          {"waiting", member.deployment.waiting()},
          {"restarts", member.deployment.restarts()},
          {"last_exit", member.last_exit},
          {"addresses", member.addresses},
          {"pids", pids}};
}

// One that is ending may be registered still, so it is taken off: rather too few than too many.
int Cluster::Ready(const Member& member) const {
  if (member.spec.kind != Kind::kBackend) {
    return static_cast<int>(std::count_if(
        member.processes.begin(), member.processes.end(),
        [](const auto& entry) { return entry.second.serving && !entry.second.ending; }));
  }
  const auto registered = registrations_.find(member.spec.queue);
  if (registered == registrations_.end()) return 0;
  return std::clamp(registered->second - member.deployment.terminating(), 0,
                    member.deployment.running());
}

}  // namespace twofold::local
