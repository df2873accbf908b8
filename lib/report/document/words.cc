#include "lib/report/document/words.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <array>
#include <variant>

#include "lib/common/printable.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

bool IsNumberCell(std::string_view cell) {
  if (cell == "-") return true;
  const std::string_view number = cell.substr(0, cell.find(' '));
  return number.find_first_of("0123456789") <= 1 &&
         number.find_first_not_of("0123456789.-+e") == std::string_view::npos &&
         std::count(cell.begin(), cell.end(), ' ') <= 1;
}

show::Json JsonOf(const show::Rows& rows) {
  show::Json list = show::Json::array();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    show::Json row = show::Json::object();
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      row[std::to_string(column)] = Printable(rows[i][column], kLongestText);
    }
    list.push_back(std::move(row));
  }
  return list;
}

show::Columns ColumnsOf(const std::vector<std::string>& headings) {
  show::Columns columns;
  for (const std::string& heading : headings) {
    columns.push_back({.heading = heading, .path = std::to_string(columns.size())});
  }
  return columns;
}

/// `text` on one line, cut off after `most` bytes.
std::string InForm(show::Form form, const std::string& text, std::size_t most) {
  const std::string line = Printable(text, most);
  return form == show::Form::kMarkdown ? show::MarkdownText(line) : line;
}

/// A block in words.
struct WordsBlock {
  show::Form form;

  [[nodiscard]] bool markdown() const { return form == show::Form::kMarkdown; }

  std::string operator()(const Paragraph& paragraph) const {
    return absl::StrCat(InForm(form, paragraph.text, kLongestParagraph), "\n\n");
  }

  std::string operator()(const Facts& facts) const {
    std::string lines;
    for (const auto& [term, value] : facts.rows) {
      if (value.empty()) continue;
      absl::StrAppend(&lines, markdown() ? "- " : "", InForm(form, term, kLongestText), ": ",
                      InForm(form, value, kLongestParagraph), "\n");
    }
    return lines.empty() ? "" : lines + "\n";
  }

  std::string operator()(const Table& table) const {
    if (table.rows.size() < 2) return "";
    const Table shown = Shown(table);
    return absl::StrCat(InForm(form, shown.caption, kLongestText), markdown() ? "\n\n" : "\n",
                        show::Print(form, ColumnsOf(shown.rows[0]), JsonOf(shown.rows)), "\n");
  }

  std::string operator()(const Code& code) const {
    std::string lines = absl::StrCat(InForm(form, code.title, kLongestText), "\n\n");
    for (const std::string& line : Lines(Shown(code))) {
      absl::StrAppend(&lines, "    ", Printable(line, kLongestCode), "\n");
    }
    return lines + "\n";
  }

  std::string operator()(const Picture&) const { return ""; }
};

}  // namespace

Table Shown(const Table& table) {
  if (table.rows.size() <= kMostRows + 1) return table;
  return {absl::StrCat(table.caption, ": the first ", kMostRows, " of ", table.rows.size() - 1),
          show::Rows(table.rows.begin(),
                     table.rows.begin() + static_cast<std::ptrdiff_t>(kMostRows) + 1)};
}

std::string Shown(const Code& code) {
  if (code.text.size() <= kLongestCode) return code.text;
  return absl::StrCat(code.text.substr(0, kLongestCode), "\n... ", code.text.size() - kLongestCode,
                      " more bytes");
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
}

std::vector<bool> NumericColumns(const show::Rows& rows) {
  std::vector<bool> numeric(rows.empty() ? 0 : rows[0].size(), rows.size() > 1);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t column = 0; column < numeric.size(); ++column) {
      if (!IsNumberCell(rows[i].at(column))) numeric[column] = false;
    }
  }
  return numeric;
}

std::pair<std::string, std::string> FirstSentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  if (end == std::string::npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 2)};
}

show::Json ToJson(const Document& document) {
  constexpr std::array<const char*, 4> kOutcomes = {"none", "pass", "fail", "open"};
  const auto outcome = [&](Tone tone) { return kOutcomes.at(static_cast<std::size_t>(tone)); };
  show::Json checks = show::Json::array();
  for (const Check& check : document.checks) {
    checks.push_back(
        {{"name", check.name}, {"outcome", outcome(check.tone)}, {"message", check.message}});
  }
  show::Json measures = show::Json::array();
  for (const Measure& measure : document.measures) {
    show::Json labels = show::Json::object();
    for (const auto& [name, value] : measure.labels) labels[name] = value;
    measures.push_back({{"name", measure.name},
                        {"unit", measure.unit},
                        {"labels", std::move(labels)},
                        {"value", measure.value}});
  }
  return {{"title", document.title},
          {"verdict", document.verdict},
          {"outcome", outcome(document.tone)},
          {"checks", std::move(checks)},
          {"measures", std::move(measures)}};
}

std::vector<const Picture*> PicturesOf(const Document& document) {
  std::vector<const Picture*> pictures;
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* picture = std::get_if<Picture>(&block)) pictures.push_back(picture);
    }
  }
  return pictures;
}

std::string ToWords(const Document& document, show::Form form) {
  const bool markdown = form == show::Form::kMarkdown;
  std::string text =
      absl::StrCat(markdown ? "# " : "", InForm(form, document.title, kLongestText), "\n\n",
                   markdown ? "**" : "", InForm(form, document.verdict, kLongestParagraph),
                   markdown ? "**" : "", "\n\n");
  for (const Section& section : document.sections) {
    std::string blocks;
    for (const Block& block : section.blocks) blocks += std::visit(WordsBlock{form}, block);
    if (blocks.empty()) continue;
    const std::string title = InForm(form, section.title, kLongestText);
    absl::StrAppend(&text, markdown ? "## " : "--- ", title, "\n\n", blocks);
  }
  text.pop_back();  // the last blank line
  return text;
}

}  // namespace twofold::report
