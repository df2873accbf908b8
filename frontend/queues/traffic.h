#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace twofold::frontend {

/// How many jobs messages of one kind carry: a job costs what its message costs, divided by this.
///
/// Threads  Safe; what it says may be a message behind.
/// Cost     Two atomic additions a message.
class JobsPerMessage {
 public:
  /// By the largest number of jobs they count: 1, 2, 4 ... 65 536; the last counts all others.
  static constexpr std::size_t kBuckets = 18;
  using Counts = std::array<std::uint64_t, kBuckets>;

  /// Messages without jobs are none of these.
  void Count(int jobs) {
    if (jobs <= 0) return;
    const auto doublings =
        static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(jobs) - 1));
    messages_[std::min(doublings, kBuckets - 1)].fetch_add(1, std::memory_order_relaxed);
    jobs_.fetch_add(static_cast<std::uint64_t>(jobs), std::memory_order_relaxed);
  }

  [[nodiscard]] Counts messages() const {
    Counts counts;
    std::ranges::transform(messages_, counts.begin(),
                           [](const auto& count) { return count.load(); });
    return counts;
  }
  [[nodiscard]] std::uint64_t jobs() const { return jobs_; }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> messages_{};
  std::atomic<std::uint64_t> jobs_ = 0;
};

/// What goes through the streams of a frontend.
struct Traffic {
  std::atomic<std::int64_t> clients = 0;  ///< open Submit streams
  JobsPerMessage submitted;               ///< client to frontend
  JobsPerMessage assigned;                ///< frontend to worker
  JobsPerMessage completed;               ///< worker to frontend
  JobsPerMessage replied;                 ///< frontend to client
};

}  // namespace twofold::frontend
