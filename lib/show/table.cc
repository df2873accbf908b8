#include "lib/show/table.h"

#include <algorithm>
#include <cstddef>

#include "lib/common/printable.h"

namespace twofold::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::size_t Width(const Rows& rows, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.at(column).size());
  return width;
}

bool IsNumeric(const Rows& rows, std::size_t column) {
  return rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
           const std::string& cell = row.at(column);
           return !cell.empty() && cell.find_first_not_of("0123456789.-") == std::string::npos;
         });
}

// One line each, whoever has written it: a line end in a name would be a row that is none.
Rows Clean(Rows rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell, cell.size());
  }
  return rows;
}

}  // namespace

std::string Table(const Rows& given) {
  const Rows rows = Clean(given);
  std::vector<std::string> lines(rows.size());
  for (std::size_t column = 0; !rows.empty() && column < rows.front().size(); ++column) {
    const std::size_t width = Width(rows, column);
    const bool right = IsNumeric(rows, column);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string& cell = rows[i].at(column);
      const std::string blanks(width - cell.size(), ' ');
      if (column > 0) lines[i] += "  ";
      lines[i] += right ? blanks + cell : cell + blanks;
    }
  }
  std::string text;
  for (std::string& line : lines) text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace twofold::cli
