#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/scaling/series.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"
#include "lib/words/run_state.h"

namespace twofold::cli {
namespace {

// ---- headlines

/// What a number was measured at: what was varied, and its dimensions.
using Fields = std::map<std::string, std::string>;

/// Of what a permutation varies.
Fields FieldsOf(const Json& varied) {
  Fields fields;
  if (!varied.is_object()) return fields;
  for (const auto& [name, value] : varied.items()) fields[name] = show::Text(value);
  return fields;
}

/// One value of a headline, and all that it was measured at.
struct Value {
  std::string headline;
  std::string unit;
  bool more_is_better = false;
  Fields at;
  double value = 0.0;
  bool overlapped = false;  // its job, with others of the run
};

void AddValues(const v1::JobResult& job, const Fields& varied, const std::string& headline,
               std::vector<Value>& values) {
  for (const v1::Measurement& measured : job.measurements()) {
    if (!measured.headline() || (!headline.empty() && measured.name() != headline)) continue;
    Value& value = values.emplace_back();
    value.headline = measured.name();
    value.unit = measured.unit();
    value.more_is_better = measured.better() == v1::BETTER_HIGHER;
    value.at = varied;
    for (const v1::Dimension& each : measured.dimensions()) value.at[each.name()] = each.value();
    value.value = measured.value();
    value.overlapped = job.overlaps() > 0;
  }
}

Result<std::vector<Value>> ValuesOf(RunSource& source, const std::string& run,
                                    const std::string& headline) {
  std::vector<Value> values;
  v1::RunResultsRequest request;
  request.set_id(run);
  request.set_jobs(true);
  std::map<std::uint64_t, Fields> varied;  // only the first message of a permutation says it
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      if (!each.varied().empty()) varied[each.number()] = FieldsOf(show::Parsed(each.varied()));
      for (const v1::JobResult& job : each.jobs()) {
        if (Counts(job)) AddValues(job, varied[each.number()], headline, values);
      }
    }
  });
  if (!status.ok()) return status;
  return values;
}

bool IsNumber(const std::string& text) {
  double number = 0.0;
  return absl::SimpleAtod(text, &number);
}

/// Fields whose values are numbers and differ.
std::vector<std::string> SizeFields(const std::vector<Value>& values) {
  std::map<std::string, std::set<std::string>> seen;
  for (const Value& value : values) {
    for (const auto& [name, text] : value.at) seen[name].insert(text);
  }
  std::vector<std::string> fields;
  for (const auto& [name, texts] : seen) {
    if (texts.size() > 1 && std::all_of(texts.begin(), texts.end(), IsNumber)) {
      fields.push_back(name);
    }
  }
  return fields;
}

/// "throughput direction=forward": all but the size.
std::string NameOf(const Value& value, const std::string& x) {
  std::string name = value.headline;
  for (const auto& [field, text] : value.at) {
    if (field != x) absl::StrAppend(&name, " ", field, "=", text);
  }
  return name;
}

/// How the headlines go with field `x`.
Result<std::vector<Series>> HeadlinesBy(const std::string& x, const std::string& run,
                                        const std::vector<Value>& values) {
  std::map<std::string, Series> all;
  for (const Value& value : values) {
    const auto size = value.at.find(x);
    double number = 0.0;
    if (size == value.at.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--x: '", Printable(x, 80), "' is not varied at '", NameOf(value, x), "' of this run"));
    }
    if (!absl::SimpleAtod(size->second, &number)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--x: ", Printable(x, 80), "=", Printable(size->second, 80), " is not a number"));
    }
    const std::string name = NameOf(value, x);
    Series& series = all.try_emplace(name, Series{run, name, x, value.unit}).first->second;
    series.more_is_better = value.more_is_better;
    series.points.push_back({number, value.value});
    if (value.overlapped) ++series.overlapped;
  }
  std::vector<Series> list;
  for (auto& [name, series] : all) list.push_back(std::move(series));
  return list;
}

/// Whether some headline was measured at a value of this field.
bool IsVaried(const std::string& field, const std::vector<Value>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& value) { return value.at.contains(field); });
}

// ---- rows of series

/// One column of a series of one permutation: how it goes with the rows.
struct RowSeries {
  std::string by;  ///< what identifies a row: "size"
  Series series;
};

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

/// The series of a run whose name, or whose column, is `y` (empty: all). A row is its mean over the
/// jobs that count; rows at 0 or less, such as messages of no bytes, are passed over, as they have
/// no place among sizes.
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

/// Of `rows` those by `x`; empty: by the only column there is. `fields` are what `x` could have
/// meant else, for the error.
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

}  // namespace

Result<std::vector<Series>> SeriesOfRun(RunSource& source, const std::string& run,
                                        const Wanted& wanted) {
  const auto values = ValuesOf(source, run, wanted.y);
  if (!values.ok()) return values.status();
  const std::vector<std::string> fields = SizeFields(*values);
  if (wanted.x.empty() && fields.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--x: which one of ", absl::StrJoin(fields, ", "), "?"));
  }
  const std::string x = wanted.x.empty() && !fields.empty() ? fields[0] : wanted.x;
  if (IsVaried(x, *values)) return HeadlinesBy(x, run, *values);
  auto rows = RowsOfRun(source, run, wanted.y);
  if (!rows.ok()) return rows.status();
  if (!values->empty() || !rows->empty()) return RowsBy(x, *std::move(rows), fields);
  return absl::NotFoundError(absl::StrCat(
      "run '", run, "' has no value of ",
      wanted.y.empty() ? "any headline or series"
                       : absl::StrCat("a headline '", wanted.y, "', nor a series of that name")));
}

}  // namespace twofold::cli
