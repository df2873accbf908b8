#pragma once

#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/show/table.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"

namespace twofold::cli {

/// A benchmark file and all that it comes to. Its suite takes each of the specs.
struct Benchmark {
  spec::Sweep sweep;
  spec::Expansion expansion;
};

/// The text of a file, so much of it as a benchmark may have.
/// Errors   kInvalidArgument: it cannot be read.
Result<std::string> ReadBenchmarkText(const std::string& path);

/// Reads and expands `text`, which messages call `file`. `nodes` are those that its nodes.select
/// chooses from.
/// Errors   kInvalidArgument "FILE:LINE:COLUMN: field: what (permutation N: ...)".
Result<Benchmark> ExpandBenchmark(const std::string& file, const std::string& text,
                                  const std::vector<std::string>& nodes);

/// All jobs: for people a table, what their workers need, and the counts; for programs permutations
/// once each, and jobs that name them by number.
std::string JobList(const Benchmark& benchmark, show::Form form);

/// A value as people see it: bare words as they are, all else as JSON, so that no text can pass for
/// something else.
std::string CellText(const yaml::Json& value);

/// What a permutation varies: "rw=read bs=4k".
std::string ValuesText(const spec::Permutation& permutation);

}  // namespace twofold::cli
