#pragma once

#include "cli/results/run_source.h"
#include "lib/common/result.h"
#include "twofold/v1/runs.pb.h"

/// What a run has measured, on standard output.
///
/// Errors   of all: those of the source.
namespace twofold::cli {

/// For people: a row for each permutation and headline.
Status PrintTable(RunSource& source, const v1::RunResultsRequest& request);

/// The same for a spreadsheet.
Status PrintCsv(RunSource& source, const v1::RunResultsRequest& request);

/// A line for each number of each job. REQUIRES: request.jobs().
Status PrintJobCsv(RunSource& source, const v1::RunResultsRequest& request);

/// {"run": {...}, "permutations": [...]}
Status PrintJson(RunSource& source, const v1::RunResultsRequest& request);

}  // namespace twofold::cli
