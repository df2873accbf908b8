#pragma once

#include <cstdint>
#include <vector>

#include "lib/results/benchmark_reader.h"
#include "lib/results/overlaps.h"
#include "lib/results/statements.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// The permutations of a run that have jobs, by number, starting with `from`: some hundreds, fewer
/// if they have many jobs. Warm-ups and jobs that were submitted again are in no number but their
/// own. Which jobs overlapped is by `overlaps`, of the run. With `series` also what their jobs have
/// measured row by row (SeriesGatherer). Of a run with kUntilLabel, intervals are those of looks.
///
/// Errors   throws what the engine throws, and Damaged.
/// Cost     Memory for the headlines, and series, of one permutation, beside what it returns.
std::vector<v1::PermutationResult> PermutationResults(Statements& sql, BenchmarkReader& benchmarks,
                                                      std::int64_t run, std::uint64_t from,
                                                      const Overlaps& overlaps = {},
                                                      bool series = false);

}  // namespace twofold::results
