#pragma once

#include <cstdint>
#include <optional>

#include "lib/common/instant.h"

namespace twofold::lifecycle {

/// How the workloads of a run follow each other.
struct PaceSettings {
  std::uint32_t count = 1;
  double rate = 0;         ///< workloads a second; 0: as soon as somebody takes the next turn
  std::uint32_t wave = 0;  ///< so many, then all their answers are awaited; 0: all are one wave
  Duration delay{};        ///< from the last answer of a wave to the first instant of the next
};

/// When which workload is due. A wave begins `delay` after the last answer to the one before it,
/// and the instants of its workloads are counted from there: what a wave was late by is not made up
/// for in the next.
///
/// Time     Instants are arguments.
/// Threads  Not thread-safe. Pure.
class Pace {
 public:
  struct Turn {
    std::uint32_t index = 0;
    std::uint32_t wave = 0;          ///< from 1 on; 0: there are no waves
    std::optional<Instant> planned;  ///< nullopt: at once
  };

  /// The first wave begins at `begin`.
  Pace(const PaceSettings& settings, Instant begin);

  /// The next turn; nullopt: none is left, or the wave's answers have to come first (IsOver tells).
  std::optional<Turn> Take();

  /// One turn that was taken has got its answer. True: a wave is over, and another may be taken.
  bool Answer(Instant now);

  /// No turn is left.
  [[nodiscard]] bool IsOver() const { return taken_ == settings_.count; }

 private:
  [[nodiscard]] std::uint32_t WaveSize() const;

  const PaceSettings settings_;
  Instant begin_;            // of the present wave
  std::uint32_t first_ = 0;  // of the present wave
  std::uint32_t taken_ = 0;
  std::uint32_t answered_ = 0;
};

}  // namespace twofold::lifecycle
