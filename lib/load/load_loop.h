#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/job_entry.h"
#include "lib/load/pacer.h"

namespace twofold::load {

/// Knows which jobs have no answer yet, and on which lane and stream each of them is. Says how many
/// more a number of outstanding ones asks for (the closed loop), and takes those that a schedule
/// asks for (the open loop). Knows nothing of their contents and transport: lanes are numbers to
/// it, and streams are names.
///
/// A job sits in a slot. Its tag is the slot's index and, above it, how often the slot was used, so
/// that a second or late answer differs from the first one.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(1) a job, no allocation once a level of parallelism has been reached. 36 bytes a job.
class LoadLoop {
 public:
  using Tag = std::uint64_t;
  using Lane = std::uint8_t;
  using Stream = const void*;  ///< never followed; nullptr: none
  static constexpr std::size_t kMostLanes = 256;

  /// A job without an answer.
  struct Sent {
    Instant submitted;
    Instant due;             ///< when it was to be submitted; in a closed loop it always is
    std::uint32_t kind = 0;  ///< what it is made from, as Send was told
    Lane lane = 0;
    Stream stream = nullptr;  ///< that will say how it ends
  };

  /// After a higher value Grant grants more jobs; after a lower one jobs end without replacement.
  void SetParallelism(std::uint32_t parallelism) { parallelism_ = parallelism; }

  /// How many jobs of the closed loop are missing and allowed. The caller sends them.
  std::size_t Grant(Instant now) { return pacer_.Grant(now, Missing()); }

  /// A job is submitted now that was due at `due`: whatever the parallelism, or as Grant said.
  Tag Send(Instant now, Instant due, std::uint32_t kind, Lane lane, Stream stream = nullptr);

  /// The job is on this lane and stream from now on. REQUIRES: it is outstanding.
  void Move(Tag tag, Lane lane, Stream stream);

  /// The job has ended; nullopt if no such job is outstanding.
  std::optional<Sent> End(Tag tag);

  /// nullopt if no such job is outstanding.
  [[nodiscard]] std::optional<Sent> Find(Tag tag) const;

  /// The frontend has rejected jobs (each was passed to End). See Pacer.
  void Rejected(Instant now, Duration advice) { pacer_.Rejected(now, advice); }

  /// A job of the closed loop was rejected: it is among those that Grant grants next, and keeps its
  /// plan.
  void Refused(const OpenJob& job) { refused_.push_back(job); }
  /// The next job of the closed loop to be sent: nullopt: it is a new one.
  std::optional<OpenJob> TakeRefused();

  /// When Grant must be called again although no job has ended; nullopt: not needed.
  [[nodiscard]] std::optional<Instant> NextStart() const { return pacer_.NextGrant(); }

  /// Calls `visit(Tag, const Sent&)` for each job without an answer.
  template <typename Visit>
  void ForEachOutstanding(Visit&& visit) const {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].busy) visit(TagOf(i), slots_[i].sent());
    }
  }

  [[nodiscard]] std::uint32_t parallelism() const { return parallelism_; }
  [[nodiscard]] std::size_t outstanding() const { return slots_.size() - free_.size(); }
  [[nodiscard]] std::size_t outstanding(Lane lane) const { return on_lane_[lane]; }

 private:
  struct Slot {
    Instant submitted;
    Instant due;
    Stream stream = nullptr;
    std::uint32_t uses = 0;
    std::uint16_t kind = 0;
    bool busy = false;
    Lane lane = 0;

    [[nodiscard]] Sent sent() const { return {submitted, due, kind, lane, stream}; }
  };
  static_assert(sizeof(Slot) == 32);

  [[nodiscard]] std::size_t Missing() const;
  [[nodiscard]] Tag TagOf(std::uint32_t index) const;

  std::uint32_t parallelism_ = 0;
  Pacer pacer_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;  // indices; the one used last comes first, its memory is warm
  std::array<std::uint32_t, kMostLanes> on_lane_{};  // outstanding jobs
  std::deque<OpenJob> refused_;                      // that go out again
};

}  // namespace twofold::load
