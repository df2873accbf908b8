#include "lib/report/sources/mean_lines.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/report/axis.h"
#include "lib/report/sources/parts.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostMarks = 20;
constexpr double kWideAxis = 16.0;  // ratio of its ends, from which on it is logarithmic
constexpr std::size_t kNameBytes = 40;

void AddLine(const MeanLine& of, Colour colour, Panel& panel) {
  Series line{.form = of.form, .name = of.name, .colour = colour};
  Series bars{.form = Form::kIntervals, .name = "", .colour = colour};
  for (const MeanAt& each : of.means) {
    line.data.push_back({each.x, each.mean});
    if (each.n < 2 || of.means.size() > kMostBars) continue;
    bars.data.push_back({each.x, each.mean - each.half_width, each.mean + each.half_width});
  }
  panel.series.insert(panel.series.end(), {std::move(bars), std::move(line)});
}

std::size_t DrawnOf(const std::vector<MeanLine>& lines) {
  return std::min(lines.size(), kMostLines);
}

}  // namespace

Panel LinePanel(const std::vector<MeanLine>& lines, Axis x, Axis y) {
  Panel panel{.x = std::move(x), .y = std::move(y)};
  std::vector<double> shown;
  for (std::size_t i = 0; i < DrawnOf(lines); ++i) {
    AddLine(lines[i], ColourOf(i), panel);
    for (const MeanAt& each : lines[i].means) {
      if (HasPlace(panel.x, each.x)) shown.push_back(each.mean);
    }
  }
  panel.y.logarithmic = IsWide(shown);
  const std::vector<double> xs = XsOf(lines);
  const std::set<double> marks(xs.begin(), xs.end());
  if (marks.size() <= kMostMarks) panel.x.marks.assign(marks.begin(), marks.end());
  if (DrawnOf(lines) < lines.size()) {
    panel.notes.push_back(
        absl::StrCat("of ", lines.size(), " lines the first ", DrawnOf(lines), " are drawn"));
  }
  return panel;
}

std::vector<double> XsOf(const std::vector<MeanLine>& lines) {
  std::vector<double> xs;
  for (std::size_t i = 0; i < DrawnOf(lines); ++i) {
    for (const MeanAt& each : lines[i].means) xs.push_back(each.x);
  }
  return xs;
}

std::string NOf(const std::vector<MeanLine>& lines) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (const MeanLine& line : lines) {
    for (const MeanAt& each : line.means) {
      least = std::min(least, each.n);
      most = std::max(most, each.n);
    }
  }
  return least >= most ? absl::StrCat("n = ", most) : absl::StrCat("n = ", least, " to ", most);
}

bool IsWide(const std::vector<double>& values) {
  if (values.empty()) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least > 0.0 && *most >= kWideAxis * *least;
}

std::string PictureName(const std::string& kind, std::size_t number, const std::string& title) {
  std::string name = absl::StrCat(kind, "-", number, "-");
  for (const char byte : title.substr(0, kNameBytes)) {
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
    if (plain) {
      name += byte;
    } else if (name.back() != '-') {
      name += '-';
    }
  }
  while (name.back() == '-') name.pop_back();
  return name;
}

}  // namespace twofold::report
