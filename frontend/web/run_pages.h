#pragma once

#include <cstdint>
#include <string>

#include "lib/common/result.h"
#include "lib/results/run_reader.h"
#include "lib/show/table.h"

/// Runs as the HTTP API and the live pages show them. All block: they read the store.
namespace twofold::frontend {

/// {"runs": [...], "next_page_token": "..."}, the newest first.
/// Errors   kInvalidArgument: the page token.
Result<show::Json> RunsPage(const results::RunReader& reader, const std::string& page_token);

/// {"run": {...}, "permutations": [...], "next": N}: about a megabyte of its results from
/// permutation `from` on, and where the next page goes on; null: there are no more. `series`: also
/// their series, row by row.
/// Errors   kNotFound; those of the store.
Result<show::Json> ResultsPage(const results::RunReader& reader, const std::string& id,
                               std::uint64_t from, bool series = false);

/// The report on a run as an HTML page of its own, as `twofold report` makes it. Of a run of more
/// than kMostReported jobs it has no boxes of repetitions, no timeline and no curves of series,
/// which need each job. Errors   kNotFound; those of the store. Cost     Seconds for 100 000 jobs.
Result<std::string> ReportPage(const results::RunReader& reader, const std::string& id);
inline constexpr std::uint64_t kMostReported = 100'000;

}  // namespace twofold::frontend
