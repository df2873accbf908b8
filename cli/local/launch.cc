#include "cli/local/launch.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "cli/local/cluster.h"
#include "cli/local/database.h"
#include "cli/local/log_file.h"
#include "cli/local/remote.h"
#include "cli/local/supervisor.h"
#include "lib/common/program.h"
#include "lib/process/spawn.h"

namespace twofold::local {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(20);
constexpr Duration kTakeDownTimeout = std::chrono::seconds(30);
constexpr int kTailLines = 8;
constexpr int kHopeless = 3;  // restarts after which a program that never was ready is given up
constexpr std::chrono::seconds kClusterReadyWithin{60};
constexpr double kClusterGraceSeconds = 2;  // jobs of a load are of no use after it

void Detach(const StateFolder& folder) {
  setsid();
  const int null = open("/dev/null", O_RDONLY);
  const int log = open(folder.SupervisorLog().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(null);
  close(log);
}

[[noreturn]] void BecomeSupervisor(const StateFolder& folder, const ClusterOptions& options,
                                   const std::vector<DeploymentSpec>& plan, Life life) {
  if (life != Life::kForeground) Detach(folder);
  if (life != Life::kOwn) prctl(PR_SET_PDEATHSIG, SIGTERM);
  InitLogging(/*verbose=*/false);
  DeploymentPolicy policy;
  policy.grace = FromSeconds(options.grace_seconds);
  Status status;
  {
    Supervisor supervisor(folder, plan, policy);
    status = supervisor.Run();
  }
  if (!status.ok()) spdlog::error("{}", std::string(status.message()));
  if (status.ok()) folder.Remove();
  _exit(status.ok() ? 0 : 1);
}

std::string LogEnd(const StateFolder& folder, const std::string& process) {
  const auto tail = Tail(folder.LogFile(process), kTailLines);
  return tail.ok() && !tail->empty() ? absl::StrCat("; the end of its log:\n", *tail) : "";
}

Status NotReady(const StateFolder& folder, const DeploymentStatus& deployment,
                absl::StatusCode code, const std::string& reason) {
  const std::string name = deployment.at("name");
  return {code, absl::StrCat(name, " ", reason, LogEnd(folder, name + "-0"))};
}

// What makes waiting for this deployment pointless: it refuses what it is told, or breaks down.
Status CheckHope(const StateFolder& folder, const DeploymentStatus& deployment) {
  const int restarts = deployment.at("restarts");
  const std::string last_exit = deployment.at("last_exit");
  const bool misused = last_exit == "exit code 2" || last_exit == "exit code 127";
  if (deployment.at("ready") > 0 || restarts == 0) return absl::OkStatus();
  if (!misused && restarts < kHopeless) return absl::OkStatus();
  return NotReady(folder, deployment,
                  misused ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kInternal,
                  "cannot run: " + last_exit);
}

Status AddDatabase(const StateFolder& folder, const ClusterOptions& options,
                   std::vector<DeploymentSpec>& plan) {
  if (!options.postgres) return absl::OkStatus();
  auto database = MakeDatabase(folder);
  if (!database.ok()) return database.status();
  plan.insert(plan.begin(), *std::move(database));
  return absl::OkStatus();
}

// Returns as soon as its API serves.
Result<pid_t> StartSupervisor(const StateFolder& folder, const ClusterOptions& options, Life life) {
  auto plan = MakePlan(options);
  if (!plan.ok()) return plan.status();
  const Result<int> lock = folder.Lock();
  if (!lock.ok()) return lock.status();
  if (const Status status = AddDatabase(folder, options, *plan); !status.ok()) {
    folder.Remove();
    close(*lock);
    return status;
  }
  const pid_t pid = fork();
  if (pid == 0) BecomeSupervisor(folder, options, *plan, life);
  close(*lock);  // the supervisor has it now
  if (pid < 0) return absl::InternalError("cannot fork");
  while (!std::filesystem::exists(folder.SupervisorFile())) {
    if (const auto exit = process::Poll(pid)) {
      return absl::InternalError(
          absl::StrCat("the supervisor ended: ", Describe(*exit), LogEnd(folder, "supervisor")));
    }
    std::this_thread::sleep_for(kLook);
  }
  return pid;
}

Status WaitReady(const StateFolder& folder, Duration timeout) {
  const Result<Remote> remote = Remote::Find(folder);
  if (!remote.ok()) return remote.status();
  for (const Instant deadline = Now() + timeout;; std::this_thread::sleep_for(kLook)) {
    const auto deployments = remote->Deployments();
    if (!deployments.ok()) return deployments.status();
    const DeploymentStatus* late = nullptr;
    for (const auto& deployment : *deployments) {
      if (Status status = CheckHope(folder, deployment); !status.ok()) return status;
      if (late == nullptr && !IsSettled(deployment)) late = &deployment;
    }
    if (late == nullptr) return absl::OkStatus();
    if (Now() < deadline) continue;
    return NotReady(folder, *late, absl::StatusCode::kDeadlineExceeded,
                    absl::StrCat("is not ready after ", ToSeconds(timeout), " seconds"));
  }
}

Result<std::string> MakeFolder() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string();
  if (error) return absl::InvalidArgumentError("--local: no folder for temporary files (TMPDIR)");
  path += "/twofold-load-XXXXXX";
  if (mkdtemp(path.data()) != nullptr) return path;
  return absl::InvalidArgumentError(
      absl::StrCat("--local: cannot make ", path, ": ", std::strerror(errno), " (TMPDIR)"));
}

}  // namespace

