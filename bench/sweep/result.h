#pragma once

#include <cstdint>
#include <string>

#include "twofold/v1/results.pb.h"

namespace twofold::results {

/// What a job of a large sweep has measured: 30 numbers, 3 of them headlines.
inline v1::BenchmarkResult SweepResult(std::uint64_t id) {
  constexpr int kMeasurements = 30;
  constexpr int kHeadlines = 3;
  v1::BenchmarkResult result;
  result.set_suite("iperf");
  result.set_tool("iperf 3.12");
  for (int i = 0; i < kMeasurements; ++i) {
    v1::Measurement& one = *result.add_measurements();
    one.set_name("measurement_" + std::to_string(i));
    one.set_unit("Gbit/s");
    one.set_better(v1::BETTER_HIGHER);
    one.set_headline(i < kHeadlines);
    one.set_value(9.0 + 0.001 * static_cast<double>(id % 997) + i);
    v1::Dimension& direction = *one.add_dimensions();
    direction.set_name("direction");
    direction.set_value("forward");
    v1::Dimension& stream = *one.add_dimensions();
    stream.set_name("stream");
    stream.set_value(std::to_string(i));
  }
  return result;
}

}  // namespace twofold::results
