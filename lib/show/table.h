#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// One way to show things to people and programs. What is shown is JSON (message.h makes it of
/// messages); columns say which of its values a table has. Pure.
namespace twofold::show {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

enum class Form : std::uint8_t {
  kText,      ///< a table for people
  kJson,      ///< one line
  kCsv,       ///< RFC 4180, numbers in full; texts as by CsvText
  kMarkdown,  ///< the table for people, to be pasted into a page
};

/// One column of a table.
///
/// `path` names the value: keys with dots between them ("counts.planned"). "a+b" is the sum of two,
/// where a map counts as the sum of its values and what is missing as 0; "a b" shows one after the
/// other. A path that ends in `_unix_seconds` is an instant, shown to people in UTC.
struct Column {
  std::string heading;  ///< for people
  std::string path;
  int decimals = -1;      ///< of a number, for people; -1: as Alike has them by `digits`
  int digits = 6;         ///< that count
  double scale = 1;       ///< for people: 100 for %
  bool if_any = false;    ///< only if it is neither empty nor 0 in all rows; people's forms only
  std::string name = "";  ///< in CSV; empty: the path
  /// For people: numbers of rows in which this path has another value are of another kind (their
  /// unit, say), and are written as if in a column of their own.
  std::string kind = "";
};
using Columns = std::vector<Column>;

/// `shown`, an object (one row) or a list of objects, in `form`. Ends with a line break.
std::string Print(Form form, const Columns& columns, const Json& shown);

/// The parts of CSV, for lists that come in pieces.
std::string CsvHeading(const Columns& columns);
std::string CsvLines(const Columns& columns, const Json& list);

/// Rows of text in columns, two blanks apart; the first row is the heading. Columns whose cells are
/// all numbers are aligned to the right. Control characters become blanks.
std::string Table(const Rows& rows);

/// `text` in Markdown as it is: marks, raw HTML, links and entities are escaped, and a bar does not
/// end a cell. Control characters become blanks.
std::string MarkdownText(const std::string& text);

/// `lines` of words, each with its line end, for the place beneath a table of `form`.
std::string Beneath(Form form, const std::string& lines);

/// The numbers of one column for people, all with one number of decimals: as many as one of them
/// needs to be shown with `digits` that count, but no more than the greatest has then, or the least
/// with three. So none of the least is lost, and the greatest seems no more exact than it is. What
/// would need more than nine decimals is each written as by Text. Nothing, or no number: "-".
std::vector<std::string> Alike(const std::vector<std::optional<double>>& numbers, int digits = 6);

/// One line of JSON with its line break. Bytes that are no UTF-8 are replaced.
std::string Line(const Json& json);

/// The text of one value: "9.31", "yes", "direction=reverse size=4"; a list has ", " between.
std::string Text(const Json& value);

/// A number for people: whole ones as they are, all else with so many digits that count.
std::string Text(double value, int digits = 6);

}  // namespace twofold::show
