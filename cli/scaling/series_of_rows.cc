#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <set>
#include <utility>

#include "cli/scaling/series_of_run.h"
#include "lib/common/printable.h"

namespace twofold::cli {
namespace {

/// "osu_latency latency datatype=char nodes=2"
std::string RowsName(const v1::SeriesResult& series, Fields at) {
  std::string name = absl::StrCat(series.name(), " ", series.value().name());
  for (const v1::Dimension& each : series.dimensions()) at[each.name()] = each.value();
  for (const auto& [field, text] : at) absl::StrAppend(&name, " ", field, "=", text);
  return name;
}

RowSeries RowSeriesOf(const std::string& run, const v1::SeriesResult& from, const Fields& varied) {
  RowSeries rows{from.by().name(),
                 {run, RowsName(from, varied), from.by().name(), from.value().unit()}};
  rows.series.more_is_better = from.value().better() == v1::BETTER_HIGHER;
  for (const v1::SeriesPoint& point : from.points()) {
    if (point.at() > 0.0) rows.series.points.push_back({point.at(), point.mean()});
  }
  return rows;
}

}  // namespace

Result<std::vector<RowSeries>> RowsOfRun(RunSource& source, const std::string& run,
                                         const std::string& y) {
  std::vector<RowSeries> rows;
  v1::RunResultsRequest request;
  request.set_id(run);
  request.set_series(true);
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      const Fields varied = FieldsOf(show::Parsed(each.varied()));
      for (const v1::SeriesResult& series : each.series()) {
        if (!y.empty() && series.name() != y && series.value().name() != y) continue;
        rows.push_back(RowSeriesOf(run, series, varied));
      }
    }
  });
  if (!status.ok()) return status;
  return rows;
}

Result<std::vector<Series>> RowsBy(const std::string& x, std::vector<RowSeries> rows,
                                   const std::vector<std::string>& fields) {
  std::set<std::string> names;
  for (const RowSeries& each : rows) names.insert(each.by);
  if (x.empty() && names.empty()) {
    return absl::InvalidArgumentError(
        "--x: nothing that is a number is varied in this run, and its jobs have measured no "
        "series");
  }
  if (x.empty() && names.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--x: which one of ", absl::StrJoin(names, ", "), "?"));
  }
  const std::string by = x.empty() ? *names.begin() : x;
  if (!names.contains(by)) {
    names.insert(fields.begin(), fields.end());
    return absl::InvalidArgumentError(absl::StrCat(
        "--x: '", Printable(by, 80), "' is not varied in this run, and no series has rows by it",
        names.empty() ? "" : "; there is ", absl::StrJoin(names, ", ")));
  }
  std::vector<Series> list;
  for (RowSeries& each : rows) {
    if (each.by == by) list.push_back(std::move(each.series));
  }
  return list;
}

}  // namespace twofold::cli
