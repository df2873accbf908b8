#include "lib/suite/csv.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// RFC 4180.
std::string Cell(std::string_view text) {
  const std::string cell(text);
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return absl::StrCat("\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\"");
}

std::string Text(const Dimensions& dimensions) {
  return absl::StrJoin(dimensions, " ", absl::PairFormatter("="));
}

std::string Row(std::string_view source, const Measurement& one) {
  return absl::StrCat(Cell(source), ",", Cell(one.name), ",", NumberText(one.value), ",",
                      Cell(one.unit), ",", Word(one.better), ",", one.headline ? "1" : "0", ",",
                      Cell(Text(one.dimensions)), ",", Cell(Text(one.at)), "\n");
}

Measurement CellOf(const Series& series, const std::vector<double>& row, std::size_t column) {
  Measurement cell{series.columns[column].name,   row[column], series.columns[column].unit,
                   series.columns[column].better, false,       series.dimensions};
  cell.dimensions.emplace_back(series.columns[0].name, NumberText(row[0]));
  return cell;
}

}  // namespace

std::string CsvHeading() { return "source,name,value,unit,better,headline,dimensions,at\n"; }

std::string CsvRows(std::string_view source, const Measurements& result) {
  std::string text;
  for (const Measurement& one : result.measurements) text += Row(source, one);
  for (const Series& series : result.series) {
    for (const auto& row : series.rows) {
      for (std::size_t column = 1; column < row.size(); ++column) {
        text += Row(source, CellOf(series, row, column));
      }
    }
  }
  return text;
}

}  // namespace twofold::suite
