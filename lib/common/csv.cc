#include "lib/common/csv.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <utility>

#include "lib/common/printable.h"

namespace twofold {
namespace {

/// Reads records one after the other.
class Records {
 public:
  explicit Records(const std::string& text) : text_(text) {}

  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  /// Skips what counts for nothing.
  void SkipIdle() {
    while (!AtEnd() && (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#')) {
      while (!AtEnd() && text_[at_] != '\n') ++at_;
      if (!AtEnd()) EndLine();
    }
  }

  Result<std::vector<std::string>> Next() {
    std::vector<std::string> fields;
    for (;;) {
      auto field = Field();
      if (!field.ok()) return field.status();
      fields.push_back(*std::move(field));
      if (AtEnd()) return fields;
      const char after = text_[at_];
      if (after == '\n') {
        EndLine();
        return fields;
      }
      ++at_;  // the comma
    }
  }

 private:
  Result<std::string> Field() {
    std::string field;
    if (AtEnd() || text_[at_] != '"') {
      while (!AtEnd() && text_[at_] != ',' && text_[at_] != '\n') field += text_[at_++];
      if (!field.empty() && field.back() == '\r') field.pop_back();
      return field;
    }
    const std::size_t begun = line_;
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        if (!AtEnd() && text_[at_] == '\r') ++at_;
        if (AtEnd() || text_[at_] == ',' || text_[at_] == '\n') return field;
        return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": text after a quote"));
      }
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    return absl::InvalidArgumentError(absl::StrCat("line ", begun, ": a quote does not end"));
  }

  void EndLine() {
    ++at_;
    ++line_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Result<Csv> Csv::Parse(const std::string& text) {
  Records records(text);
  Csv csv;
  for (records.SkipIdle(); !records.AtEnd(); records.SkipIdle()) {
    const std::size_t line = records.line();
    auto fields = records.Next();
    if (!fields.ok()) return fields.status();
    if (csv.columns.empty()) {
      csv.columns = *std::move(fields);
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

}  // namespace twofold
