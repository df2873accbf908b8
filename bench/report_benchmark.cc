// Reports of large runs and loads: how long a page takes, and how large it is.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "lib/report/sources/sources.h"
#include "tests/lib/report/sources/samples.h"

namespace twofold::report {
namespace {

template <typename Record>
void Report(benchmark::State& state, const Record& record) {
  std::size_t bytes = 0;
  for (auto _ : state) bytes = ToHtml(DocumentOf(record)).size();
  state.counters["bytes"] = static_cast<double>(bytes);
}

/// With all that `twofold report` asks for.
RunResults Full(RunResults results) { return WithPlaces(WithCurves(std::move(results), 8), 40); }

/// 100 000 jobs: 20 permutations, and one for each two jobs.
void RunOfFewPermutations(benchmark::State& state) {
  Report(state, Full(SomeRun("run", 10, 5'000)));
}
void RunOfManyPermutations(benchmark::State& state) {
  Report(state, Full(SomeRun("run", 25'000, 2)));
}

/// The most that a record of a load has: 2000 slices, 20 000 jobs; on 40 workers.
void LargestLoad(benchmark::State& state) { Report(state, SomeLoad(40, 2'000, 40)); }

BENCHMARK(RunOfFewPermutations)->Unit(benchmark::kMillisecond);
BENCHMARK(RunOfManyPermutations)->Unit(benchmark::kMillisecond);
BENCHMARK(LargestLoad)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace twofold::report
