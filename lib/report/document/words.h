#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/report/document/document.h"

/// What all forms of a document have in common.
namespace twofold::report {

inline constexpr std::size_t kLongestParagraph = 4000;  ///< bytes

/// With at most kMostRows rows; the caption says how many more there are.
Table Shown(const Table& table);

/// At most kLongestCode bytes; a last line says how many more there are.
std::string Shown(const Code& code);

/// Without their ends.
std::vector<std::string> Lines(const std::string& text);

/// Of each column whether all of its cells beneath the heading are numbers ("12.3", "4 ms", "-").
std::vector<bool> NumericColumns(const show::Rows& rows);

/// Up to and with the first ". ", and what comes after it.
std::pair<std::string, std::string> FirstSentence(const std::string& text);

}  // namespace twofold::report
