#pragma once

#include <string>
#include <vector>

#include "cli/benchmark_file.h"
#include "cli/command.h"
#include "cli/commands/frontend.h"
#include "cli/commands/frontend_jobs.h"
#include "cli/commands/run_options.h"
#include "cli/commands/run_record.h"
#include "cli/commands/run_watcher.h"
#include "cli/run/driver.h"

namespace twofold::cli {

/// A run, its frontend, and who watches: what the forms of `twofold run` have in common.
///
/// Errors   of what runs jobs: kInternal: some failed. kCancelled: the run is not over, but we are
///          done with it; the message says how to go on. Those of the frontend.
class RunSession {
 public:
  /// `benchmark` is what record.text comes to.
  RunSession(const RunCommand& command, const Globals& globals, RunWatcher& watcher,
             RunRecord record, Benchmark benchmark);
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  /// A new run. Errors   kAlreadyExists: there is one with its id.
  Status Begin();

  /// Submits what is missing or was withdrawn, and watches.
  Status GoOn();

  /// Submits the failed jobs again, then as GoOn.
  Status RetryFailed();

  /// Withdraws what waits.
  Status Pause();

  /// Prints what there is of a run that is not begun again. Errors   only those of the frontend.
  Status Show();

 private:
  Status Look();
  Status CheckWorkers();
  Status Attend();
  Status Leave();
  Status Conclude(run::Ending ending);
  [[nodiscard]] Status Verdict() const;
  Status Print() const;

  const RunCommand& command_;
  const Globals& globals_;
  RunWatcher& watcher_;
  RunRecord record_;
  const Benchmark benchmark_;
  const Frontend frontend_;
  RunOptions options_;
  FrontendJobs jobs_;
  run::Driver driver_;
};

}  // namespace twofold::cli
