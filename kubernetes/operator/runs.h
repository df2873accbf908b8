#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/verdict.h"
#include "kubernetes/operator/definition.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::benchmarks {

/// Why a run ends before all of its jobs are done, as its definition wants it.
enum class Stopped : std::uint8_t { kNo, kFailFast, kRunLimit };

/// How a run that is over has gone.
struct RunEnd {
  bool succeeded = false;
  std::string reason;   ///< of the conditions Succeeded and Failed
  std::string message;  ///< for people
};

/// How a run stands.
struct RunLook {
  std::uint64_t jobs = 0;  ///< in all, as far as is known
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;  ///< timed out and lost ones, too
  std::uint64_t withdrawn = 0;
  bool over = false;
  Stopped stopped = Stopped::kNo;
  std::string first_failure{};  ///< which job, and why; empty: none has failed
  std::string lacking{};        ///< why nothing begins: which workers are missing; empty: none are
  std::string waits = "WaitsForWorkers";   ///< that as one word, where something is lacking
  std::string lack = "NoSuitableWorkers";  ///< the same, of the condition WorkersReady
  /// What a run that is over says itself; else its counts say it. Without a job: it does not begin.
  std::optional<RunEnd> end{};
};

/// A mean over the jobs of a permutation.
struct Headline {
  std::uint64_t permutation = 0;
  std::string varied{};  ///< JSON
  std::string name{};
  std::string unit{};
  std::string dimensions{};  ///< "rw=read worker=all"
  double mean = 0;
  double half_width = 0;  ///< 0: not known
  std::uint64_t jobs = 0;
};

struct MeasuredJob;

struct Results {
  std::vector<Headline> headlines;  ///< the first ones, a bounded number
  std::uint64_t in_all = 0;
  std::optional<cli::Verdict> verdict{};  ///< of a measurement
  /// Of an object that TellsOfItsJob (perftest_results.h). nullptr: nothing is known of it.
  std::shared_ptr<const MeasuredJob> job{};
};

/// What an admin has decided, or not yet prepared, so that a run may not go on.
struct Bar {
  bool is_end = true;   ///< the run has failed; false: it waits
  std::string reason;   ///< of conditions
  std::string message;  ///< for people
};

/// The runs of a frontend, or of a cluster, as the operator uses them. Each call may be made again,
/// by this process or by another one after this one has died in the middle: the run with an id is
/// begun once, and each of its jobs is run once.
///
/// Threads  Safe; calls about one run come one at a time. They block.
/// Errors   kUnavailable, kDeadlineExceeded, kResourceExhausted: later. kFailedPrecondition: the
///          frontend cannot do that, it has no store for example. kInvalidArgument: the definition.
///          kCancelled: somebody has cancelled the run. kAlreadyExists: somebody else looks after
///          it. kDataLoss: the run had begun, and the frontend has it no more.
class Runs {
 public:
  virtual ~Runs() = default;

  /// What `object` asks for. Asks nobody.
  [[nodiscard]] virtual RunOrder OrderFor(const kube::Json& object) { return OrderOf(object); }

  /// Asked before each look at a run. Asks nobody.
  [[nodiscard]] virtual std::optional<Bar> BarTo(const RunOrder& order) = 0;

  /// How many jobs the definition comes to; 0: that is known only when it begins. Asks nobody.
  virtual Result<std::uint64_t> Check(const RunOrder& order) = 0;

  /// Begins the run if nobody has, submits what is due, and looks. `since`: how long ago its turn
  /// came, for limits of its definition. `anew`: none of its jobs has run
  /// since its turn came, so the run may be new, and what Pause has withdrawn is due again.
  virtual Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) = 0;

  /// Withdraws what waits; what runs may end. OK if there is no such run.
  virtual Result<RunLook> Pause(const RunOrder& order) = 0;

  /// Cancels what waits and runs. OK if there is no such run.
  virtual Status Cancel(const RunOrder& order) = 0;

  virtual Result<Results> Summary(const RunOrder& order) = 0;

  /// The run is over: what was made for it and is no result goes. Whatever stays goes with the
  /// object.
  virtual Status Release(const RunOrder& /*order*/) { return absl::OkStatus(); }

  /// Nobody asks for the run again for now: what is kept of it for that can go.
  virtual void Forget(const std::string& id) = 0;
};

}  // namespace twofold::benchmarks
