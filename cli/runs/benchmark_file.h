#pragma once

#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"

namespace twofold::cli {

/// A benchmark file and all that it comes to. Its suite takes each of the specs.
struct Benchmark {
  std::string text;
  std::vector<std::string> nodes;  ///< that its nodes.select chose from
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

}  // namespace twofold::cli
