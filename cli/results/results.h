#pragma once

#include "cli/command/command.h"
#include "cli/results/run_source.h"

namespace twofold::cli {

/// What a run has measured, on standard output: a row for each permutation and headline; with
/// request.jobs() and as CSV a line for each number of each job; with request.series() a row for
/// each row of a series. JSON is
/// {"run": {...}, "permutations": [...]}, written as it comes, so that long runs need no memory.
///
/// Errors   Those of the source.
Status PrintResults(RunSource& source, const v1::RunResultsRequest& request, show::Form form);

/// Two runs of a source as `twofold compare BASE NOW` shows them.
///
/// Errors   kNotFound: they have no headline in common. Those of the source.
Status PrintComparison(RunSource& source, const std::string& base, const std::string& now,
                       show::Form form);

// The commands about results that have a file of their own.
Action BindResults(CLI::App& app, const Globals& globals);
Action BindCompare(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
