#include <absl/strings/str_cat.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/report/document/document.h"
#include "lib/report/document/style.h"
#include "lib/report/document/words.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

constexpr const char* ClassOf(Tone tone) {
  constexpr std::array<const char*, 4> kClasses = {"", " good", " bad", " open"};
  return kClasses.at(static_cast<std::size_t>(tone));
}

std::string Element(const std::string& name, std::string_view text, std::size_t most) {
  return absl::StrCat("<", name, ">", Escaped(text, most), "</", name, ">\n");
}

/// What may be wider than the page scrolls by itself, also with the keyboard.
std::string Scrolling(std::string_view label, const std::string& inside) {
  return absl::StrCat("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"",
                      Escaped(label), "\">\n", inside, "</div>\n");
}

std::string HtmlRow(const std::vector<std::string>& cells, const std::vector<bool>& numeric,
                    bool heading) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool title = heading || i == 0;
    absl::StrAppend(
        &row, title ? "<th scope=\"" : "<td", title ? (heading ? "col\"" : "row\"") : "",
        numeric[i] ? " class=\"number\">" : ">", Escaped(cells[i]), title ? "</th>" : "</td>");
  }
  return absl::StrCat(row, "</tr>\n");
}

/// A block as HTML.
struct HtmlBlock {
  std::string operator()(const Paragraph& paragraph) const {
    return Element("p", paragraph.text, kLongestParagraph);
  }

  std::string operator()(const Facts& facts) const {
    std::string list;
    for (const auto& [term, value] : facts.rows) {
      if (value.empty()) continue;
      absl::StrAppend(&list, "<dt>", Escaped(term), "</dt><dd>", Escaped(value, kLongestParagraph),
                      "</dd>\n");
    }
    return list.empty() ? "" : absl::StrCat("<dl>\n", list, "</dl>\n");
  }

  std::string operator()(const Table& table) const {
    if (table.rows.empty()) return "";
    const Table shown = Shown(table);
    const std::vector<bool> numeric = NumericColumns(shown.rows);
    std::string rows =
        absl::StrCat("<table>\n<caption>", Escaped(shown.caption), "</caption>\n<thead>\n",
                     HtmlRow(shown.rows[0], numeric, true), "</thead>\n<tbody>\n");
    for (std::size_t i = 1; i < shown.rows.size(); ++i) {
      rows += HtmlRow(shown.rows[i], numeric, false);
    }
    return Scrolling(shown.caption, rows + "</tbody>\n</table>\n");
  }

  std::string operator()(const Code& code) const {
    std::string lines;
    for (const std::string& line : Lines(Shown(code))) {
      absl::StrAppend(&lines, Escaped(line, kLongestCode), "\n");
    }
    return absl::StrCat("<details open>\n<summary>", Escaped(code.title), "</summary>\n",
                        "<pre tabindex=\"0\">", lines, "</pre>\n</details>\n");
  }

  std::string operator()(const Picture& picture) const {
    return absl::StrCat("<figure>\n", Scrolling(picture.figure.title, ToSvg(picture.figure)),
                        Element("figcaption", picture.caption, kLongestParagraph), "</figure>\n");
  }
};

std::string Head(const Document& document) {
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '",
      std::string(kStyleHash),
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n",
      Element("title", document.title, kLongestText), "<style>", std::string(kStyle),
      "</style>\n</head>\n");
}

std::string AnchorOf(std::size_t section) { return absl::StrCat("section-", section + 1); }

std::string Contents(const Document& document) {
  std::string list;
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    absl::StrAppend(&list, "<li><a href=\"#", AnchorOf(i), "\">",
                    Escaped(document.sections[i].title), "</a></li>\n");
  }
  return list.empty()
             ? ""
             : absl::StrCat("<nav aria-label=\"Sections\">\n<ul>\n", list, "</ul>\n</nav>\n");
}

std::string HtmlSection(const Section& section, const std::string& anchor) {
  std::string html = absl::StrCat("<section aria-labelledby=\"", anchor, "\">\n<h2 id=\"", anchor,
                                  "\">", Escaped(section.title), "</h2>\n");
  for (const Block& block : section.blocks) html += std::visit(HtmlBlock{}, block);
  return html + "</section>\n";
}

}  // namespace

std::string ToHtml(const Document& document) {
  std::string html = absl::StrCat(
      Head(document), "<body>\n<a class=\"skip\" href=\"#main\">Skip to the verdict</a>\n",
      "<header>\n", Element("h1", document.title, kLongestText), "</header>\n", Contents(document),
      "<main id=\"main\" tabindex=\"-1\">\n");
  const auto [first, rest] = FirstSentence(document.verdict);
  absl::StrAppend(&html, "<p class=\"verdict", ClassOf(document.tone), "\"><strong>",
                  Escaped(first, kLongestParagraph), "</strong>", Escaped(rest, kLongestParagraph),
                  "</p>\n");
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    html += HtmlSection(document.sections[i], AnchorOf(i));
  }
  return html +
         "</main>\n<footer class=\"soft\">Made by Twofold: this page asks no other host for "
         "anything.</footer>\n</body>\n</html>\n";
}

}  // namespace twofold::report
