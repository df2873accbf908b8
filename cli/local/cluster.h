#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/local/deployment.h"
#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"
#include "lib/process/spawn.h"

namespace twofold::local {

/// What there is to know of a deployment, with the keys of the supervisor's API:
///
///   name, kind, queue
///   replicas     wanted
///   running      processes, without those that are ending
///   ready        running, and serving (frontend, client) or registered (backend): what a user may
///                rely on
///   terminating  processes asked to end
///   waiting      ended by themselves; restarted after a pause
///   held         what has ended stays away until Revive
///   restarts
///   last_exit    of a process that was not asked to end
///   addresses    {"http": ...} and so on, once it serves
///   pids
using DeploymentStatus = nlohmann::ordered_json;

/// Whether all that a deployment shall have is there, and nothing else.
bool IsSettled(const DeploymentStatus& deployment);

/// Worker processes registered at the frontend, by queue.
using Registrations = std::map<std::string, int>;

/// The processes of the cluster: carries out what the deployments ask for.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe. Step and Reap on one that lives as long as the processes (Spawn).
class Cluster {
 public:
  Cluster(StateFolder folder, const std::vector<DeploymentSpec>& plan,
          const DeploymentPolicy& policy);

  /// Starts, ends and kills what is due, and sees who serves by now. What comes later in the order
  /// of Kind is started once what comes before serves for the first time.
  void Step(Instant now);

  /// Takes note of the processes that have ended.
  void Reap(Instant now);

  /// When Step has to be called next at the latest.
  [[nodiscard]] Instant NextDeadline(Instant now) const;

  /// `name` may lack kNamePrefix, here and in Find.
  /// Errors   kNotFound: no such deployment. kFailedPrecondition: not a backend.
  Status Scale(const std::string& name, int replicas);

  /// Sends a signal to the processes of a deployment, which is held: those that end stay away.
  /// Errors   kNotFound: no such deployment. kFailedPrecondition: it has no process.
  Status Signal(const std::string& name, int signal);

  /// Holds the deployment no longer: starts what has ended, and lets go on what SIGSTOP holds.
  /// Errors   kNotFound: no such deployment.
  Status Revive(const std::string& name, Instant now);

  /// Ends all, in the order of Kind backwards.
  void Stop(Instant now);
  [[nodiscard]] bool Stopped() const;

  /// A list of all of them.
  [[nodiscard]] nlohmann::ordered_json Snapshot() const;
  [[nodiscard]] Result<DeploymentStatus> Find(const std::string& name) const;

  /// The same; but kFrontendName is any of several frontends, one that serves if there is one.
  [[nodiscard]] Result<DeploymentStatus> FindService(const std::string& name) const;

  /// A number that changes whenever a process starts, ends or is asked to: registrations asked for
  /// before such a change say nothing of the time after it and are ignored.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  void SetRegistrations(std::uint64_t generation, Registrations registrations);

  /// Where the frontends serve HTTP; empty before all do.
  [[nodiscard]] std::vector<std::string> FrontendsHttp() const;

 private:
  struct Process {
    pid_t pid = 0;
    bool serving = false;  ///< its ready file has been read
    bool ending = false;
  };

  struct Member {
    DeploymentSpec spec;
    Deployment deployment;
    std::map<std::string, std::string> addresses;
    std::map<int, Process> processes;
    std::string last_exit;
  };

  void Carry(Member& member, const Action& action, Instant now);
  void Start(Member& member, int replica, Instant now);
  void OnExit(Member& member, int replica, const process::Exit& exit, Instant now);
  void LookForReadyFiles(Member& member);
  [[nodiscard]] std::vector<std::string> CommandLine(const Member& member, int replica) const;
  [[nodiscard]] int Ready(const Member& member) const;
  [[nodiscard]] DeploymentStatus StatusOf(const Member& member) const;
  [[nodiscard]] bool MayStart(const Member& member) const;
  [[nodiscard]] bool MayEnd(const Member& member) const;
  [[nodiscard]] std::vector<const Member*> OfKind(Kind kind) const;
  [[nodiscard]] std::map<std::string, std::string> AddressesFor(const Member& member,
                                                                int replica) const;
  [[nodiscard]] Result<std::map<std::string, std::string>> ServedBy(const Member& member,
                                                                    int replica) const;
  [[nodiscard]] Result<std::size_t> NumberOf(const std::string& name) const;

  StateFolder folder_;
  std::vector<Member> members_;  // as the plan has them
  Registrations registrations_;
  std::uint64_t generation_ = 0;
  bool stopping_ = false;
};

}  // namespace twofold::local
