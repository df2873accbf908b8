#pragma once

#include <string>

#include "lib/results/columns.h"
#include "twofold/v1/results.pb.h"

namespace twofold::results {

/// The tables of docs/store.md that keep messages (proto/twofold/v1/results.proto, runs.proto), and
/// what of them is in which column. All statements about these columns are made of these lists;
/// the steps in schema.cc make the tables.
///
/// Beside them a table has numbers: of its job, of the run, and where in a list the message was.
struct Tables {
  Columns benchmark;
  Columns measured;  ///< what a measurement has that others of its metric have not
  Columns metric;
  Columns shape;  ///< of series; their points are not a column of ours
  Columns part_failure;
  Columns host;
  Columns stage;
  Columns artifact;
  Columns run;  ///< what was known when it began
  Columns permutation;
  Columns place;
};

const Tables& AllTables();

/// The same for messages that have the same in all columns of `metric`, `shape` or `host`, and only
/// for them. Written out, as millions are made and looking fields up takes ten times as long; a
/// test compares them with the columns.
std::string KeyOf(const v1::Measurement& metric);
std::string KeyOf(const v1::Series& shape);
std::string KeyOf(const v1::RankRecord& host);

/// The values of a series as table `series` has them: [[1,2.5],[2,3.5]], a list a row, each number
/// the shortest text that reads back as it was.
std::string PointsOf(const v1::Series& series);

/// Adds the values that such text has.
/// Errors   throws SQLite::Exception: it is not as it was written, the file is damaged.
void ReadPoints(const std::string& json, v1::Series& series);

}  // namespace twofold::results
