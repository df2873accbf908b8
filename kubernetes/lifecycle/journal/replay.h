#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/journal/journal_lines.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Tells the lines of a journal to an Observer. Instants are those of `anchor`.
class Replay {
 public:
  explicit Replay(const Anchor& anchor) : anchor_(anchor) {}

  /// The first line is the head.
  /// Errors   kInvalidArgument: not a line of a journal, or of a kind that is not known.
  Status Take(const std::string& text);

  // After the first line.
  [[nodiscard]] const Record& record() const { return record_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  Observed& observed() { return *observed_; }
  std::unique_ptr<Observed> TakeObserved() { return std::move(observed_); }

  /// The last sign of life in it.
  Instant Latest();

 private:
  Status TakeHead(const v1::LifecycleLine& line);

  const Anchor anchor_;
  Record record_;
  std::unique_ptr<Observed> observed_;
  Tally tally_;
  Instant last_tally_;
};

/// A journal that is gone on with, and what it says so far.
struct Continued {
  std::unique_ptr<Journal> journal;
  std::unique_ptr<Observed> observed;
  Tally tally;
};

/// Goes on with a journal of the run of this record.
/// Errors   kFailedPrecondition: it is of another run, another process writes it, or it ends in the
///          future. Those of ReadJournal.
Result<Continued> ContinueJournal(const JournalSettings& settings, const Record& record,
                                  const Anchor& anchor);

}  // namespace twofold::lifecycle
