#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/peers/arrivals.h"
#include "bench/peers/cell.h"
#include "bench/peers/ledger.h"
#include "lib/stats/histogram.h"

namespace twofold::bench {

/// Where a run stands. Only what ends while measuring counts; while draining nothing is submitted.
enum class Phase { kWarmUp, kMeasure, kDrain };

/// A send later than this after its planned instant is the generator's fault, not the server's.
inline constexpr Duration kLateSend = std::chrono::milliseconds(1);

/// The load of one client connection: says which job is due, checks every result against what was
/// sent, and measures. The same for all peers, which only carry the bytes.
///
/// Closed loop: keeps its share of the outstanding jobs in flight. Open loop: submits at planned
/// instants, and counts latency from them.
///
/// Threads  One at a time (the connection's); in_flight() from any. What was measured may be read
///          once nothing is in flight, or the connection's thread has ended.
class ClientLoad {
 public:
  /// `phase` is shared by all clients of a run and outlives them.
  ClientLoad(const Cell& cell, int client, Instant start, const std::atomic<Phase>& phase);

  /// The payload of the next job that is due at `now`; empty: none is. Good until the next call.
  std::string_view Next(Instant now);

  /// When the next job is due, if no result comes before.
  [[nodiscard]] Instant NextDue() const;

  /// A result has come, with the payload that came with it.
  void Finish(std::string_view payload, Instant now);

  /// A message with results has been read, where a peer has messages.
  void CountReply() {
    if (phase() == Phase::kMeasure) ++replies_;
  }

  [[nodiscard]] std::uint64_t in_flight() const {
    return in_flight_.load(std::memory_order_acquire);
  }

  /// Results that nobody waits for (doubled, or of another client) or with another payload.
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  [[nodiscard]] const stats::Histogram& times() const { return times_; }
  [[nodiscard]] std::uint64_t sends() const { return sends_; }      ///< while measuring
  [[nodiscard]] std::uint64_t late() const { return late_; }        ///< of sends()
  [[nodiscard]] std::uint64_t replies() const { return replies_; }  ///< while measuring

 private:
  [[nodiscard]] bool Expected(std::string_view payload) const;
  [[nodiscard]] Phase phase() const { return phase_.load(std::memory_order_relaxed); }

  const std::uint32_t client_;
  const std::uint64_t share_;  ///< closed loop: most jobs in flight
  std::optional<Arrivals> arrivals_;
  const std::atomic<Phase>& phase_;
  std::string payload_;
  Ledger ledger_;
  std::atomic<std::uint64_t> in_flight_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t sends_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t replies_ = 0;
  stats::Histogram times_;
};

/// The share of client `client` when `all` is divided among `clients`: differs by one at most.
constexpr int ShareOf(int all, int clients, int client) {
  return all / clients + (client < all % clients ? 1 : 0);
}

}  // namespace twofold::bench
