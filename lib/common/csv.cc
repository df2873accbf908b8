#include "lib/common/csv.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "lib/common/printable.h"

namespace twofold {
namespace {

/// Whether a spreadsheet would run `text`, or would if it had fewer apostrophes in front: so an
/// apostrophe that was there before is not taken for that of CsvText.
bool BeginsAsFormula(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

bool IsNumber(const std::string& text) {
  double number = 0;
  return !absl::ascii_isspace(static_cast<unsigned char>(text.front())) &&
         absl::SimpleAtod(text, &number) && std::isfinite(number);
}

/// The text that CsvText has made a field of.
std::string TextOf(std::string field) {
  if (field.starts_with('\'') && BeginsAsFormula(field)) field.erase(0, 1);
  return field;
}

/// Reads records one after the other.
class Records {
 public:
  explicit Records(std::string_view text) : text_(text) {
    const auto said = SaidSeparator(text);
    separator_ = said ? *said : SeparatorOf(text);
    if (!said) return;
    at_ = kSaying.size() + 1;
    if (!AtEnd()) EndLine();
  }

  [[nodiscard]] char separator() const { return separator_; }

  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  /// Skips what counts for nothing.
  void SkipIdle() {
    while (!AtEnd() && (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#')) {
      while (!AtEnd() && !IsEnd(text_[at_])) ++at_;
      if (!AtEnd()) EndLine();
    }
  }

  Result<std::vector<std::string>> Next() {
    std::vector<std::string> fields;
    for (;;) {
      auto field = Field();
      if (!field.ok()) return field.status();
      fields.push_back(TextOf(*std::move(field)));
      if (AtEnd()) return fields;
      const char after = text_[at_];
      if (IsEnd(after)) {
        EndLine();
        return fields;
      }
      ++at_;  // the separator
    }
  }

 private:
  static bool IsEnd(char c) { return c == '\n' || c == '\r'; }

  // "sep=;" as the first line, which tells Excel what stands between fields.
  static constexpr std::string_view kSaying = "sep=";
  static std::optional<char> SaidSeparator(std::string_view text) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    const bool says = line.size() == kSaying.size() + 1 &&
                      absl::StartsWithIgnoreCase(std::string(line), std::string(kSaying));
    return says ? std::optional(line.back()) : std::nullopt;
  }

  // The one that the first line has outside of quotes; a comma comes first.
  static char SeparatorOf(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size() && (IsEnd(text[begin]) || text[begin] == '#')) {
      begin = std::min(text.find_first_of("\r\n", begin), text.size());
      while (begin < text.size() && IsEnd(text[begin])) ++begin;
    }
    std::string bare;
    bool quoted = false;
    for (std::size_t i = begin; i < text.size() && (quoted || !IsEnd(text[i])); ++i) {
      if (text[i] == '"') quoted = !quoted;
      if (!quoted) bare.push_back(text[i]);
    }
    for (const char separator : {',', ';', '\t'}) {
      if (bare.find(separator) != std::string::npos) return separator;
    }
    return ',';
  }

  Result<std::string> Field() {
    std::string field;
    while (!AtEnd() && text_[at_] == ' ') ++at_;
    if (AtEnd() || text_[at_] != '"') {
      while (!AtEnd() && text_[at_] != separator_ && !IsEnd(text_[at_])) field += text_[at_++];
      absl::StripTrailingAsciiWhitespace(&field);
      return field;
    }
    const std::size_t begun = line_;
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        while (!AtEnd() && text_[at_] == ' ') ++at_;
        if (AtEnd() || text_[at_] == separator_ || IsEnd(text_[at_])) return field;
        return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": text after a quote"));
      }
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    return absl::InvalidArgumentError(absl::StrCat("line ", begun, ": a quote does not end"));
  }

  // "\r\n" is one end.
  void EndLine() {
    at_ += text_.substr(at_).starts_with("\r\n") ? 2U : 1U;
    ++line_;
  }

  std::string_view text_;
  char separator_ = ',';
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

Status CheckColumns(const std::vector<std::string>& columns) {
  std::set<std::string> seen;
  for (const std::string& column : columns) {
    if (!column.empty() && !seen.insert(column).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("column '", Printable(column, 80), "' is there twice: rename one"));
    }
  }
  return absl::OkStatus();
}

bool IsEmpty(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](auto& field) { return field.empty(); });
}

}  // namespace

Result<Csv> Csv::Parse(const std::string& text) {
  if (ValidUtf8(text) < text.size() || text.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("is no UTF-8 text: save it as CSV in UTF-8");
  }
  Records records(WithoutByteOrderMark(text));
  Csv csv;
  csv.separator = records.separator();
  for (records.SkipIdle(); !records.AtEnd(); records.SkipIdle()) {
    const std::size_t line = records.line();
    auto fields = records.Next();
    if (!fields.ok()) return fields.status();
    if (IsEmpty(*fields)) continue;
    if (csv.columns.empty()) {
      csv.columns = *std::move(fields);
      if (Status status = CheckColumns(csv.columns); !status.ok()) return status;
      continue;
    }
    if (fields->size() != csv.columns.size()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", fields->size(),
                                                     " fields where the first line has ",
                                                     csv.columns.size()));
    }
    csv.rows.push_back(*std::move(fields));
    csv.lines.push_back(line);
  }
  if (csv.columns.empty()) return absl::InvalidArgumentError("no line that names columns");
  return csv;
}

Result<std::size_t> Csv::Column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  return absl::InvalidArgumentError(absl::StrCat("no column '", Printable(name, 80), "'; there is ",
                                                 absl::StrJoin(columns, ", ")));
}

std::string CsvText(const std::string& text) {
  return BeginsAsFormula(text) && !IsNumber(text) ? "'" + text : text;
}

}  // namespace twofold
