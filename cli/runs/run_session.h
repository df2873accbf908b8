#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "cli/results/run_source.h"
#include "cli/runs/benchmark.h"
#include "cli/runs/driver.h"
#include "cli/runs/frontend_jobs.h"
#include "cli/runs/local_run.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_record.h"
#include "cli/runs/watch.h"

namespace twofold::cli {

/// A run as it was when it began; `benchmark` is what record.text comes to.
struct KnownRun {
  RunRecord record;
  Benchmark benchmark;
};

/// Where and how a run is run.
struct RunSetting {
  const RunCommand& command;
  const Globals& globals;  ///< its frontend is the one of the run
  run::Watcher& watcher;
  std::optional<LocalRuns> local{};  ///< on this machine alone: what is kept where
};

/// A run, its frontend, and who watches: what the forms of `twofold run` have in common.
///
/// Errors   of what runs jobs: kInternal: some failed. kCancelled: the run is not over, but we are
///          done with it; the message says how to go on. Those of the frontend.
class RunSession {
 public:
  /// `setting` outlives the session.
  RunSession(const RunSetting& setting, KnownRun run);
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  /// Begins a new run, and looks after it.
  ///
  /// Errors   kAlreadyExists: there is one with its id.
  Status Create();

  /// Looks after a run that is there.
  Status TakeOver();

  /// Create, then submits all and watches.
  Status Begin();

  /// Submits what is missing or was withdrawn, and watches.
  Status GoOn();

  /// Submits the failed jobs again, then as GoOn.
  Status RetryFailed();

  /// Withdraws what waits.
  Status Pause();

  /// Prints the results so far of a run that is not begun again.
  ///
  /// Errors   those of the frontend.
  Status Show();

  /// For another driver, of which this run is a part: its jobs, and what is said when that driver
  /// leaves it, or is done with it and has seen `jobs`.
  run::Jobs& jobs() { return jobs_; }
  [[nodiscard]] Status Left(run::Wish wish) const;
  Status Ended(const std::vector<run::Seen>& jobs, run::Stop stop);

 private:
  Status CheckWorkers();
  [[nodiscard]] std::string HowToGoOn(const std::string& option) const;
  void SayWhatIsKept() const;
  Status Attend();
  Status Leave();
  Status Conclude(run::Wish left);
  [[nodiscard]] Status MarkAsCancelled() const;
  [[nodiscard]] Status Verdict() const;
  Status Print() const;
  Status WriteReport(RunSource& source) const;

  const RunSetting& setting_;
  RunRecord record_;
  const Benchmark benchmark_;
  const Frontend frontend_;
  v1::JobOptions common_;
  FrontendJobs jobs_;
  run::Driver driver_;
};

}  // namespace twofold::cli
