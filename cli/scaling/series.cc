#include "cli/scaling/series.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/common/csv.h"
#include "lib/common/printable.h"
#include "twofold/v1/validation.pb.h"

namespace twofold::cli {
namespace {

/// What a CSV calls its sizes if nobody says so.
constexpr const char* kSizeColumns[] = {"workers", "nodes", "ranks", "size"};

Result<std::string> SizeColumn(const Csv& csv, const Wanted& wanted) {
  if (!wanted.x.empty()) return wanted.x;
  for (const char* name : kSizeColumns) {
    if (csv.Column(name).ok()) return name;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--x: which column has the size? There is ", absl::StrJoin(csv.columns, ", ")));
}

Result<double> NumberAt(const Csv& csv, std::size_t row, std::size_t column) {
  double number = 0.0;
  std::string text = csv.rows[row][column];
  // Where fields are separated by semicolons, decimals are by a comma: 9,9.
  if (csv.separator == ';' && text.find('.') == std::string::npos) {
    std::replace(text.begin(), text.end(), ',', '.');
  }
  if (absl::SimpleAtod(text, &number) && std::isfinite(number)) return number;
  return absl::InvalidArgumentError(absl::StrCat("line ", csv.lines[row], ": column '",
                                                 Printable(csv.columns[column], 80), "': '",
                                                 Printable(text, 80), "' is not a number"));
}

/// Where the columns are that are asked for.
struct Places {
  std::size_t x = 0;
  std::size_t y = 0;
  std::vector<std::size_t> by;
};

Result<Places> FindPlaces(const Csv& csv, const Wanted& wanted, const std::string& size) {
  if (wanted.y.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--y: which column has the values? There is ",
                                                   absl::StrJoin(csv.columns, ", ")));
  }
  Places places;
  const auto find = [&](const char* option, const std::string& name) -> Result<std::size_t> {
    auto place = csv.Column(name);
    if (place.ok()) return place;
    return absl::InvalidArgumentError(absl::StrCat(option, ": ", place.status().message()));
  };
  const auto x = find("--x", size);
  if (!x.ok()) return x.status();
  const auto y = find("--y", wanted.y);
  if (!y.ok()) return y.status();
  places.x = *x;
  places.y = *y;
  for (const std::string& name : wanted.by) {
    const auto by = find("--by", name);
    if (!by.ok()) return by.status();
    places.by.push_back(*by);
  }
  return places;
}

Result<std::vector<Series>> OfCsv(const std::string& source, const std::string& text,
                                  const Wanted& wanted) {
  const auto csv = Csv::Parse(text);
  if (!csv.ok()) return csv.status();
  const auto size = SizeColumn(*csv, wanted);
  if (!size.ok()) return size.status();
  const auto places = FindPlaces(*csv, wanted, *size);
  if (!places.ok()) return places.status();
  std::map<std::string, Series> all;
  for (std::size_t row = 0; row < csv->rows.size(); ++row) {
    const auto x = NumberAt(*csv, row, places->x);
    if (!x.ok()) return x.status();
    const auto y = NumberAt(*csv, row, places->y);
    if (!y.ok()) return y.status();
    std::vector<std::string> names;
    for (const std::size_t by : places->by) names.push_back(csv->rows[row][by]);
    const std::string name = names.empty() ? wanted.y : absl::StrJoin(names, " ");
    Series& series = all.try_emplace(name, Series{source, name, *size}).first->second;
    series.more_is_better = wanted.more_is_better;
    series.points.push_back({*x, *y});
  }
  std::vector<Series> list;
  for (auto& [name, series] : all) list.push_back(std::move(series));
  return list;
}

/// Each window is an observation with the error that it states.
Result<std::vector<Series>> OfValidation(const std::string& source, const std::string& text) {
  v1::ValidationRecord record;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &record, options);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("not the JSON of a validation: ", std::string(parsed.message())));
  }
  Series series{source, "throughput", "workers", "1/s"};
  series.more_is_better = true;
  for (const v1::ValidationWindow& window : record.windows()) {
    if (!window.error().empty() || window.throughput() <= 0.0) continue;
    series.points.push_back(
        {static_cast<double>(window.workers()), window.throughput(), window.log_error()});
  }
  if (series.points.empty()) {
    return absl::InvalidArgumentError("a JSON without `windows` that have a throughput");
  }
  return std::vector<Series>{std::move(series)};
}

}  // namespace

Result<std::vector<Series>> SeriesOfText(const std::string& source, const std::string& text,
                                         const Wanted& wanted) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  auto all = json ? OfValidation(source, text) : OfCsv(source, text, wanted);
  if (all.ok()) return all;
  return absl::InvalidArgumentError(absl::StrCat(source, ": ", all.status().message()));
}

}  // namespace twofold::cli
