#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "lib/queue/job_table.h"

namespace twofold::queue {

/// Sees that no more jobs of one limit key run at once than may.
///
/// As many of them as may run are admitted: they stand in the waiting line or run. The others are
/// parked here, by priority, then by number, until one of those leaves. So the waiting line never
/// has a job in front that must not run.
///
/// Cost     O(log p) a call, with p parked jobs of the key; nothing for jobs without a key.
class KeyLimits {
 public:
  explicit KeyLimits(JobTable& jobs) : jobs_(jobs) {}

  /// True: the job is admitted (always, without a key). False: it is parked.
  bool Enter(Slot slot);

  /// Admits a job that runs already.
  void Readmit(Slot slot);

  /// An admitted job has ended, or a parked one is taken away.
  void Leave(Slot slot);

  /// A parked job that is admitted now, as there is a place for it; kNoSlot: none. Ask after each
  /// Enter and Leave of the key until there is none.
  Slot AdmitNext(const std::string& key);

  [[nodiscard]] std::uint64_t parked() const { return parked_; }

 private:
  struct Key {
    std::uint64_t limit = 1;
    std::uint64_t admitted = 0;
    std::set<std::tuple<int, std::uint64_t, Slot>> parked;  // higher priority first, then number
  };

  [[nodiscard]] std::tuple<int, std::uint64_t, Slot> PlaceOf(Slot slot) const;

  JobTable& jobs_;
  std::unordered_map<std::string, Key> keys_;
  std::uint64_t parked_ = 0;
};

}  // namespace twofold::queue
