#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/results/run_reader.h"
#include "lib/results/sqlite_store.h"

namespace twofold::results {

struct CopiedRun {
  std::uint64_t jobs = 0;
  std::uint64_t unfinished = 0;  ///< that were left out
};

/// Copies a run with its finished jobs and all that they have measured from one file to another,
/// whole or not at all.
///
/// Jobs get new ids, of a number that no queue of the target has, so that no frontend that opens
/// the target gives them out again. What they were submitted with, and what was submitted again,
/// stays as it was.
/// Errors   kNotFound: there is no such run; kAlreadyExists: the target has it; those of Store.
/// Cost     Memory for a page of jobs, and 16 bytes for each job.
Result<CopiedRun> CopyRun(const RunReader& from, const std::string& run, SqliteStore& to);

/// A job that no frontend has run: its output was saved, and is read now.
struct OutsideJob {
  v1::RunPlace place = {};
  queue::Outcome outcome = queue::Outcome::kSucceeded;
  std::string reason = {};  ///< why it failed
  v1::BenchmarkResult result = {};
};

/// Puts a run of such jobs into a file, whole or not at all. Their ids are as those of copied jobs.
///
/// Errors   kAlreadyExists: the file has it; those of Store.
/// Cost     Memory for all of it at once.
Status AddRun(const RunCreated& created, const std::vector<OutsideJob>& jobs, SqliteStore& to);

}  // namespace twofold::results
