#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/runs/driver.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::run {

/// What a person can ask of a run that goes on.
enum class Wish : std::uint8_t {
  kNone,
  kDetach,  ///< leave it to the frontend
  kPause,   ///< what runs may end, what waits is withdrawn
  kRest,    ///< what runs or waits is withdrawn, and has ended
  kCancel,  ///< all of it ends now
};

/// Who watches a run: a terminal, a log, a test.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void Show(const Driver& driver) = 0;
  virtual void Note(const std::string& line) = 0;
  /// Returns after `at_most`, or sooner with a wish.
  virtual Wish Wait(Duration at_most) = 0;
  /// The run is done with: what comes next is of another one.
  virtual void Finish() {}
};

/// Submits what is due, looks how it goes, and again, until the run is over or the watcher wishes
/// something else. A frontend that goes away is waited for.
///
/// Returns the wish by which the run is left; kNone: all jobs have ended, see Driver::stopped().
///
/// Time     `now` is a monotonic clock.
/// Errors   those of Jobs that are final; the jobs that the frontend has stay as they are.
Result<Wish> Watch(Jobs& jobs, Driver& driver, Watcher& watcher,
                   const std::function<Instant()>& now = Now);

/// Tells the driver what the frontend has. Errors as those of Jobs.
Status Look(Jobs& jobs, Driver& driver);

/// Submits all that is due so long after the begin of the run. Errors as those of Jobs.
Status SubmitAll(Jobs& jobs, Driver& driver, Duration elapsed = Duration::zero());

/// Withdraws what waits. Errors as those of Jobs.
Status Pause(Jobs& jobs, const Driver& driver);

}  // namespace twofold::run
