#include "lib/show/table.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/common/csv.h"
#include "lib/common/printable.h"
#include "lib/show/width.h"

namespace twofold::show {
namespace {

// ---- values

/// The value at `path`: keys with dots between them, where a key may have dots itself. Null: none.
const Json* Find(const Json& json, std::string_view path) {
  if (!json.is_object()) return nullptr;
  const auto whole = json.find(std::string(path));
  if (whole != json.end()) return &*whole;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1)) {
    const auto first = json.find(std::string(path.substr(0, dot)));
    if (first != json.end()) return Find(*first, path.substr(dot + 1));
  }
  return nullptr;
}

double NumberOf(const Json* value) {
  if (value == nullptr) return 0;
  if (value->is_number()) return value->get<double>();
  double sum = 0;
  if (value->is_object()) {
    for (const Json& each : *value) sum += NumberOf(&each);
  }
  return sum;
}

/// The parts of a path that has `between` in it; empty: it has not.
std::vector<std::string> PartsOf(const std::string& path, char between) {
  std::vector<std::string> parts;
  if (path.find(between) == std::string::npos) return parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(between, at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Json ValueOf(const Json& row, const std::string& path) {
  if (const Json* const found = Find(row, path)) return *found;
  const auto terms = PartsOf(path, '+');
  double sum = 0;
  for (const std::string& term : terms) sum += NumberOf(Find(row, term));
  if (!terms.empty()) return sum;
  std::vector<std::string> texts;
  for (const std::string& part : PartsOf(path, ' ')) {
    const Json* const found = Find(row, part);
    if (found != nullptr && !Text(*found).empty()) texts.push_back(Text(*found));
  }
  return texts.empty() ? Json() : Json(absl::StrJoin(texts, " "));
}

bool IsNothing(const Json& value) {
  if (value.is_number()) return value.get<double>() == 0;
  if (value.is_boolean()) return !value.get<bool>();
  return value.empty() || Text(value).empty();
}

// ---- cells

std::string Instant(double unix_seconds) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::UnixEpoch() + absl::Seconds(unix_seconds),
                          absl::UTCTimeZone());
}

// Of 10, so that a number has one digit before the point.
int ExponentOf(double number) {
  return static_cast<int>(std::floor(std::log10(std::fabs(number))));
}

int DecimalsFor(double number, int digits) { return std::max(0, digits - 1 - ExponentOf(number)); }

// Without zeros at the end.
int DecimalsNeeded(double number, int digits) {
  const std::string text = absl::StrFormat("%.*f", DecimalsFor(number, digits), number);
  const std::size_t point = std::min(text.find('.'), text.size() - 1);
  return static_cast<int>(std::max(text.find_last_not_of('0'), point) - point);
}

bool IsFinite(const std::optional<double>& number) { return number && std::isfinite(*number); }

// Of all of them; nullopt: each as it is.
std::optional<int> CommonDecimals(const std::vector<std::optional<double>>& numbers, int digits) {
  constexpr int kMost = 9;
  constexpr double kGreatest = 1e15;  // exact as a whole number
  constexpr int kOfTheLeast = 3;
  int needed = 0;
  double least = kGreatest;
  double greatest = 0;
  for (const std::optional<double>& number : numbers) {
    if (!IsFinite(number) || *number == 0) continue;
    needed = std::max(needed, DecimalsNeeded(*number, digits));
    least = std::min(least, std::fabs(*number));
    greatest = std::max(greatest, std::fabs(*number));
  }
  if (greatest == 0) return 0;
  if (greatest >= kGreatest) return std::nullopt;
  const int most =
      std::max(DecimalsFor(greatest, digits), DecimalsFor(least, std::min(digits, kOfTheLeast)));
  const int common = std::min(needed, most);
  return common <= kMost ? std::optional(common) : std::nullopt;
}

// Whether a number is written with the others of its kind in its column.
bool IsOneOfMany(const Column& column, const Json& value) {
  return value.is_number() && column.decimals < 0 && !column.path.ends_with("_unix_seconds");
}

// Of what is not one of many.
std::string CellForPeople(const Column& column, const Json& value) {
  const std::string text = Text(value);
  if (text.empty()) return "-";
  if (!value.is_number()) return text;
  if (column.path.ends_with("_unix_seconds")) return Instant(value.get<double>());
  return absl::StrFormat("%.*f", column.decimals, value.get<double>() * column.scale);
}

