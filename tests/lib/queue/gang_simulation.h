#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lib/queue/queue.h"
#include "tests/support/virtual_time.h"

namespace twofold::queue {

struct GangScenario {
  std::uint64_t seed = 1;
  std::uint32_t workers = 16;
  Duration length = std::chrono::minutes(30);
  Duration shortest_run = std::chrono::milliseconds(100);  // of a small job
  Duration longest_run = std::chrono::seconds(5);
  double load = 1.1;  // small jobs asked for, as a share of what the workers could run
  std::uint32_t gang_size = 16;
  Duration gang_every = std::chrono::minutes(1);
  Duration gang_run = std::chrono::seconds(3);
  Duration gang_timeout = std::chrono::seconds(1);
  /// Whether each worker is looked at after each step: GangFigures::longest_idle and samples. Takes
  /// time that grows with the workers.
  bool each_worker = true;
};

/// What the workers do from one instant on.
struct GangSample {
  Instant at;
  std::uint64_t small, gang, reserved, idle, waiting;
};

struct GangFigures {
  Duration longest_idle{0};        ///< of any worker, in one go, while a small job waited
  Duration longest_gather{0};      ///< of any gang: from its turn to its start
  Duration longest_gang_wait{0};   ///< accepted to started
  Duration longest_small_wait{0};  ///< likewise
  Duration held{0};                ///< sum over all slots: idle, and kept for a gang
  std::uint64_t small_passed = 0;  ///< started while a gang waited
  std::uint64_t gangs_started = 0;
  Duration most_held_over_passed{0};  ///< of any gang: time that it held, less that others passed
  std::uint64_t small_jobs = 0;
  std::uint64_t gangs = 0;
  std::vector<GangSample> samples;
};

/// Small jobs and gangs on a queue in virtual time: no threads, no clock.
class GangSimulation : private NoEffects {
 public:
  explicit GangSimulation(const GangScenario& scenario);
  GangFigures Run();

 private:
  void Do(const Assign& assign) override;
  using NoEffects::Do;

  [[nodiscard]] Instant now() const { return time_.now(); }
  void SmallArrives();
  void GangArrives();
  void Observe(Duration passed);
  void ObserveEach(Duration passed, const QueueStats& stats);
  Duration RandomRun();
  [[nodiscard]] std::string SpecOf(Duration run) const;

  const GangScenario scenario_;
  std::mt19937_64 random_;
  Queue queue_;
  VirtualTime time_;
  std::vector<ProcessId> processes_;
  std::map<ProcessId, Duration> idle_for_;
  std::uint64_t small_running_ = 0;
  bool gang_waits_ = false;
  Instant gang_accepted_;
  Duration gathering_{0};
  Duration holding_{0};
  GangFigures figures_;
};

}  // namespace twofold::queue
