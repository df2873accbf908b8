#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/results/run_source.h"
#include "lib/stats/scaling_law.h"

namespace twofold::cli {

/// Which numbers are to be looked at.
struct Wanted {
  std::string x;                ///< column, varied field or dimension; empty: the one there is
  std::string y;                ///< column, or name of a headline; empty: every one of a run
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

  /// Whether it is a throughput against workers, of which laws speak.
  [[nodiscard]] bool IsThroughput() const { return more_is_better && x == "workers"; }
};

/// Those in the text of a file: a validation's JSON, else CSV with named columns.
/// Errors   kInvalidArgument: which line, column or field.
Result<std::vector<Series>> SeriesOfText(const std::string& source, const std::string& text,
                                         const Wanted& wanted);

/// Those of a run: the headlines of jobs that count, one for each combination of what else is
/// varied.
/// Errors   kInvalidArgument: `x` is not numeric, or several could be meant; those of `source`.
Result<std::vector<Series>> SeriesOfRun(RunSource& source, const std::string& run,
                                        const Wanted& wanted);

}  // namespace twofold::cli
