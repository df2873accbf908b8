#pragma once

#include <cstdint>
#include <map>
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
/// How many may run is the least that a job of the key says, of those that wait or run and those
/// that are kept. So nobody raises what another's job has asked for.
///
/// Call it for jobs that have a key only.
/// Cost     O(log k) a call, with k waiting jobs of the key, and O(log) in the limits that they
/// say.
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
  void Keep(const JobOptions& options);
  void Release(const JobOptions& options);

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
    [[nodiscard]] std::uint64_t limit() const { return said.begin()->first; }

    std::map<std::uint32_t, std::uint64_t> said;  // limits, and how many say each
    std::uint64_t running = 0;
    std::set<Place> in_line;
    std::set<Place> parked;
  };

  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }
  Key& KeyOf(Slot slot) { return keys_[jobs_[slot].options->limit_key]; }
  Key& Tell(const JobOptions& options);
  static void Retract(Key& key, const JobOptions& options);
  void Park(Key& key, Place place);
  void ForgetUnused(const std::string& key);

  JobTable& jobs_;
  const WaitingLine& order_;
  std::unordered_map<std::string, Key> keys_;
  std::uint64_t parked_ = 0;
};

}  // namespace twofold::queue
