#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/pacer.h"

namespace twofold::load {

/// Keeps a number of jobs outstanding: the closed loop. Knows which jobs have no answer yet and how
/// many to submit, and nothing of their contents and transport.
///
/// A job sits in a slot. Its tag is the slot's index and, above it, how often the slot was used, so
/// that a second or late answer differs from the first one.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(1) a job, no allocation once a level of parallelism has been reached. 20 bytes a job.
class LoadLoop {
 public:
  using Tag = std::uint64_t;

  /// After a higher value Start starts more jobs; after a lower one jobs end without replacement.
  void SetParallelism(std::uint32_t parallelism) { parallelism_ = parallelism; }

  /// Starts as many jobs as are missing and allowed; calls `submit(Tag)` for each.
  template <typename Submit>
  void Start(Instant now, Submit&& submit) {
    for (std::size_t n = pacer_.Grant(now, Missing()); n > 0; --n) submit(Occupy(now));
  }

  /// The job has ended. Returns when it was submitted; nullopt if no such job is outstanding.
  std::optional<Instant> End(Tag tag);

  /// The frontend has rejected jobs (each was passed to End). See Pacer.
  void Rejected(Instant now, Duration advice) { pacer_.Rejected(now, advice); }

  /// When Start must be called again although no job has ended; nullopt: not needed.
  [[nodiscard]] std::optional<Instant> NextStart() const { return pacer_.NextGrant(); }

  /// Calls `visit(Tag, Instant submitted)` for each job without an answer.
  template <typename Visit>
  void ForEachOutstanding(Visit&& visit) const {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].busy) visit(TagOf(i), slots_[i].submitted);
    }
  }

  [[nodiscard]] std::uint32_t parallelism() const { return parallelism_; }
  [[nodiscard]] std::size_t outstanding() const { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    Instant submitted;
    std::uint32_t uses = 0;
    bool busy = false;
  };

  [[nodiscard]] std::size_t Missing() const;
  Tag Occupy(Instant now);
  [[nodiscard]] Tag TagOf(std::uint32_t index) const;

  std::uint32_t parallelism_ = 0;
  Pacer pacer_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;  // indices; the one used last comes first, its memory is warm
};

}  // namespace twofold::load
