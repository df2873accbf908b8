#pragma once

#include <cstdint>

#include "lib/stats/scaling.h"

namespace twofold::stats {

/// A window of a minute in which jobs live 0.2 s and workers differ by `sd` (standard deviation)
/// and do the same all the time.
MeasuredWindow EvenWindow(std::uint32_t workers, double throughput, double sd = 0.001);

/// The record of a step with such a window.
inline StepRecord EvenRecord(std::uint32_t workers, double throughput, double sd = 0.001) {
  return {.workers = workers, .window = EvenWindow(workers, throughput, sd), .jobs = 100};
}

/// The same window with independent noise in each part of each worker: `own` is the standard
/// deviation of a part, beside its mean, and `common` that of a noise that all workers share.
MeasuredWindow NoisyWindow(std::uint32_t workers, double throughput, double own, double common,
                           std::uint64_t seed);

/// The same window with a rate that is multiplied, in each part, by `factor(part)`.
template <typename Factor>
MeasuredWindow ShapedWindow(std::uint32_t workers, double throughput, Factor factor) {
  MeasuredWindow window = EvenWindow(workers, throughput);
  for (std::size_t i = 0; i < kParts; ++i) window.total[i] *= factor(i);
  return window;
}

}  // namespace twofold::stats
