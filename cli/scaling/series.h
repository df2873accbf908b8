#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/results/run_source.h"
#include "lib/stats/scaling_law.h"

namespace twofold::cli {

/// Which numbers are to be looked at.
struct Wanted {
  /// Column, varied field or dimension, first column of a series; empty: the one there is.
  std::string x;
  std::string y;                ///< column, name of a headline or series; empty: all of a run
  std::vector<std::string> by;  ///< columns of a CSV that tell series apart
  bool more_is_better = false;  ///< of a CSV; runs say it themselves
};

/// One number at several sizes.
struct Series {
  std::string source;  ///< file or run
  std::string name;    ///< "osu_barrier", "throughput direction=forward"
  std::string x;       ///< "nodes"
  std::string unit = {};
  bool more_is_better = false;
  std::vector<stats::Observation> points = {};
  std::uint64_t overlapped = 0;  ///< of their jobs: ran while others of the run did

  /// Whether it is a throughput against workers, of which laws speak.
  [[nodiscard]] bool IsThroughput() const { return more_is_better && x == "workers"; }
};

/// Those in the text of a file: a validation's JSON, else CSV with named columns.
/// Errors   kInvalidArgument: which line, column or field.
Result<std::vector<Series>> SeriesOfText(const std::string& source, const std::string& text,
                                         const Wanted& wanted);

/// Those of a run: the headlines of jobs that count, one for each combination of what else is
/// varied. If nothing is varied by `x`, the rows of what its jobs have measured as series by it.
/// Errors   kInvalidArgument: `x` is not numeric, or several could be meant; those of `source`.
Result<std::vector<Series>> SeriesOfRun(RunSource& source, const std::string& run,
                                        const Wanted& wanted);

}  // namespace twofold::cli
