#include "lib/results/series_results.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/results/tables.h"
#include "lib/stats/repetitions.h"

namespace twofold::results {
namespace {

constexpr const char* kSelectSeries =
    "SELECT shape, points FROM place JOIN ended ON ended.id = place.job"
    " JOIN series ON series.job = place.job WHERE run = ? AND permutation = ?"
    " AND outcome = 0 AND NOT warm_up AND requeued_as IS NULL ORDER BY place.job, series.number";

/// Those beside the first one of which more or less is better.
std::vector<int> JudgedColumns(const v1::Series& shape) {
  std::vector<int> columns;
  for (int i = 1; i < shape.columns_size(); ++i) {
    if (shape.columns(i).better() != v1::BETTER_NONE) columns.push_back(i);
  }
  return columns;
}

v1::SeriesPoint PointOf(double at, std::vector<double> values, bool looked) {
  const stats::Summary summary = stats::SummarizeRepetitions(std::move(values), looked);
  v1::SeriesPoint point;
  point.set_at(at);
  point.set_n(summary.n);
  point.set_mean(summary.mean);
  point.set_half_width(summary.half_width);
  point.set_least(summary.least);
  point.set_most(summary.most);
  return point;
}

}  // namespace

void SeriesGatherer::Add(std::int64_t number, const v1::Series& shape,
                         const std::vector<double>& values) {
  const std::vector<int> columns = JudgedColumns(shape);
  if (columns.empty()) return;
  Gathered* const series = Of(number, shape, columns);
  const auto width = static_cast<std::size_t>(shape.columns_size());
  for (std::size_t row = 0; row + width <= values.size(); row += width) {
    Cells* const cells = series == nullptr ? nullptr : RowOf(*series, values[row]);
    if (cells == nullptr) {
      left_out_ += columns.size();
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      (*cells)[i].push_back(values[row + static_cast<std::size_t>(columns[i])]);
    }
    values_ += columns.size();
  }
}

void SeriesGatherer::Finish(v1::PermutationResult& result) {
  for (Gathered& series : gathered_) {
    for (std::size_t i = 0; i < series.columns.size(); ++i) {
      v1::SeriesResult& curve = *result.add_series();
      curve.set_name(series.shape.name());
      *curve.mutable_dimensions() = series.shape.dimensions();
      *curve.mutable_by() = series.shape.columns(0);
      *curve.mutable_value() = series.shape.columns(series.columns[i]);
      for (auto& [at, cells] : series.rows) {
        *curve.add_points() = PointOf(at, std::move(cells[i]), looked_);
      }
    }
  }
  result.set_series_values_left_out(left_out_);
}

// There are few shapes, so looking at each is quick.
SeriesGatherer::Gathered* SeriesGatherer::Of(std::int64_t number, const v1::Series& shape,
                                             const std::vector<int>& columns) {
  const auto known = std::find_if(gathered_.begin(), gathered_.end(),
                                  [&](const Gathered& each) { return each.number == number; });
  if (known != gathered_.end()) return &*known;
  if (curves_ + columns.size() > kMostCurves) return nullptr;
  curves_ += columns.size();
  return &gathered_.emplace_back(Gathered{.number = number, .shape = shape, .columns = columns});
}

SeriesGatherer::Cells* SeriesGatherer::RowOf(Gathered& series, double at) {
  const std::size_t width = series.columns.size();
  if (values_ + width > kMostValues) return nullptr;
  const auto known = series.rows.find(at);
  if (known != series.rows.end()) return &known->second;
  if (points_ + width > kMostPoints) return nullptr;
  points_ += width;
  return &series.rows.emplace(at, Cells(width)).first->second;
}

std::size_t AddSeries(Statements& sql, BenchmarkReader& benchmarks, std::int64_t run, bool looked,
                      v1::PermutationResult& result) {
  SeriesGatherer gatherer(looked);
  std::size_t read = 0;
  for (Prepared::Rows row(sql[kSelectSeries], run, result.number()); row.Next(); ++read) {
    const std::int64_t shape = row[0].Integer();
    gatherer.Add(shape, benchmarks.Shape(shape), PointsIn(row[1].Text()));
  }
  gatherer.Finish(result);
  return read;
}

}  // namespace twofold::results
