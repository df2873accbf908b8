#pragma once

#include <cstddef>
#include <optional>

#include "cli/runs/driver.h"
#include "lib/common/instant.h"

namespace twofold::run {

/// How far a run is.
struct Progress {
  std::size_t jobs = 0;  ///< in all, as far as is known now
  std::size_t running = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t withdrawn = 0;
  /// The first job that runs, else that waits; place in Driver::jobs().
  std::optional<std::size_t> current{};
  /// Time until the jobs that are known have ended; nothing before the first has.
  std::optional<Duration> left{};

  [[nodiscard]] std::size_t ended() const { return succeeded + failed + withdrawn; }
};

/// Each job that is left is expected to take as long as those of its permutation took on the
/// average, or as all did if none of them has ended; as many go on at once as run now, and one at
/// least.
Progress ProgressOf(const Driver& driver);

}  // namespace twofold::run
