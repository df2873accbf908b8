// What a verdict costs: a look at a step of 8, 16 or more workers beside one of half as many, which
// is to take a millisecond at most, and what of that is the window's.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "lib/stats/scaling.h"
#include "lib/stats/throughput.h"

namespace twofold::stats {
namespace {

constexpr double kSeconds = 200.0;

Instant At(double seconds) { return Instant{} + FromSeconds(seconds); }

/// Lives of 0.5 to 1.5 s, by a multiplicative generator, so that it is the same everywhere.
ThroughputWindow WindowOf(std::uint32_t workers) {
  ThroughputWindow window(At(0.0));
  std::uint32_t state = 1;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    for (double begin = 0.0; begin < kSeconds - 1.5;) {
      state = state * 1664525U + 1013904223U;
      const double end = begin + 0.5 + static_cast<double>(state >> 8) / double{1U << 24};
      window.Ended(At(begin), At(end), true, worker);
      begin = end;
    }
  }
  return window;
}

StepRecord RecordOf(std::uint32_t workers) {
  return {.workers = workers, .window = WindowOf(workers).Measured(At(kSeconds), {})};
}

void MeasureWindow(benchmark::State& state) {
  const ThroughputWindow window = WindowOf(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(window.Measured(At(kSeconds), {}));
}
BENCHMARK(MeasureWindow)->Arg(8)->Arg(16)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

void JudgeOneStep(benchmark::State& state) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  const std::vector<StepRecord> records = {RecordOf(workers / 2), RecordOf(workers)};
  for (auto _ : state) benchmark::DoNotOptimize(JudgeScaling(records, 1.8));
}
BENCHMARK(JudgeOneStep)->Arg(16)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace twofold::stats
