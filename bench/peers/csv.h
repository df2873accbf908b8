#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/cell.h"

/// Runs as comma-separated values: the file of a series, and how a measuring process is told what
/// to do and answers. Figures that were not measured are empty.
namespace twofold::bench {

std::string CsvHeader();
std::string ToCsv(const Run& run);  ///< one line, without its end

/// Errors   kInvalidArgument: which column, which text.
Result<Run> ParseCsv(std::string_view line);

/// A whole file; the first line must be CsvHeader().
Result<std::vector<Run>> ParseCsvFile(std::string_view text);

}  // namespace twofold::bench
