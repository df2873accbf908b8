#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/engine/generator.h"
#include "lib/load/profile.h"
#include "tests/lib/stats/lanes.h"

namespace twofold::load {

using stats::Random;
using stats::Uniform;

/// What a queue and its workers are like, in seconds since the load began.
struct QueueShape {
  struct Time {
    double from = 0;
    double to = 0;
  };
  /// So many of the workers vanish; their jobs are lost. They come back at `to`.
  struct Outage {
    Time time;
    int workers = 0;
  };

  int workers = 1;
  std::function<double(Random&)> run = [](Random&) { return 0.1; };
  double hangs = 0;      ///< share of jobs that never end by themselves
  double fails = 0;      ///< share of the others
  double limit = 0;      ///< longest run; 0: none
  std::size_t most = 0;  ///< waiting jobs, others are rejected; 0: no limit
  std::vector<Time> pauses{};
  std::vector<Outage> outages{};
  std::vector<double> others{};  ///< when workers get a job of somebody else
};

/// What became of a job, as only the queue knows it.
struct TrueJob {
  double sent = 0;
  std::optional<double> began{};
  std::optional<double> ended{};
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
};

/// A generator with a queue in virtual time: what is recorded, and the truth.
struct Simulated {
  std::unique_ptr<Recorder> recorder;
  v1::LoadRecord record;
  std::vector<TrueJob> jobs;

  /// What was done from one time to another: each job that succeeded is one, spread evenly over the
  /// time in which a worker had it.
  [[nodiscard]] double Done(double from, double to) const;
};

/// Runs the load to its end, as Run does. `drain` in seconds; nullopt: as Run chooses it.
Simulated Simulate(const Profile& profile, const QueueShape& shape, std::uint64_t seed,
                   std::optional<double> drain = {}, std::size_t outstanding_max = 100'000,
                   WarmUp warm_up = {});

}  // namespace twofold::load
