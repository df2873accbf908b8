#pragma once

#include "lib/results/columns.h"

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

}  // namespace twofold::results
