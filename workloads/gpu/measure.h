#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/stats/histogram.h"
#include "workloads/gpu/device.h"
#include "workloads/gpu/works.h"

namespace twofold::gpu {

/// When to stop: after `iterations`, or, if that is 0, when `time` is over.
struct Limit {
  std::uint64_t iterations = 0;
  Duration time = Duration::zero();
};

/// The iterations of one kind of work, by the device's clock.
struct Tally {
  std::uint64_t iterations = 0;
  stats::Histogram times;
  Duration first_start = Duration::max();
  Duration last_end = Duration::min();

  void Add(const Interval& interval);
};

/// Which work iteration `index` is, such that of any `sum of shares` in a row work i has shares[i],
/// spread evenly. Pure. REQUIRES: a share that is not 0.
class Sequence {
 public:
  explicit Sequence(std::vector<std::uint32_t> shares);
  std::size_t Next();

 private:
  std::vector<std::uint32_t> shares_;
  std::vector<std::int64_t> credit_;
  std::int64_t sum_ = 0;
};

/// A clock of the host; tests have their own.
using Clock = std::function<Instant()>;

/// Runs iterations, those of `works` in the order of `sequence`, on all queues in turn; each queue
/// has one more waiting than it runs, so that the device never waits for the host. Memory does not
/// grow with the number of iterations.
///
/// Returns a tally for each work.
Result<std::vector<Tally>> Measure(std::span<const std::unique_ptr<Work>> works, Sequence sequence,
                                   std::span<const std::unique_ptr<Queue>> queues,
                                   const Limit& limit, const Clock& clock);

/// How long the host waits for one empty kernel, from before it asks until it knows of its end.
Result<stats::Histogram> MeasureLatency(Queue& queue, const Limit& limit, const Clock& clock);

}  // namespace twofold::gpu
