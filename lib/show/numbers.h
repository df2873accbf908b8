#pragma once

#include <string>

#include "lib/show/table.h"
#include "twofold/v1/results.pb.h"

/// The numbers of a benchmark's result without the job around them: what saved output says.
namespace twofold::show {

/// As people and programs get them:
///   {"tool", "measurements": [{"name", "value", "unit", "better", "headline", "dimensions",
///   "at"}],
///    "series": [{"name", "dimensions", "columns": [...], "rows": [[...]]}],
///    "failures": [{"stage", "reason"}]}
/// "at" only of what is the best of many.
Json NumbersOf(const v1::BenchmarkResult& result);

/// One row a number of these, the cells of series too: what a row of a series goes by is one
/// dimension more there. As CSV by NumberColumns:
///   source,name,value,unit,better,headline,dimensions,at
///   a.json,throughput,13.9,Gbit/s,higher,1,direction=forward,
/// `source` is any text, such as the name of the file.
Json NumberRows(const std::string& source, const Json& numbers);
const Columns& NumberColumns();

}  // namespace twofold::show
