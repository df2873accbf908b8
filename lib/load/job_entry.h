#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// One job of a load, from its plan to its end. All numbers of a load are sums over such entries
/// (docs/statistics.md, "The ledger of a load").
///
/// A closed loop plans a job when it sends it for the first time. A job that the frontend refuses
/// there goes out again and stays the same job.
struct JobEntry {
  Instant planned;
  Instant sent;
  Instant ended;    ///< its answer, or when nobody waited for it any more
  Duration wait{};  ///< accepted to handed to a worker; frontend's clock
  Duration run{};   ///< worker's clock
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;  ///< unspecified: unanswered
  bool began = true;                              ///< a worker had it
  Places::Index place = 0;

  [[nodiscard]] bool succeeded() const { return outcome == v1::OUTCOME_SUCCEEDED; }

  /// Since when a worker had it, as the client sees it. A wait that is longer than all is not
  /// believed.
  [[nodiscard]] Instant Begun() const { return wait < ended - sent ? sent + wait : sent; }
  [[nodiscard]] double BusySeconds() const {
    return ToSeconds(std::max(ended - Begun(), Duration(1)));
  }
};

/// A job that has not ended.
struct OpenJob {
  Instant planned;
  Instant sent;
};

/// Numbers of jobs by v1::Outcome; the first one is of unanswered jobs.
using OutcomeCounts = std::array<std::uint64_t, 8>;

/// What became of planned jobs. When a load is over, sent is the sum of all ends.
struct JobCounts {
  std::uint64_t planned = 0;
  std::uint64_t sent = 0;
  std::uint64_t sent_late = 0;  ///< more than kLateAfter after they were planned
  OutcomeCounts ended{};

  [[nodiscard]] std::uint64_t Of(v1::Outcome outcome) const {
    return ended[static_cast<std::size_t>(outcome)];
  }
  void Count(v1::Outcome outcome) { ++ended[static_cast<std::size_t>(outcome)]; }

  [[nodiscard]] std::uint64_t never_sent() const { return planned - std::min(planned, sent); }
  [[nodiscard]] std::uint64_t all_ended() const;
  [[nodiscard]] std::uint64_t succeeded() const { return Of(v1::OUTCOME_SUCCEEDED); }
  [[nodiscard]] std::uint64_t rejected() const { return Of(v1::OUTCOME_REJECTED); }
  /// All others: what was accepted and did not succeed.
  [[nodiscard]] std::uint64_t failed() const { return all_ended() - succeeded() - rejected(); }

  JobCounts& operator+=(const JobCounts& other);
  JobCounts& operator-=(const JobCounts& other);
  friend bool operator==(const JobCounts&, const JobCounts&) = default;
};

}  // namespace twofold::load
