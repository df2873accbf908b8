#include "lib/show/numbers.h"

#include <utility>

#include "lib/common/printable.h"
#include "lib/show/message.h"

namespace twofold::show {
namespace {

Json RowsOf(const v1::Series& series) {
  Json rows = Json::array();
  for (int i = 0; i < series.values_size(); ++i) {
    if (i % series.columns_size() == 0) rows.push_back(Json::array());
    rows.back().push_back(series.values(i));
  }
  return rows;
}

/// The number that a row of a series has in a column.
Json CellOf(const Json& series, const Json& row, std::size_t column) {
  Json cell = series["columns"][column];
  cell["value"] = row[column];
  cell["headline"] = false;
  cell["dimensions"] = series["dimensions"];
  const std::string goes_by = series["columns"][0]["name"];
  cell["dimensions"][goes_by] = NumberText(row[0]);
  return cell;
}

}  // namespace

Json NumbersOf(const v1::BenchmarkResult& result) {
  Json all_series = Json::array();
  for (const v1::Series& series : result.series()) {
    Json& shown = all_series.emplace_back(ToJson(series));
    shown.erase("values");
    shown["rows"] = RowsOf(series);
  }
  return {{"tool", result.tool()},
          {"measurements", ListOf(result.measurements())},
          {"series", std::move(all_series)},
          {"failures", ListOf(result.failures())}};
}

Json NumberRows(const std::string& source, const Json& numbers) {
  Json rows = numbers["measurements"];
  for (const Json& series : numbers["series"]) {
    for (const Json& row : series["rows"]) {
      for (std::size_t column = 1; column < row.size(); ++column) {
        rows.push_back(CellOf(series, row, column));
      }
    }
  }
  for (Json& row : rows) row["source"] = source;
  return rows;
}

const Columns& NumberColumns() {
  static const Columns columns = {{"", "source"},     {"", "name"},   {"", "value"},
                                  {"", "unit"},       {"", "better"}, {"", "headline"},
                                  {"", "dimensions"}, {"", "at"}};
  return columns;
}

}  // namespace twofold::show
