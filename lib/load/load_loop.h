#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/pacer.h"

namespace twofold::load {

/// Knows which jobs have no answer yet. Keeps a number of them outstanding (the closed loop), and
/// takes those that a schedule asks for (the open loop). Knows nothing of their contents and
/// transport.
///
/// A job sits in a slot. Its tag is the slot's index and, above it, how often the slot was used, so
/// that a second or late answer differs from the first one.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(1) a job, no allocation once a level of parallelism has been reached. 28 bytes a job.
class LoadLoop {
 public:
  using Tag = std::uint64_t;

  /// A job without an answer.
  struct Sent {
    Instant submitted;
    Instant due;             ///< when it was to be submitted; in a closed loop it always is
    std::uint32_t kind = 0;  ///< what it is made from, as Send was told
  };

  /// After a higher value Start starts more jobs; after a lower one jobs end without replacement.
  void SetParallelism(std::uint32_t parallelism) { parallelism_ = parallelism; }

  /// Starts as many jobs as are missing and allowed; calls `submit(Tag)` for each.
  template <typename Submit>
  void Start(Instant now, Submit&& submit) {
    for (std::size_t n = pacer_.Grant(now, Missing()); n > 0; --n) submit(Occupy(now));
  }

  /// A job that was due at `due` is submitted now, whatever the parallelism.
  Tag Send(Instant now, Instant due, std::uint32_t kind) {
    const Tag tag = Occupy(now);
    Slot& slot = slots_[static_cast<std::uint32_t>(tag)];
    slot.due = due;
    slot.kind = static_cast<std::uint16_t>(kind);
    return tag;
  }

  /// The job has ended; nullopt if no such job is outstanding.
  std::optional<Sent> End(Tag tag);

  /// nullopt if no such job is outstanding.
  [[nodiscard]] std::optional<Sent> Find(Tag tag) const;

  /// The frontend has rejected jobs (each was passed to End). See Pacer.
  void Rejected(Instant now, Duration advice) { pacer_.Rejected(now, advice); }

  /// When Start must be called again although no job has ended; nullopt: not needed.
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

 private:
  struct Slot {
    Instant submitted;
    Instant due;
    std::uint32_t uses = 0;
    std::uint16_t kind = 0;
    bool busy = false;

    [[nodiscard]] Sent sent() const { return {submitted, due, kind}; }
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