// Of one kind of numbers, whose rows `at` are. Whole ones may be ids, and have all their digits.
void WriteAlike(const Column& column, const std::vector<Json>& values,
                const std::vector<std::size_t>& at, std::vector<std::string>& cells) {
  const bool as_they_are = column.scale == 1 && std::none_of(at.begin(), at.end(), [&](auto i) {
                             return values[i].is_number_float();
                           });
  std::vector<std::optional<double>> numbers;
  for (const std::size_t i : at) numbers.emplace_back(values[i].get<double>() * column.scale);
  const std::vector<std::string> alike = Alike(numbers, column.digits);
  for (std::size_t n = 0; n < at.size(); ++n) {
    cells[at[n]] = as_they_are ? Text(values[at[n]]) : alike[n];
  }
}

std::vector<std::string> CellsForPeople(const Column& column, const Json& list) {
  std::vector<Json> values;
  std::vector<std::string> cells;
  std::map<std::string, std::vector<std::size_t>> kinds;  // rows of numbers
  for (const Json& row : list) {
    values.push_back(ValueOf(row, column.path));
    const bool is_one_of_many = IsOneOfMany(column, values.back());
    if (is_one_of_many) kinds[Text(ValueOf(row, column.kind))].push_back(cells.size());
    cells.push_back(is_one_of_many ? "" : CellForPeople(column, values.back()));
  }
  for (const auto& [kind, at] : kinds) WriteAlike(column, values, at, cells);
  return cells;
}

std::string CellForPrograms(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.is_number_float() ? NumberText(value.get<double>()) : CsvText(Text(value));
}

// ---- forms

std::string CsvLine(const std::vector<std::string>& cells) {
  return absl::StrCat(
      absl::StrJoin(cells, ",",
                    [](std::string* out, const std::string& cell) {
                      const bool bare = cell.find_first_of(",\"\r\n") == std::string::npos;
                      absl::StrAppend(
                          out, bare ? cell
                                    : absl::StrCat(
                                          "\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\""));
                    }),
      "\n");
}

bool IsShown(const Column& column, const Json& list) {
  return !column.if_any || std::any_of(list.begin(), list.end(), [&](const Json& row) {
    return !IsNothing(ValueOf(row, column.path));
  });
}

Rows RowsForPeople(const Columns& columns, const Json& list) {
  Rows rows(list.size() + 1);
  for (const Column& column : columns) {
    if (!IsShown(column, list)) continue;
    rows[0].push_back(column.heading);
    std::vector<std::string> cells = CellsForPeople(column, list);
    for (std::size_t i = 0; i < cells.size(); ++i) rows[i + 1].push_back(std::move(cells[i]));
  }
  return rows;
}

// One line each, whoever has written it: a line end in a name would be a row that is none.
Rows Clean(Rows rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell, cell.size());
  }
  return rows;
}

std::size_t Width(const Rows& rows, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.at(column).size());
  return width;
}

// ---- tables that fit a terminal

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastText = 24;  // ids stay whole

std::size_t g_most = 0;  // FitTables

std::size_t Width(const Rows& rows) {
  std::size_t sum = 0;
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    sum += (column == 0 ? 0 : kGap) + Width(rows, column);
  }
  return sum;
}

// Not within a character of UTF-8.
void Cut(std::string& cell, std::size_t width) {
  constexpr std::string_view kEnd = "..";
  if (cell.size() <= width) return;
  std::size_t end = width - kEnd.size();
  while (end > 0 && (static_cast<unsigned char>(cell[end]) & 0xC0) == 0x80) --end;
  cell.erase(end).append(kEnd);
}

// The widest column that cells can be cut in; 0: none.
std::size_t Widest(const Rows& rows) {
  std::size_t widest = 0;
  for (std::size_t column = 1; column < rows[0].size(); ++column) {
    const std::size_t width = Width(rows, column);
    if (width > kLeastText && (widest == 0 || width > Width(rows, widest))) widest = column;
  }
  return widest;
}

// Makes `rows` as narrow as `most`; the headings that are left out then.
std::vector<std::string> Fit(Rows& rows, std::size_t most) {
  for (std::size_t column = Widest(rows); column > 0 && Width(rows) > most; column = Widest(rows)) {
    const std::size_t width = Width(rows, column);
    const std::size_t less = std::min(Width(rows) - most, width - kLeastText);
    for (auto& row : rows) Cut(row[column], width - less);
  }
  std::vector<std::string> left_out;
  while (rows[0].size() > 1 && Width(rows) > most) {
    left_out.insert(left_out.begin(), rows[0].back());
    for (auto& row : rows) row.pop_back();
  }
  return left_out;
}

