#pragma once

#include <memory>
#include <string>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// Where runs on this machine keep what they leave: a store of all of them, and the logs of the
/// last one.
///
///   DIR/store.db   readable by `--store`
///   DIR/cluster    state folder, with logs/NAME.log
class LocalRuns {
 public:
  /// `given` if not empty, else $XDG_STATE_HOME/twofold, else ~/.local/state/twofold.
  /// Errors   kInvalidArgument: it is not known where that is, or it cannot be made.
  static Result<LocalRuns> In(const std::string& given);

  [[nodiscard]] std::string StoreFile() const { return dir_ + "/store.db"; }
  [[nodiscard]] std::string LogsDir() const { return Folder().LogsDir(); }
  [[nodiscard]] local::StateFolder Folder() const;

  /// "--local", with what it takes to find the folder again.
  [[nodiscard]] std::string Option() const;

 private:
  LocalRuns(std::string dir, bool given) : dir_(std::move(dir)), given_(given) {}

  std::string dir_;
  bool given_;
};

/// A cluster on this machine for one run. It ends with the object, or with this process.
class EmbeddedCluster {
 public:
  /// One that has just been told to end is waited for. Call while there is one thread only.
  /// Errors   kFailedPrecondition: another run goes on there. Those of local::LaunchSupervisor and
  ///          local::WaitReady.
  static Result<std::unique_ptr<EmbeddedCluster>> Start(const LocalRuns& runs,
                                                        local::ClusterOptions options);

  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  /// HOST:PORT of the frontend, for clients.
  [[nodiscard]] const std::string& frontend() const { return frontend_; }

 private:
  explicit EmbeddedCluster(local::StateFolder folder) : folder_(std::move(folder)) {}
  Status Launch(const local::ClusterOptions& options);

  const local::StateFolder folder_;
  bool launched_ = false;  // so it is ours to end
  std::string frontend_;
};

/// What the workers of a local run have and its jobs ask for, so that those which an interrupted
/// run has left in the store wait for its own workers and not for those of the next one.
/// "KEY=VALUE"
std::string LabelOfLocalRun(const std::string& id);

/// A word of a command line as a shell takes it: in quotes if it has to be.
std::string ShellWord(const std::string& word);

}  // namespace twofold::cli