Result<pid_t> Launch(const StateFolder& folder, const ClusterOptions& options, Life life,
                     Duration timeout) {
  const auto supervisor = StartSupervisor(folder, options, life);
  if (!supervisor.ok()) return supervisor.status();
  const Status status = WaitReady(folder, timeout);
  if (status.ok()) return supervisor;
  static_cast<void>(TakeDown(folder));
  return status;
}

Result<bool> TakeDown(const StateFolder& folder) {
  const int watch = folder.WatchLock();
  const Result<Remote> remote = Remote::Find(folder);
  if (absl::IsPermissionDenied(remote.status())) {
    if (watch >= 0) close(watch);
    return remote.status();
  }
  const Status asked = remote.ok() ? remote->Down() : remote.status();
  const bool ended = StateFolder::WaitUnlocked(watch, asked.ok() ? kTakeDownTimeout : Duration());
  if (!ended) {
    return absl::DeadlineExceededError(
        absl::StrCat("the supervisor in ", folder.dir(), " does not end",
                     asked.ok() ? "" : absl::StrCat(": ", std::string(asked.message()))));
  }
  if (watch >= 0) folder.Remove();  // without a lock file it is not ours
  return asked.ok();
}

Result<std::unique_ptr<OwnCluster>> OwnCluster::Start(const std::string& programs,
                                                      const std::vector<std::string>& workload,
                                                      const std::vector<int>& slots) {
  const Result<std::string> dir = MakeFolder();
  if (!dir.ok()) return dir.status();
  std::unique_ptr<OwnCluster> cluster(new OwnCluster(*dir));
  ClusterOptions options;
  options.free_ports = true;
  options.grace_seconds = kClusterGraceSeconds;
  options.programs = programs;
  options.load = LoadCluster{workload, slots};
  const auto supervisor = Launch(cluster->folder_, options, Life::kEmbedded, kClusterReadyWithin);
  if (!supervisor.ok()) return supervisor.status();
  const auto remote = Remote::Find(cluster->folder_);
  if (!remote.ok()) return remote.status();
  auto frontend = remote->FrontendAddress();
  if (!frontend.ok()) return frontend.status();
  cluster->frontend_ = *std::move(frontend);
  return cluster;
}

OwnCluster::~OwnCluster() {
  static_cast<void>(TakeDown(folder_));
  std::error_code error;
  std::filesystem::remove(folder_.dir(), error);  // if the supervisor was never started
}

}  // namespace twofold::local
