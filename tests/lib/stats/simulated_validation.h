#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/stats/scaling.h"
#include "tests/lib/stats/lanes.h"

namespace twofold::stats {

/// What is not constant in a simulated system. Times are in job times: lives have mean 1.
struct Noise {
  std::string name;
  std::function<double(Random&)> life;
  /// The common speed at each quarter of a job time, around 1; empty: always 1.
  std::function<std::vector<double>(std::size_t quarters, Random&)> speed{};
  double worker_sd = 0.0;  ///< of ln(speed) between workers, drawn anew for each step
};

/// All kinds that verdicts are tested with.
std::vector<Noise> AllNoise();

/// How often a validation ended how.
struct Tally {
  int tries = 0;
  int passed = 0;
  int failed = 0;
  double seconds = 0.0;  ///< measured, of all steps; a sum

  [[nodiscard]] int undecided() const { return tries - passed - failed; }
};

/// Validates 8 -> 16 workers `tries` times, each time by the rule and the functions that the load
/// client's pages use: looks, stops, records, the verdict on any pods. 16 workers are truly
/// `ratio` times as fast as 8, the limit is 1.8, the cap 200 job times.
Tally Validate(const Noise& noise, double ratio, std::uint32_t repeats, int tries,
               std::uint64_t seed);

}  // namespace twofold::stats
