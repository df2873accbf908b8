#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <map>
#include <set>
#include <utility>

#include "cli/scaling/series.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"

namespace twofold::cli {
namespace {

using Fields = std::map<std::string, std::string>;

/// One value of a headline, and all that it was measured at.
struct Value {
  std::string headline;
  std::string unit;
  bool more_is_better = false;
  Fields at;
  double value = 0.0;
};

Fields FieldsOf(const Json& varied) {
  Fields fields;
  if (!varied.is_object()) return fields;
  for (const auto& [name, value] : varied.items()) fields[name] = show::Text(value);
  return fields;
}

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
  if (!values.empty()) return values;
  return absl::NotFoundError(absl::StrCat(
      "run '", run, "' has no value of ",
      headline.empty() ? "any headline" : absl::StrCat("a headline '", headline, "'")));
}

bool IsNumber(const std::string& text) {
  double number = 0.0;
  return absl::SimpleAtod(text, &number);
}

/// The only field whose values are numbers and differ.
Result<std::string> SizeField(const std::vector<Value>& values) {
  std::map<std::string, std::set<std::string>> seen;
  for (const Value& value : values) {
    for (const auto& [name, text] : value.at) seen[name].insert(text);
  }
  std::vector<std::string> candidates;
  for (const auto& [name, texts] : seen) {
    bool numbers = texts.size() > 1;
    for (const std::string& text : texts) numbers = numbers && IsNumber(text);
    if (numbers) candidates.push_back(name);
  }
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty()) {
    return absl::InvalidArgumentError("--x: nothing that is a number is varied in this run");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--x: which one of ", absl::StrJoin(candidates, ", "), "?"));
}

/// "throughput direction=forward": all but the size.
std::string NameOf(const Value& value, const std::string& x) {
  std::string name = value.headline;
  for (const auto& [field, text] : value.at) {
    if (field != x) absl::StrAppend(&name, " ", field, "=", text);
  }
  return name;
}

}  // namespace

Result<std::vector<Series>> SeriesOfRun(RunSource& source, const std::string& run,
                                        const Wanted& wanted) {
  const auto values = ValuesOf(source, run, wanted.y);
  if (!values.ok()) return values.status();
  const Result<std::string> x =
      wanted.x.empty() ? SizeField(*values) : Result<std::string>(wanted.x);
  if (!x.ok()) return x.status();
  std::map<std::string, Series> all;
  for (const Value& value : *values) {
    const auto size = value.at.find(*x);
    double number = 0.0;
    if (size == value.at.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--x: '", Printable(*x, 80), "' is not varied at '", NameOf(value, *x), "' of this run"));
    }
    if (!absl::SimpleAtod(size->second, &number)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--x: ", Printable(*x, 80), "=", Printable(size->second, 80), " is not a number"));
    }
    const std::string name = NameOf(value, *x);
    Series& series = all.try_emplace(name, Series{run, name, *x, value.unit}).first->second;
    series.more_is_better = value.more_is_better;
    series.points.push_back({number, value.value});
  }
  std::vector<Series> list;
  for (auto& [name, series] : all) list.push_back(std::move(series));
  return list;
}

}  // namespace twofold::cli
