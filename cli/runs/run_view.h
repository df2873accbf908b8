#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/runs/driver.h"
#include "lib/common/instant.h"
#include "lib/spec/sweep.h"

/// A run as numbers and as text. Pure.
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

/// "[#####.....] 12/24 done, 2 running, 1 failed, 3 min left, 7: rw=read bs=4k", at most `columns`
/// wide.
std::string ProgressLine(const Driver& driver, const Progress& progress, std::size_t columns);

/// The same without a bar, for a log.
std::string ProgressText(const Driver& driver, const Progress& progress);

/// "permutation 3 repetition 2 (rw=read bs=4k)"
std::string JobText(const Driver& driver, const Driver::Job& job);

/// "2 failed, 1 withdrawn of 24 jobs; the first: permutation 3 repetition 2 (rw=read bs=4k): exit
/// code 1"; nothing if all succeeded.
std::string ShortfallText(const Driver& driver);

/// "Fio: 22 of 24 jobs succeeded, 1 failed, 1 unfinished"
std::string CountsText(const spec::Sweep& sweep, const Driver& driver);

}  // namespace twofold::run
