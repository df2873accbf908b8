#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "lib/suite/text.h"

/// What parsers of several suites share: outputs that are told apart by their lines, and tables.
/// Pure. Views point into the text that was given.
namespace twofold::suite {

/// The name of a stage, or `otherwise` if it is not known.
std::string StageName(const StageOutput& output, std::string_view otherwise);

/// Whether `is` holds for one of the lines of `text`.
template <typename Is>
bool AnyLine(std::string_view text, Is&& is) {
  const auto lines = Lines(text);
  return std::any_of(lines.begin(), lines.end(), is);
}

/// Whether `word` is one of `words`, or `line` contains one of them.
bool IsOneOf(std::string_view word, std::span<const std::string_view> words);
bool HasAny(std::string_view line, std::span<const std::string_view> words);

/// The first line that contains one of `words`; empty: none does.
std::string_view LineWith(std::string_view text, std::span<const std::string_view> words);

/// What stands between separators: one field more than there are separators.
std::vector<std::string_view> SplitAt(char separator, std::string_view line);

/// A column of a table that a tool prints.
struct TableColumn {
  Column column;
  bool primary = false;  ///< the best value of it is a headline
};

/// What a heading of a tool means.
struct Heading {
  std::string_view text;
  const char* name;
  const char* unit;
  Better better;
  bool primary;

  [[nodiscard]] TableColumn ToColumn() const { return {{name, unit, better}, primary}; }
};

/// A table of a benchmark. Its first column is the message size in bytes, called "size"; a
/// benchmark without sizes has one row.
struct SizeTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<double>> rows;  ///< each as long as `columns`
};

/// Whether rows of size 0 can be the best: a message of no bytes is sent, and a collective of none
/// does nothing.
enum class Empty : std::uint8_t { kCounts, kDoesNotCount };

/// Adds what a table says: the best of each primary column ("peak_bandwidth", "min_latency") with
/// its size, and all rows as the series `name`; of a table without sizes its one row.
void AddTable(const std::string& name, const SizeTable& table, const Dimensions& dimensions,
              Empty empty, Measurements& result);

}  // namespace twofold::suite
