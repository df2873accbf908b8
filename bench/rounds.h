#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

namespace twofold {

/// For bench/instructions.sh: exactly as many rounds as $TWOFOLD_ROUNDS says, if it is set. Use it as
/// BENCHMARK(...)->Apply(CountedRounds).
inline void CountedRounds(benchmark::internal::Benchmark* benchmark) {
  const char* const rounds = std::getenv("TWOFOLD_ROUNDS");
  if (rounds != nullptr) benchmark->Iterations(std::atoll(rounds));
}

}  // namespace twofold
