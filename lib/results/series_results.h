#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "lib/results/benchmark_reader.h"
#include "lib/results/statements.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// Statistics of series, row by row: the values of all jobs in the rows that have the same first
/// cell. Columns of which neither more nor less is better, such as counts of iterations, are no
/// numbers to compare and are passed over. A job that has two rows with the same first cell gives
/// two values.
///
/// Bounded, as a hostile worker's rows are not to fill the memory: what is beyond a limit is only
/// counted.
/// Cost     8 bytes a value; O(log rows) a row.
class SeriesGatherer {
 public:
  static constexpr std::size_t kMostCurves = 64;         // columns of all series
  static constexpr std::size_t kMostPoints = 8'192;      // rows of all columns: half a megabyte
  static constexpr std::size_t kMostValues = 2'097'152;  // of all rows

  /// `looked`: the jobs were repeated until an interval was narrow, so those of points are of
  /// looks.
  explicit SeriesGatherer(bool looked) : looked_(looked) {}

  /// Takes in one series of a job. `number` names its shape, `values` has row after row.
  void Add(std::int64_t number, const v1::Series& shape, const std::vector<double>& values);

  /// Sets `series` and `series_values_left_out`. Call it once, at the end.
  void Finish(v1::PermutationResult& result);

 private:
  using Cells = std::vector<std::vector<double>>;  // the values of a row, column by column
  struct Gathered {
    std::int64_t number = 0;
    v1::Series shape = {};
    std::vector<int> columns = {};  // that are judged
    std::map<double, Cells> rows = {};
  };

  // nullptr: there is no room.
  Gathered* Of(std::int64_t number, const v1::Series& shape, const std::vector<int>& columns);
  Cells* RowOf(Gathered& series, double at);

  const bool looked_;
  std::vector<Gathered> gathered_;
  std::size_t curves_ = 0;
  std::size_t points_ = 0;
  std::size_t values_ = 0;
  std::size_t left_out_ = 0;
};

/// Sets the series of a permutation: those of its jobs that succeeded, are no warm-ups and were not
/// submitted again. Returns how many series it has read.
///
/// Errors   throws what the engine throws, and Damaged.
std::size_t AddSeries(Statements& sql, BenchmarkReader& benchmarks, std::int64_t run, bool looked,
                      v1::PermutationResult& result);

}  // namespace twofold::results
