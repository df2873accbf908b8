#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::run {

/// Which job of a run. The frontend has it as the job's dedup key, so of those that wait or run no
/// two are the same, and a list of a run's jobs says what each of them is.
struct JobKey {
  std::uint64_t permutation = 0;  ///< spec::Permutation::number
  std::uint32_t repetition = 0;   ///< from 1; warm-ups are counted apart
  bool warm_up = false;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

/// "RUN/17/2", for a warm-up "RUN/17/w1".
std::string KeyText(std::string_view run, const JobKey& key);

/// The reverse; nothing for a job that is not of `run`, or that something else has submitted.
std::optional<JobKey> ParseKey(std::string_view run, std::string_view text);

/// Errors   kInvalidArgument: a run's id is 1 to 100 letters, digits, '-', '_' and '.', and does
///          not begin with a '.'; so it is fit for file names and keys.
Status CheckRunId(std::string_view id);

/// How far a job of a run is.
enum class Phase : std::uint8_t {
  kPlanned,  ///< not submitted yet
  kWaiting,
  kRunning,
  kSucceeded,
  kFailed,     ///< also timed out, or lost with its workers
  kWithdrawn,  ///< ended without an answer: cancelled, or never handed to a worker
};

/// Whether the phase is final.
constexpr bool HasEnded(Phase phase) { return phase >= Phase::kSucceeded; }
/// Whether the frontend has the job and it has not ended.
constexpr bool IsOpen(Phase phase) { return phase == Phase::kWaiting || phase == Phase::kRunning; }

/// What the frontend says of a job.
struct Seen {
  JobKey key;
  std::uint64_t id = 0;  ///< of jobs with the same key the one with the highest counts
  Phase phase = Phase::kWaiting;
  Duration run_time{0};         ///< so far, or in all
  double headline = 0;          ///< of one that succeeded: the first of its result
  std::string reason{};         ///< why it failed
  bool misses_program = false;  ///< that is why
};

/// The jobs of one run, as a frontend has them. What the driver decides is carried out through
/// this, and nothing else: another service that knows runs can take its place.
///
/// Errors   kUnavailable, kDeadlineExceeded: the frontend is away. kResourceExhausted: it is full.
///          After all of these the same call can be made again. Others are final.
class Jobs {
 public:
  virtual ~Jobs() = default;

  /// All jobs of the run the first time, later at least those that have changed. No job that was on
  /// disk when the call began is missing.
  virtual Result<std::vector<Seen>> List() = 0;

  /// Submits jobs in this order, as durable ones, and says of each that is on disk.
  virtual Status Submit(const std::vector<JobKey>& keys,
                        const std::function<void(const Seen&)>& accepted) = 0;

  virtual Status Cancel(std::uint64_t id) = 0;
};

}  // namespace twofold::run
