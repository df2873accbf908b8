#include "lib/report/figure.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/panel.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

constexpr double kMargin = 8;
constexpr double kTitleSize = 16;
constexpr double kTitleLine = 22;
constexpr double kTextSize = 12;
constexpr double kTextLine = 17;
constexpr double kBetweenRows = 8;
constexpr std::size_t kLongestDescription = 8000;

/// A row of panels with the room that its words take.
struct Row {
  std::vector<PanelDrawing> panels;
  std::vector<double> widths;
  double head = 0.0;
  double foot = 0.0;
};

Row RowOf(const std::vector<Panel>& panels, double width) {
  Row row;
  const double shares =
      std::accumulate(panels.begin(), panels.end(), 0.0,
                      [](double sum, const auto& each) { return sum + each.share; });
  for (const Panel& panel : panels) {
    row.widths.push_back((width - 2 * kMargin) * panel.share / shares);
    row.panels.emplace_back(panel, row.widths.back());
    row.head = std::max(row.head, row.panels.back().head());
    row.foot = std::max(row.foot, row.panels.back().foot());
  }
  return row;
}

/// A figure with the place of all its parts.
struct Layout {
  std::vector<std::string> title;
  std::vector<std::string> lines;
  std::vector<Row> rows;
  Size size;
};

Layout LayoutOf(const Figure& figure) {
  Layout layout;
  const double width = figure.width - 2 * kMargin - 8;
  layout.title = Wrapped(figure.title, width, kTitleSize, true);
  for (const std::string& text : figure.lines) {
    for (std::string& line : Wrapped(text, width, kTextSize))
      layout.lines.push_back(std::move(line));
  }
  double height = 2 * kMargin + static_cast<double>(layout.title.size()) * kTitleLine +
                  static_cast<double>(layout.lines.size()) * kTextLine;
  for (const auto& panels : figure.rows) {
    layout.rows.push_back(RowOf(panels, figure.width));
    height +=
        layout.rows.back().head + figure.panel_height + layout.rows.back().foot + kBetweenRows;
  }
  layout.size = {figure.width, height};
  return layout;
}

/// What the figure shows, for those who cannot see it.
std::string DescriptionOf(const Figure& figure) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) absl::StrAppend(&text, text.empty() ? "" : "; ", part);
  };
  for (const std::string& line : figure.lines) add(line);
  for (const auto& row : figure.rows) {
    for (const Panel& panel : row) add(panel.title);
  }
  return text;
}

std::string Begin(const Figure& figure, const Size& size) {
  const std::string box = absl::StrCat(Px(size.width), " ", Px(size.height));
  return absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", box, "\" width=\"",
      Px(size.width), "\" height=\"", Px(size.height),
      "\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
      "sans-serif\" font-size=\"11\">\n<title>",
      Escaped(figure.title), "</title>\n<desc>",
      Escaped(DescriptionOf(figure), kLongestDescription), "</desc>\n<rect width=\"",
      Px(size.width), "\" height=\"", Px(size.height), "\" fill=\"#ffffff\"/>\n");
}

}  // namespace

Size SizeOf(const Figure& figure) { return LayoutOf(figure).size; }

std::string ToSvg(const Figure& figure) {
  const Layout layout = LayoutOf(figure);
  std::string svg = Begin(figure, layout.size);
  double y = kMargin;
  for (const std::string& line : layout.title) {
    svg += TextElement(kMargin + 8, y + kTitleSize, line,
                       {.size = kTitleSize, .fill = "#1f2933", .bold = true});
    y += kTitleLine;
  }
  for (const std::string& line : layout.lines) {
    svg += TextElement(kMargin + 8, y + kTextSize, line, {.size = kTextSize});
    y += kTextLine;
  }
  for (const Row& row : layout.rows) {
    const double top = y + row.head;
    const double bottom = top + figure.panel_height;
    double left = kMargin;
    for (std::size_t i = 0; i < row.panels.size(); ++i) {
      svg += "<g>\n" + row.panels[i].Draw(left, top, bottom) + "</g>\n";
      left += row.widths[i];
    }
    y = bottom + row.foot + kBetweenRows;
  }
  return svg + "</svg>\n";
}

}  // namespace twofold::report
