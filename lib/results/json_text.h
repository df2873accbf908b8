#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <exception>
#include <string>
#include <vector>

#include "lib/results/benchmark.h"

/// The parts of results that the tables keep as JSON, so that `sqlite3` can look into them.
///
/// Errors   reading throws nlohmann's exceptions for what writing did not make.
namespace twofold::results {

Better BetterOf(const std::string& word);

/// {"direction":"reverse"}, in the order of the list.
std::string ToJson(const Dimensions& dimensions);
Dimensions DimensionsOf(const std::string& json);

/// Column `at` of a value: dimensions, or nothing for one that was not found anywhere in
/// particular.
Dimensions PlaceOf(const SQLite::Column& column);

/// [{"name":"size","unit":"B","better":"none"}, ...]
std::string ToJson(const std::vector<SeriesColumn>& columns);
std::vector<SeriesColumn> ColumnsOf(const std::string& json);

/// ["iperf3","-c","10.0.0.7"]
std::string ToJson(const std::vector<std::string>& words);
std::vector<std::string> WordsOf(const std::string& json);

/// [[1,2.5],[2,3.5]]: rows of `columns` numbers, each the shortest text that reads back as it was.
std::string PointsJson(const std::vector<double>& values, std::size_t columns);
std::vector<double> PointsOf(const std::string& json);

/// What `read` makes of a column. Text that is not as it was written is a damaged file.
/// Errors   throws SQLite::Exception.
template <typename Read>
auto FromColumn(const SQLite::Column& column, const Read& read) {
  const std::string json = column.getString();
  try {
    return read(json);
  } catch (const std::exception& error) {
    throw SQLite::Exception(error.what(), SQLITE_CORRUPT);
  }
}

}  // namespace twofold::results
