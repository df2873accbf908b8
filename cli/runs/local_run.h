#pragma once

#include <cstdint>
#include <string>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "cli/runs/benchmark.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_record.h"
#include "lib/common/result.h"

/// What `--local` adds to a run: a cluster of its own on this machine, and a folder for what is
/// kept.
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

/// Starts a cluster on this machine for one run, and returns HOST:PORT of its frontend, for
/// clients. It ends with local::TakeDown of the folder, or with this process.
///
/// With as many workers as the run takes at once. A cluster that has just been told to end is
/// waited for. Call while there is one thread only.
/// Refuses what this machine cannot do: programs that are not installed, more workers than fit,
/// spreading over nodes, and
/// permutations that differ in where their jobs run (hostNetwork, mtu, resources ...). Workers are
/// what they are there, so rows of these would show the same measured again as if it were another
/// condition.
///
/// Errors   kFailedPrecondition: that, or another run goes on there. Those of local::Launch.
Result<std::string> StartCluster(const LocalRuns& runs, const RunCommand& command,
                                 const RunRecord& record, const Benchmark& benchmark);

/// What is to be said before a run that keeps more cores busy than `cores` of this machine; empty:
/// none does.
std::string TooFewCores(const Benchmark& benchmark, std::uint32_t cores);

/// What all permutations ask of the place and do not get: "hostNetwork=true mtu=9000"; empty:
/// nothing.
std::string NotApplied(const spec::Expansion& expansion);

/// A word of a command line as a shell takes it: in quotes if it has to be.
std::string ShellWord(const std::string& word);

}  // namespace twofold::cli
