#include "cli/results/series_table.h"

#include <absl/strings/str_cat.h>

#include <iostream>
#include <string>
#include <utility>

#include "lib/show/message.h"

namespace twofold::cli {
namespace {

using show::Json;

constexpr const char* kKind = "series name unit";  // whose numbers are written alike

const show::Columns kForPeople = {
    {"PERMUTATION", "permutation"},
    {.heading = "VARIED", .path = "varied", .if_any = true},
    {"SERIES", "series dimensions"},
    {"ROW", "row"},
    {"COLUMN", "name"},
    {"N", "n"},
    {.heading = "MEAN", .path = "mean", .kind = kKind},
    {.heading = "+-", .path = "half_width", .digits = 3, .kind = kKind},
    {.heading = "LEAST", .path = "least", .kind = kKind},
    {.heading = "MOST", .path = "most", .kind = kKind},
    {"UNIT", "unit"}};

const show::Columns& ForCsv() {
  static const show::Columns columns = [] {
    show::Columns made;
    for (const char* name :
         {"run", "permutation", "varied", "series", "dimensions", "by", "by_unit", "at", "name",
          "unit", "better", "n", "mean", "half_width", "least", "most"}) {
      made.push_back({.heading = "", .path = name});
    }
    return made;
  }();
  return columns;
}

/// "size=1024"
std::string RowText(const Json& by, const Json& at) {
  return absl::StrCat(show::Text(by["name"]), "=", show::Text(at));
}

Json RowsOf(const std::string& run, const Json& permutation) {
  Json rows = Json::array();
  if (!permutation.contains("series")) return rows;
  for (const Json& series : permutation["series"]) {
    const Json common = {{"run", run},
                         {"permutation", permutation["permutation"]},
                         {"varied", permutation["varied"]},
                         {"series", series["name"]},
                         {"dimensions", series["dimensions"]},
                         {"by", series["by"]["name"]},
                         {"by_unit", series["by"]["unit"]},
                         {"name", series["value"]["name"]},
                         {"unit", series["value"]["unit"]},
                         {"better", series["value"]["better"]}};
    for (const Json& point : series["points"]) {
      Json row = common;
      row.update(point);
      row["row"] = RowText(series["by"], point["at"]);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

SeriesTable::SeriesTable(const v1::Run& run, show::Form form) : run_(run.id()), form_(form) {
  if (form_ == show::Form::kCsv) std::cout << show::CsvHeading(ForCsv());
}

void SeriesTable::Add(const v1::PermutationResult& result) {
  left_out_ += result.series_values_left_out();
  Json rows = RowsOf(run_, show::ToJson(result));
  if (form_ == show::Form::kCsv) {
    std::cout << show::CsvLines(ForCsv(), rows);
  } else {
    for (Json& row : rows) rows_.push_back(std::move(row));
  }
}

void SeriesTable::Finish(bool all) const {
  if (!all || form_ == show::Form::kCsv) return;
  std::cout << show::Print(form_, kForPeople, rows_);
  if (left_out_ > 0) std::cout << left_out_ << " values had no room and are in no row\n";
}

}  // namespace twofold::cli
