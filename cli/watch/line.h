#pragma once

#include <deque>
#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_session.h"
#include "cli/runs/watch.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// The runs of a watch that are not over, in the order in which they were begun. They are carried
/// out one after the other, as `twofold run --resume` would: two at a time would measure each
/// other. Which runs these are the frontend knows; a line that is made anew finds them there.
///
/// Threads  Not thread-safe; blocks on the frontend, and as long as a run goes on.
class RunLine {
 public:
  /// `patience`: how long the first run waits for workers that can run it; then it is cancelled, so
  /// that those behind it get their turn. All outlive the line.
  RunLine(const std::string& name, const RunCommand& how, Duration patience, const Globals& globals,
          run::Watcher& log);

  /// Adds the runs of this name that the frontend has and that are not over.
  /// Errors   those of the frontend; nothing was added then.
  Status TakeUp();

  /// At the end, unless it is there.
  void Add(const std::string& run);

  [[nodiscard]] bool empty() const { return line_.empty(); }

  /// Carries out the first run, until it is over, the log's Wait wishes something else, or it
  /// cannot go on for now, which is said once. True: it is done with.
  bool RunFirst();

 private:
  struct Place {
    std::string run;
    bool may_want_more = false;  // all its jobs have ended; further repetitions may be due
    std::optional<Instant> waits_since{};  // for workers
    std::string said{};                    // why it cannot go on
  };

  Status CarryOut(Place& place, const v1::Run& run, bool& is_over);
  Status WaitForWorkers(Place& place, const Status& status);
  void Say(Place& place, const std::string& what);

  const std::string& name_;
  const RunCommand& how_;
  const Duration patience_;
  const Globals& globals_;
  run::Watcher& log_;
  std::deque<Place> line_;
};

}  // namespace twofold::cli
