#pragma once

#include <cstddef>
#include <string>

#include "cli/runs/driver.h"
#include "cli/runs/progress.h"
#include "lib/spec/sweep.h"

/// A run as text. Pure.
namespace twofold::cli {

/// "[#####.....] 12/24 done, 2 running, 1 failed, 3 min left, 7: rw=read bs=4k", at most `columns`
/// wide.
std::string ProgressLine(const run::Driver& driver, const run::Progress& progress,
                         std::size_t columns);

/// The same without a bar, for a log.
std::string ProgressText(const run::Driver& driver, const run::Progress& progress);

/// "permutation 3 repetition 2 (rw=read bs=4k)"
std::string JobText(const run::Driver& driver, const run::Driver::Job& job);

/// "1 h 5 min", "12 s".
std::string TimeText(Duration time);

/// "Fio: 22 of 24 jobs succeeded, 1 failed, 1 unfinished"
std::string CountsText(const spec::Sweep& sweep, const run::Driver& driver);

}  // namespace twofold::cli