bool IsNumeric(const Rows& rows, std::size_t column) {
  return rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
           const std::string& cell = row.at(column);
           return !cell.empty() && cell.find_first_not_of("0123456789.-") == std::string::npos;
         });
}

bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

/// An underline inside a word emphasises nothing, so names such as pod_ready stay readable.
bool IsInsideWord(const std::string& text, std::size_t at) {
  return at > 0 && at + 1 < text.size() && IsLetterOrDigit(text[at - 1]) &&
         IsLetterOrDigit(text[at + 1]);
}

std::string MarkdownLine(const std::vector<std::string>& cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

std::string Markdown(Rows rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = MarkdownText(cell);
  }
  std::vector<std::string> rules;
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    rules.emplace_back(IsNumeric(rows, column) ? "---:" : "---");
  }
  rows.insert(rows.begin() + 1, std::move(rules));
  std::string text;
  for (const auto& row : rows) text += MarkdownLine(row);
  return text;
}

}  // namespace

std::string Print(Form form, const Columns& columns, const Json& shown) {
  if (form == Form::kJson) return Line(shown);
  const Json list = shown.is_array() ? shown : Json::array({shown});
  if (form == Form::kCsv) return CsvHeading(columns) + CsvLines(columns, list);
  const Rows rows = RowsForPeople(columns, list);
  return form == Form::kMarkdown ? Markdown(rows) : Table(rows);
}

std::string CsvHeading(const Columns& columns) {
  std::vector<std::string> cells;
  for (const Column& column : columns) {
    cells.push_back(CsvText(column.name.empty() ? column.path : column.name));
  }
  return CsvLine(cells);
}

std::string CsvLines(const Columns& columns, const Json& list) {
  std::string text;
  for (const Json& row : list) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      cells.push_back(CellForPrograms(ValueOf(row, column.path)));
    }
    text += CsvLine(cells);
  }
  return text;
}

void FitTables(std::size_t width) { g_most = width; }

std::string Table(const Rows& given) {
  Rows rows = Clean(given);
  const bool fits = g_most == 0 || rows.empty() || Width(rows) <= g_most;
  const auto left_out = fits ? std::vector<std::string>() : Fit(rows, g_most);
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
  if (!left_out.empty()) {
    absl::StrAppend(&text, "no place for ", absl::StrJoin(left_out, ", "), " (--wide)\n");
  }
  return text;
}

std::string MarkdownText(const std::string& text) {
  const std::string line = Printable(text, text.size());
  std::string escaped;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_mark = std::string_view("\\`*_<[&|~").find(line[i]) != std::string_view::npos;
    if (is_mark && !(line[i] == '_' && IsInsideWord(line, i))) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

std::string Beneath(Form form, const std::string& lines) {
  if (form != Form::kMarkdown) return lines;
  return absl::StrJoin(absl::StrSplit(lines, '\n'), "\n",
                       [](std::string* out, absl::string_view line) {
                         absl::StrAppend(out, MarkdownText(std::string(line)));
                       });
}

std::vector<std::string> Alike(const std::vector<std::optional<double>>& numbers, int digits) {
  const std::optional<int> decimals = CommonDecimals(numbers, digits);
  std::vector<std::string> texts;
  for (const std::optional<double>& number : numbers) {
    if (!number || std::isnan(*number)) {
      texts.emplace_back("-");
    } else if (!decimals || !IsFinite(number)) {
      texts.push_back(Text(*number, digits));
    } else {
      texts.push_back(absl::StrFormat("%.*f", *decimals, *number));
    }
  }
  return texts;
}

std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Text(double value, int digits) {
  const bool whole = std::trunc(value) == value && std::fabs(value) < 1e15;
  return whole ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.*g", digits, value);
}

std::string Text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return Text(value.get<double>());
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const Json& each : value) parts.push_back(Text(each));
    return absl::StrJoin(parts, ", ");
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [key, each] : value.items()) {
    parts.push_back(
        absl::StrCat(key, "=", each.is_string() ? each.get_ref<const std::string&>() : Line(each)));
    if (parts.back().ends_with('\n')) parts.back().pop_back();
  }
  return absl::StrJoin(parts, " ");
}

}  // namespace twofold::show
