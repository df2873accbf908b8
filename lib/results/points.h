#pragma once

#include <string>

#include "twofold/v1/results.pb.h"

/// The values of a series as its table keeps them: JSON, so that `sqlite3` can look into it.
namespace twofold::results {

/// [[1,2.5],[2,3.5]]: a list a row, each number the shortest text that reads back as it was.
std::string PointsOf(const v1::Series& series);

/// Adds the values that such text has.
/// Errors   throws SQLite::Exception: it is not as it was written, the file is damaged.
void ReadPoints(const std::string& json, v1::Series& series);

}  // namespace twofold::results
