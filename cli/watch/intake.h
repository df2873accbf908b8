#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "cli/results/run_source.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_session.h"
#include "cli/runs/watch.h"
#include "cli/watch/files.h"
#include "lib/spec/sweep.h"

namespace twofold::cli {

/// Labels of runs that a watch has begun: which watch it was, and of what file.
inline constexpr const char* kWatchLabel = "watch";
inline constexpr const char* kFileLabel = "file";

/// Begins a run for each version of a benchmark file that has a runid (metadata.runid) which no run
/// has yet. To begin is to have the frontend keep the run, with its file as it is now; its jobs are
/// not submitted. So what was begun is lost no more, whatever ends or is started anew.
///
/// Says once of each version what became of it: idle, begun, refused and why, or why it waits.
/// Versions are begun in the order in which they were seen; one that cannot be begun as the
/// frontend is away keeps those behind it waiting.
///
/// Threads  Not thread-safe; blocks on the frontend.
/// Limits   kMostWaiting versions wait for the frontend; while it is so many, no file is looked at.
class Intake {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  /// `name` is that of the watch, `how` says where jobs go. All but the text outlive it.
  Intake(const std::string& name, const RunCommand& how, const Globals& globals,
         BenchmarkFiles files, run::Watcher& log);

  /// Looks at the files.
  void Look();

  /// Begins what waits. Returns the ids of runs that were begun, and of those that a watch of this
  /// name has begun before and that are not over.
  std::vector<std::string> Begin();

 private:
  struct Waiting {
    Version version;
    std::string said{};  // why it waits
  };
  enum class Next { kDone, kWaits, kWaitsWithAllBehind };

  Next Try(Waiting& waiting, std::vector<std::string>& runs);
  Status BeginRun(const Version& version, std::vector<std::string>& runs);
  Status Idle(const Version& version, const spec::Sweep& sweep);
  Status Found(const KnownRun& run, std::vector<std::string>& runs);
  void Say(const Version& version, const std::string& what);

  const std::string& name_;
  const RunCommand& how_;
  const Globals& globals_;
  BenchmarkFiles files_;
  run::Watcher& log_;
  const Frontend frontend_;
  std::deque<Waiting> waiting_;
};

/// Whether a watch has to look after the run still: it is not over, and nobody has withdrawn a part
/// of it, which is to say that it shall rest.
bool IsUnfinished(const v1::Run& run);

/// Errors   those of the source.
Result<v1::Run> GetRun(const Globals& globals, const std::string& id);

}  // namespace twofold::cli
