#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/stats/comparison.h"

/// What held a scaling validation back: from the times of its jobs to a sentence that they support
/// (docs/statistics.md, "Why").
namespace twofold::stats {

/// A node in one measurement.
struct NodeEvidence {
  std::string node;
  std::uint32_t workers = 0;
  std::uint64_t jobs = 0;
  std::optional<double> run{};  ///< mean seconds
};

/// One measurement of one step. What is not known is absent.
struct StepEvidence {
  std::uint32_t workers = 1;
  Rate rate;
  std::uint64_t jobs = 0;    ///< that ended
  std::uint64_t failed = 0;  ///< of these
  // Means of the jobs that succeeded, seconds.
  std::optional<double> wait{};
  std::optional<double> run{};
  std::optional<double> overhead{};
  // Of the workers and what they run.
  std::optional<double> cpu{};        ///< cores that were busy, all workers together
  std::optional<double> throttled{};  ///< share of the time in which a quota held a worker up, 0..1
  std::optional<double> spread{};     ///< standard deviation of ln(speed) between workers
  std::string slowest{};    ///< the worker that is slower than chance explains; empty: none
  double slowest_by = 0.0;  ///< how much longer it takes than the mean worker: 0.3 = 30 %
  std::vector<NodeEvidence> nodes{};
};

enum class Cause : std::uint8_t {
  kUnknown,     ///< too little was measured
  kNothing,     ///< no job took longer with more workers
  kNoise,       ///< if one did, it is within the error
  kFailures,    ///< failed jobs are missing from the throughput
  kLoad,        ///< there were fewer jobs than workers
  kWait,        ///< jobs waited for a worker
  kOverhead,    ///< between client, frontend and workers
  kThrottled,   ///< a CPU quota held workers up
  kStraggler,   ///< one worker is slow
  kNode,        ///< workers of one node are slow
  kCpu,         ///< workers contend for cores
  kSlowerCpu,   ///< the same work needs more CPU time
  kContention,  ///< workers contend for something that is not CPU, or unknown
};

/// "cpu", "wait", ...: for scripts and tests.
std::string_view Name(Cause cause);

struct Explanation {
  Cause cause = Cause::kUnknown;
  std::uint32_t base_workers = 0;  ///< the steps that `cause` is about; 0: none in particular
  std::uint32_t workers = 0;
  std::string text;  ///< a sentence or two for people, with the numbers that support it
};

/// Explains the two neighbouring steps between which most was lost for twice the workers, else the
/// first and the last. `steps` are in any order; repeats of a step count as their mean. Growth
/// within its error is not explained.
///
/// Errors   None: with fewer than two known steps the cause is kUnknown.
/// Cost     O(n log n) for n measurements and their nodes.
/// Source   J. Little, "A Proof for the Queuing Formula L = lambda W" (1961).
Explanation Explain(std::span<const StepEvidence> steps);

}  // namespace twofold::stats
