#pragma once

#include <absl/container/flat_hash_map.h>

#include "backend/workload/deadlines.h"
#include "backend/workload/workload.h"
#include "lib/common/result.h"

namespace twofold::backend {

/// Text as a time to sleep: a number of seconds from 0 to 1e9, fractions allowed.
/// Errors   kInvalidArgument with the text and what is allowed.
Result<Duration> ParseSleep(std::string_view text);

/// The suite `sleep SECONDS`: occupies its slot for an exact time and uses nothing else, so what is
/// measured is the queue, not the work. A timer, no process: one thread carries 100 000 slots. The
/// member of a gang is ready at once.
class Sleep final : public Workload {
 public:
  /// `seconds` is for jobs that bring no argument of their own.
  Sleep(boost::asio::io_context& io, Duration seconds)
      : default_(seconds),
        deadlines_(io, [this](Slot slot, Instant now) { Ended(slot, now, {}); }) {}

  [[nodiscard]] std::vector<std::string> suites() const override { return {"sleep"}; }
  void Start(Slot slot, Instant now, const Job& job) override;
  void Go(Slot slot, Instant now) override;
  void Stop(Slot slot) override;

 private:
  void Run(Slot slot, Instant now, Duration duration);

  Duration default_;
  Deadlines deadlines_;
  absl::flat_hash_map<Slot, Duration> prepared_;  // members of gangs, until Go
};

}  // namespace twofold::backend
