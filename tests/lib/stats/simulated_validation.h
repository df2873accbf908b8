#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/stats/looks.h"
#include "lib/stats/scaling.h"
#include "tests/lib/stats/lanes.h"

namespace twofold::stats {

/// What is not constant in a simulated system. Times are in job times: lives have mean 1.
struct Noise {
  std::string name;
  std::function<double(Random&)> life;
  /// The common speed at each quarter of a job time, around 1; empty: always 1.
  std::function<std::vector<double>(std::size_t quarters, Random&)> speed{};
  /// How many times as long each worker of a step takes, `base` or the other; empty: once.
  std::function<double(bool base, Random&)> worker{};
  double own_sd = 0.0;        ///< of each worker's slowness, which changes from job to job
  double own_likeness = 0.0;  ///< of that, from one job to the next
  double cold = 0.0;          ///< so much longer takes the first job of a step,
  double cold_for = 1.0;      ///< falling by e in so many job times
  bool cold_base_alone = false;
  double failing = 0.0;          ///< share of the jobs that fail
  std::uint32_t workers = 8;     ///< of the base
  std::uint32_t doublings = 1;   ///< steps behind it, each with twice as many
  bool workers_unknown = false;  ///< nobody says which worker had a job

  // What is promised: how many verdicts are wrong at most, within 1 % of the limit and further off,
  // and how many for any pods are decided at least at the true ratios 2.0, 1.9 and 1.6.
  double near = 0.03;
  double off = 0.01;
  std::array<double, 3> decided{};
  bool in_table = false;      ///< of statistics.md, in which all tries are counted
  std::uint32_t repeats = 1;  ///< 0: as `--repeat auto` plans them
  double patience = 0.0;      ///< of the cap
};

/// Those that statistics.md tells of, and those that the method was made with.
std::vector<Noise> AllNoise();

/// Kinds that the method was not made with.
std::vector<Noise> FurtherNoise();

/// How often a validation ended how.
struct Tally {
  int tries = 0;
  int passed = 0;
  int failed = 0;
  double seconds = 0.0;  ///< measured, of all steps; a sum

  [[nodiscard]] int undecided() const { return tries - passed - failed; }
};

/// Validates 8 -> 16 workers (or those of `noise`) `tries` times, each time by the rule and the
/// functions that the load client's pages use: looks, stops, records, the verdict on `pods` of all
/// steps. Each is truly `ratio` times as fast as its base, the limit is 1.8, the cap 200 job times.
Tally Validate(const Noise& noise, double ratio, int tries, std::uint64_t seed,
               Pods pods = Pods::kAny);

}  // namespace twofold::stats
