#pragma once

#include <cstdint>
#include <string>

#include "lib/results/benchmark.h"

namespace twofold::results {

/// What a job of a large sweep has measured: 30 numbers, 3 of them headlines.
inline Benchmark SweepResult(std::uint64_t id) {
  constexpr int kMeasurements = 30;
  constexpr int kHeadlines = 3;
  Benchmark benchmark{.suite = "iperf", .tool = "iperf 3.12"};
  for (int i = 0; i < kMeasurements; ++i) {
    benchmark.measurements.push_back(
        {.metric = {.name = "measurement_" + std::to_string(i),
                    .unit = "Gbit/s",
                    .better = Better::kHigher,
                    .headline = i < kHeadlines,
                    .dimensions = {{"direction", "forward"}, {"stream", std::to_string(i)}}},
         .value = 9.0 + 0.001 * static_cast<double>(id % 997) + i});
  }
  return benchmark;
}

}  // namespace twofold::results
