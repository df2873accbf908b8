#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/queue/job_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Sees that no more jobs of one limit key run at once than may.
///
/// Of the jobs of a key that wait, the first by precedence stand in the waiting line, as many as
/// may run beside those that run already; the others are parked here. So the line never has a job
/// in front that must not run, and a job never waits for one of its key that has to go after it.
///
/// Call it for jobs that have a key only.
/// Cost     O(log k) a call, with k waiting jobs of the key.
class KeyLimits {
 public:
  KeyLimits(JobTable& jobs, const WaitingLine& order) : jobs_(jobs), order_(order) {}

  /// A job has come, and is parked for now.
  void Enter(Slot slot);
  /// A job has come that runs already.
  void EnterRunning(Slot slot);
  /// A job from the line runs now.
  void Start(Slot slot);
  /// A job that ran waits again, and is parked for now.
  void PutBack(Slot slot);
  /// A job goes. REQUIRES: its state still says where it was.
  void Leave(Slot slot);
  /// A job that runs goes next, or is put back, and may run on: its place is taken until Release.
  void Keep(const std::string& key) { ++keys_.at(key).running; }
  void Release(const std::string& key);

  /// What has to change now. Carry it out and ask again, after each call above, until nothing is
  /// left.
  struct Move {
    Slot slot;
    bool to_line;  ///< else it has to leave the line and is parked
  };
  std::optional<Move> NextMove(const std::string& key);

  [[nodiscard]] std::uint64_t parked() const { return parked_; }

 private:
  using Place = std::pair<Precedence, Slot>;

  struct Key {
    std::uint64_t limit = 1;
    std::uint64_t said_by = 0;  // the number of the job that says so: the newest one
    std::uint64_t running = 0;
    std::set<Place> in_line;
    std::set<Place> parked;
  };

  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }
  Key& KeyOf(Slot slot) { return keys_[jobs_[slot].options->limit_key]; }
  Key& Tell(Slot slot);
  void Park(Key& key, Place place);
  void ForgetUnused(const std::string& key);

  JobTable& jobs_;
  const WaitingLine& order_;
  std::unordered_map<std::string, Key> keys_;
  std::uint64_t parked_ = 0;
};

}  // namespace twofold::queue
