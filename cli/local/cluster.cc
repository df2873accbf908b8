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

#include "cli/local/database.h"
#include "cli/local/log_file.h"
#include "lib/common/descriptors.h"
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

// Backends and clients do not need each other.
bool Needs(Kind kind, Kind other) { return std::min(kind, Kind::kBackend) > other; }

bool Serves(const DeploymentSpec& spec) { return !spec.listen.empty() || !spec.pid_file.empty(); }

}  // namespace

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
    if (stopping_ && MayEnd(member)) member.deployment.Scale(0);
    if (!MayStart(member)) continue;
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
  kill(process.pid, action.kind == Action::Kind::kKill ? SIGKILL : member.spec.stop_signal);
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
  const auto addresses = AddressesFor(member, replica);
  for (std::string argument : member.spec.arguments) {
    for (const auto& [key, address] : addresses) {
      absl::StrReplaceAll({{"{" + key + "}", address}}, &argument);
    }
    line.push_back(std::move(argument));
  }
  return line;
}

// Those of the database, and lists of those of the frontends, which begin with each in turn.
std::map<std::string, std::string> Cluster::AddressesFor(const Member& member, int replica) const {
  std::map<std::string, std::string> addresses;
  for (const Member* database : OfKind(Kind::kDatabase)) addresses = database->addresses;
  std::vector<const Member*> frontends = OfKind(Kind::kFrontend);
  if (frontends.empty()) return addresses;
  const auto turn = (&member - members_.data() + replica) % std::ssize(frontends);
  std::rotate(frontends.begin(), frontends.begin() + turn, frontends.end());
  for (const Member* frontend : frontends) {
    for (const auto& [key, address] : frontend->addresses) {
      std::string& list = addresses[key];
      absl::StrAppend(&list, list.empty() ? "" : ",", address);
    }
  }
  return addresses;
}

void Cluster::LookForReadyFiles(Member& member) {
  if (!Serves(member.spec)) return;
  for (auto& [replica, process] : member.processes) {
    if (process.serving) continue;
    const auto addresses = ServedBy(member, replica);
    if (!addresses.ok()) continue;
    process.serving = true;
    member.addresses = *addresses;
  }
}

// kNotFound: it does not serve yet.
Result<std::map<std::string, std::string>> Cluster::ServedBy(const Member& member,
                                                             int replica) const {
  if (member.spec.pid_file.empty()) {
    return ReadReadyFile(folder_.ReadyFile(ProcessName(member.spec, replica)));
  }
  const pid_t pid = member.processes.at(replica).pid;
  if (DatabaseServes(member.spec.pid_file, pid)) return member.spec.serves;
  return absl::NotFoundError(member.spec.pid_file);
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
  const bool expected = asked || member.deployment.held();
  spdlog::log(expected ? spdlog::level::info : spdlog::level::warn, "{} ended{}: {}", name,
              expected ? "" : " by itself", Describe(exit));
  member.processes.erase(replica);
  member.deployment.OnExit(replica, now);
}

Instant Cluster::NextDeadline(Instant now) const {
  Instant next = now + kLookAtLogs;
  for (const Member& member : members_) {
    if (!MayStart(member)) continue;
    if (const auto deadline = member.deployment.NextDeadline()) next = std::min(next, *deadline);
    const bool starting = std::any_of(
        member.processes.begin(), member.processes.end(),
        [&](const auto& entry) { return Serves(member.spec) && !entry.second.serving; });
    if (starting) next = std::min(next, now + kLookForReadyFile);
  }
  return next;
}

Status Cluster::Scale(const std::string& name, int replicas) {
  const Result<std::size_t> number = NumberOf(name);
  if (!number.ok()) return number.status();
  const DeploymentSpec& spec = members_[*number].spec;
  if (spec.kind != Kind::kBackend) {
    return absl::FailedPreconditionError(
        absl::StrCat(spec.name, " is a ", ToString(spec.kind), "; only backends scale"));
  }
  if (!stopping_) members_[*number].deployment.Scale(replicas);
  ++generation_;
  return absl::OkStatus();
}

Status Cluster::Signal(const std::string& name, int signal) {
  const Result<std::size_t> number = NumberOf(name);
  if (!number.ok()) return number.status();
  Member& member = members_[*number];
  if (member.processes.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(member.spec.name, " has no process that a signal could reach"));
  }
  member.deployment.Hold();
  for (const auto& [replica, process] : member.processes) kill(process.pid, signal);
  ++generation_;
  return absl::OkStatus();
}

Status Cluster::Revive(const std::string& name, Instant now) {
  const Result<std::size_t> number = NumberOf(name);
  if (!number.ok()) return number.status();
  members_[*number].deployment.Release(now);
  for (const auto& [replica, process] : members_[*number].processes) kill(process.pid, SIGCONT);
  ++generation_;
  return absl::OkStatus();
}

void Cluster::Stop(Instant now) {
  stopping_ = true;
  for (Member& member : members_) member.deployment.ShortenGrace(kStopGrace, now);
}

// All that it needs has served once.
bool Cluster::MayStart(const Member& member) const {
  return std::none_of(members_.begin(), members_.end(), [&](const Member& other) {
    return Needs(member.spec.kind, other.spec.kind) && other.addresses.empty();
  });
}

// All that needs it has ended.
bool Cluster::MayEnd(const Member& member) const {
  return std::none_of(members_.begin(), members_.end(), [&](const Member& other) {
    return Needs(other.spec.kind, member.spec.kind) && !other.processes.empty();
  });
}

bool Cluster::Stopped() const {
  return stopping_ && std::all_of(members_.begin(), members_.end(), [](const Member& member) {
           return member.deployment.desired() == 0 && member.processes.empty();
         });
}

}  // namespace twofold::local
