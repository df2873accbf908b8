#pragma once

#include <string>
#include <vector>

namespace twofold::cli {

/// Rows of text in columns, two blanks apart; the first row is the heading. Columns whose cells are
/// all numbers are aligned to the right. Ends with a line break.
std::string Table(const std::vector<std::vector<std::string>>& rows);

/// A cell is never empty: "-" stands for nothing.
inline std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace twofold::cli
