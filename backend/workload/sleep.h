#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "backend/workload/deadlines.h"
#include "backend/workload/workload.h"
#include "lib/common/result.h"
#include "lib/common/distribution.h"

namespace twofold::backend {

/// How long jobs sleep.
struct SleepTimes {
  Distribution time;
  std::uint64_t seed = 0;

  /// The time of one job. It depends on the seed and the job's id alone: not on the worker, so
  /// workers never sleep in step; not on the attempt, so a long job that is tried again is as long
  /// again; nor on the order in which jobs are started.
  [[nodiscard]] Duration Of(const AttemptId& id) const;
};

/// The arguments TIME [SEED]: a time or a distribution of times as Distribution reads it,
/// and a whole number.
///
/// Errors   kInvalidArgument with the text and what is allowed.
Result<SleepTimes> ParseSleep(std::span<const std::string_view> arguments);

/// The suite `sleep TIME [SEED]`: occupies its slot for a time and uses nothing else, so what is
/// measured is the queue, not the work. A timer, no process: one thread carries 100 000 slots. The
/// member of a gang is ready at once.
class Sleep final : public Workload {
 public:
  /// `times` are of jobs that bring no argument of their own.
  Sleep(boost::asio::io_context& io, SleepTimes times)
      : default_(std::move(times)),
        deadlines_(io, [this](Slot slot, Instant now) { Ended(slot, now, {}); }) {}

  [[nodiscard]] std::vector<std::string> suites() const override { return {"sleep"}; }
  void Start(Slot slot, Instant now, const Job& job) override;
  void Go(Slot slot, Instant now) override;
  void Stop(Slot slot) override;

 private:
  [[nodiscard]] Result<Duration> TimeOf(const Job& job) const;
  void Run(Slot slot, Instant now, Duration duration);

  SleepTimes default_;
  Deadlines deadlines_;
  absl::flat_hash_map<Slot, Duration> prepared_;  // members of gangs, until Go
};

}  // namespace twofold::backend
