#pragma once

#include <string>
#include <vector>

#include "cli/runs/driver.h"
#include "cli/runs/interleave.h"
#include "cli/runs/run_session.h"

namespace twofold::cli {

/// Whether two runs can take turns.
///
/// Errors   kFailedPrecondition: why not: they are of two kinds or queues, plan different jobs, run
///          several at once, or repeat until a number is known.
Status CheckTurns(const KnownRun& base, const KnownRun& now);

/// Two runs that take turns, job by job; see run::TakeTurns. One driver decides for both, each
/// keeps a record and results of its own.
///
/// Errors   as those of RunSession.
class InterleavedSession {
 public:
  /// REQUIRES: CheckTurns is ok. `setting` outlives the session.
  InterleavedSession(const RunSetting& setting, KnownRun base, KnownRun now);

  /// Begins both.
  ///
  /// Errors   kFailedPrecondition: one of them is there; nothing is begun.
  Status Begin();

  /// Submits of both what is missing or was withdrawn, and watches.
  Status GoOn();

 private:
  [[nodiscard]] Status CheckNew() const;
  Status Attend();
  Status Conclude(run::Wish left);
  /// The jobs of one of the two, as the driver has seen them.
  [[nodiscard]] std::vector<run::Seen> SeenOf(bool now) const;
  Status Print() const;
  Status WriteReport(RunSource& source) const;

  const RunSetting& setting_;
  const std::string base_id_;
  const std::string now_id_;
  const run::Rules rules_;
  const run::Turns turns_;
  RunSession base_;
  RunSession now_;
  run::JobsOfTwo jobs_;
  run::Driver driver_;
};

}  // namespace twofold::cli
