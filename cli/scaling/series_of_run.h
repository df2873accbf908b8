#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/scaling/series.h"
#include "lib/show/message.h"

// What the files of SeriesOfRun share.
namespace twofold::cli {

/// What a number was measured at: what was varied, and its dimensions.
using Fields = std::map<std::string, std::string>;

/// Of what a permutation varies.
Fields FieldsOf(const Json& varied);

/// One column of a series of one permutation: how it goes with the rows.
struct RowSeries {
  std::string by;  ///< what identifies a row: "size"
  Series series;
};

/// The series of a run whose name, or whose column, is `y` (empty: all). A row is its mean over the
/// jobs that count; rows at 0 or less, such as messages of no bytes, are passed over, as they have
/// no place among sizes.
/// Errors   those of `source`.
Result<std::vector<RowSeries>> RowsOfRun(RunSource& source, const std::string& run,
                                         const std::string& y);

/// Of `rows` those by `x`; empty: by the only column there is. `fields` are what `x` could have
/// meant else, for the error.
/// Errors   kInvalidArgument: there are none by `x`, or several could be meant; says which there
///          are.
Result<std::vector<Series>> RowsBy(const std::string& x, std::vector<RowSeries> rows,
                                   const std::vector<std::string>& fields);

}  // namespace twofold::cli
