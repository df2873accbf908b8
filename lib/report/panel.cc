#include "lib/report/panel.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "lib/report/thin.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

constexpr double kText = 11;
constexpr double kTitle = 12;
constexpr double kLine = 15;     // of text
constexpr double kLeft = 62;     // for the label and the numbers of the upright axis
constexpr double kRight = 22;    // half of the last number of the lying axis
constexpr double kBeneath = 34;  // for its numbers and its label
constexpr double kKeyRoom = 34;  // of a key beside its name
constexpr const char* kDark = "#1f2933";

constexpr double kLongestName = 26 * 6.6;  // see axis.cc

// In the order of Form.
constexpr std::array<OnAxes, kForms> kOnAxes = {{{.y = true},
                                                 {.y = true, .end_on_x = true},
                                                 {.y = true},
                                                 {.y = true, .end_on_x = true},
                                                 {.y = true, .end_on_y = true},
                                                 {.y = true, .end_on_y = true},
                                                 {},
                                                 {.y = true, .end_on_x = true, .top = true},
                                                 {.y = true, .end_on_y = true, .value_on_y = true},
                                                 {.y = true, .end_on_x = true},
                                                 {.end_on_x = true}}};

/// The numbers that an axis must have room for.
std::vector<double> OnX(const Panel& panel) {
  std::vector<double> values;
  for (const Series& series : panel.series) {
    const bool wide = OnAxesOf(series.form).end_on_x;
    for (const Datum& datum : series.data) {
      values.push_back(datum.x);
      if (wide) values.push_back(datum.end);
    }
  }
  for (const Reference& line : panel.references) {
    if (line.upright) values.push_back(line.at);
  }
  return values;
}

std::vector<double> OnY(const Panel& panel) {
  std::vector<double> values;
  for (const Series& series : panel.series) {
    const OnAxes& on = OnAxesOf(series.form);
    for (const Datum& datum : series.data) {
      if (on.y) values.push_back(datum.y);
      if (on.end_on_y) values.push_back(datum.end);
      if (on.top) values.push_back(datum.top);
    }
    if (series.form == Form::kBars) values.push_back(0.0);
  }
  for (const Reference& line : panel.references) {
    if (!line.upright) values.push_back(line.at);
  }
  return values;
}

bool IsDrawn(const Series& series, const Datum& datum, const Panel& panel) {
  const OnAxes& on = OnAxesOf(series.form);
  return HasPlace(panel.x, datum.x) && (!on.end_on_x || HasPlace(panel.x, datum.end)) &&
         (!on.y || HasPlace(panel.y, datum.y)) && (!on.end_on_y || HasPlace(panel.y, datum.end)) &&
         (!on.top || HasPlace(panel.y, datum.top)) &&
         (!on.value_on_y || HasPlace(panel.y, datum.value)) &&
         (series.form != Form::kCells || std::isfinite(datum.value));
}

double LeftOf(const Axis& y) {
  double longest = 0.0;
  for (const std::string& name : y.names) longest = std::max(longest, WidthOf(name, kText));
  return std::max(kLeft, std::min(longest, kLongestName) + 34.0);
}

std::string Grid(const Axes& axes) {
  const Box& box = axes.box;
  std::string path;
  for (const Tick& tick : axes.y.ticks()) {
    absl::StrAppend(&path, "M", Px(box.left), " ", Px(axes.y.Place(tick.at)), "H", Px(box.right));
  }
  return absl::StrCat("<path d=\"", path, "\" fill=\"none\" stroke=\"#e4e7eb\"/>\n");
}

std::string Frame(const Axes& axes) {
  const Box& box = axes.box;
  std::string path =
      absl::StrCat("M", Px(box.left), " ", Px(box.top), "V", Px(box.bottom), "H", Px(box.right));
  std::string text;
  for (const Tick& tick : axes.x.ticks()) {
    const double x = axes.x.Place(tick.at);
    absl::StrAppend(&path, "M", Px(x), " ", Px(box.bottom), "v4");
    text += TextElement(x, box.bottom + kLine, tick.text, {.anchor = "middle"});
  }
  for (const Tick& tick : axes.y.ticks()) {
    text += TextElement(box.left - 5, axes.y.Place(tick.at) + 4, tick.text, {.anchor = "end"});
  }
  return absl::StrCat("<path d=\"", path, "\" fill=\"none\" stroke=\"#7b8794\"/>\n", text);
}

struct PlacedReference {
  const Reference* line;
  double place;
  double word;  // where its words are, so that those of neighbours do not lie on each other
};

/// Words keep `room` pixels from each other and stay between `least` and `most`.
void SpreadWords(std::vector<PlacedReference>& lines, double room, double least, double most) {
  std::sort(lines.begin(), lines.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  double next = least;
  for (PlacedReference& each : lines) {
    each.word = std::max(next, each.word);
    next = each.word + room;
  }
  double last = most;
  for (auto each = lines.rbegin(); each != lines.rend(); ++each) {
    each->word = std::max(least, std::min(each->word, last));
    last = each->word - room;
  }
}

std::string Level(const PlacedReference& each, const Box& box) {
  return absl::StrCat("<path d=\"M", Px(box.left), " ", Px(each.place), "H", Px(box.right),
                      "\" fill=\"none\" stroke=\"#1f2933\" stroke-dasharray=\"5 3\"/>\n",
                      TextElement(box.right - 3, each.word, each.line->label,
                                  {.anchor = "end", .fill = kDark, .halo = true}));
}

std::string Upright(const PlacedReference& each, double line, const Box& box) {
  const bool right = each.place > (box.left + box.right) / 2;
  return absl::StrCat(
      "<path d=\"M", Px(each.place), " ", Px(box.bottom), "V", Px(box.top),
      "\" fill=\"none\" stroke=\"#1f2933\" stroke-dasharray=\"5 3\"/>\n",
      TextElement(each.place + (right ? -4 : 4), box.top + 10 + line * 12, each.line->label,
                  {.anchor = right ? "end" : "start", .fill = kDark, .halo = true}));
}

std::string References(const Panel& panel, const Axes& axes) {
  std::vector<PlacedReference> level;
  std::string drawn;
  double line = 0.0;
  for (const Reference& each : panel.references) {
    const PlacedAxis& axis = each.upright ? axes.x : axes.y;
    if (!axis.Shows(each.at)) continue;
    const double place = axis.Place(each.at);
    if (each.upright) {
      drawn += Upright({&each, place, 0}, line, axes.box);
      line += 1.0;
    } else {
      level.push_back({&each, place, place - 3});
    }
  }
  SpreadWords(level, 12, axes.box.top + 10, axes.box.bottom - 3);
  for (const PlacedReference& each : level) drawn += Level(each, axes.box);
  return drawn;
}

bool IsEmpty(const Panel& panel) {
  return std::all_of(panel.series.begin(), panel.series.end(),
                     [](const Series& series) { return series.data.empty(); });
}

std::string Of(const Series& series) {
  return series.name.empty() ? "" : absl::StrCat(series.name, ": ");
}

std::string ThinningNote(const Series& series) {
  const bool line = series.form == Form::kLine || series.form == Form::kSteps;
  const bool cloud = series.form == Form::kPoints || series.form == Form::kIntervals ||
                     series.form == Form::kSpans;
  if (series.data.size() <= kDense || !(line || cloud)) return "";
  return absl::StrCat(Of(series), series.data.size(), " values, of which ",
                      line
                          ? "the first, least, greatest and last of each column of pixels are drawn"
                          : "those on the same pixel are drawn once");
}

}  // namespace

std::vector<std::string> NotesOf(const Panel& panel) {
  std::vector<std::string> notes;
  for (const Series& series : panel.series) {
    const auto gaps = std::count_if(series.data.begin(), series.data.end(), [&](const Datum& each) {
      return !IsDrawn(series, each, panel);
    });
    if (gaps > 0) {
      const bool logarithmic = panel.x.logarithmic || panel.y.logarithmic;
      notes.push_back(absl::StrCat(Of(series), gaps, " of ", series.data.size(),
                                   " values are not drawn: missing, infinite",
                                   logarithmic ? ", or not above 0" : ""));
    }
    if (std::string note = ThinningNote(series); !note.empty()) notes.push_back(std::move(note));
  }
  for (const Reference& line : panel.references) {
    if (HasPlace(line.upright ? panel.x : panel.y, line.at)) continue;
    notes.push_back(absl::StrCat(line.label, ": not drawn, as it has no place on the axis"));
  }
  return notes;
}

const OnAxes& OnAxesOf(Form form) { return kOnAxes[static_cast<std::size_t>(form)]; }

PanelDrawing::PanelDrawing(const Panel& panel, double width)
    : panel_(panel), width_(width), left_(LeftOf(panel.y)) {
  title_ = Wrapped(panel.title, width - kRight, kTitle, true);
  std::vector<std::string> notes = panel.notes;
  for (std::string& note : NotesOf(panel)) notes.push_back(std::move(note));
  for (const std::string& note : notes) {
    for (std::string& line : Wrapped(note, width - left_ - kRight, kText)) {
      notes_.push_back(std::move(line));
    }
  }
  double x = left_;
  for (const Series& series : panel.series) {
    if (series.name.empty()) continue;
    const double room = WidthOf(LegendOf(series), kText) + kKeyRoom;
    if (x > left_ && x + room > width) {
      x = left_;
      key_lines_ += 1.0;
    }
    keys_.push_back({&series, x, key_lines_});
    x += room;
  }
  if (!keys_.empty()) key_lines_ += 1.0;
}

double PanelDrawing::head() const {
  return (static_cast<double>(title_.size()) + key_lines_) * kLine + 9;
}

double PanelDrawing::foot() const {
  return kBeneath + static_cast<double>(notes_.size()) * kLine + 6;
}

std::string PanelDrawing::DrawLegend(double left, double top) const {
  std::string drawn;
  for (const Key& key : keys_) {
    drawn += DrawKey(*key.series, left + key.x, top + key.line * kLine);
  }
  return drawn;
}

std::string PanelDrawing::DrawWords(const Box& box) const {
  std::string drawn;
  const double left = box.left - left_;
  double y = box.top - head() + kLine;
  for (const std::string& line : title_) {
    drawn += TextElement(left + 8, y, line, {.size = kTitle, .fill = kDark, .bold = true});
    y += kLine;
  }
  drawn += DrawLegend(left, y - 4);
  y = box.bottom + kBeneath + kLine;
  for (const std::string& line : notes_) {
    drawn += TextElement(box.left, y - 2, line, {});
    y += kLine;
  }
  return drawn;
}

std::string PanelDrawing::Draw(double left, double top, double bottom) const {
  const Box box{left + left_, top, left + width_ - kRight, bottom};
  const Axes axes{PlacedAxis(panel_.x, OnX(panel_), box.left, box.right),
                  PlacedAxis(panel_.y, OnY(panel_), box.bottom, box.top), box};
  std::string drawn = Grid(axes);
  for (const Series& series : panel_.series) drawn += DrawSeries(series, panel_, axes);
  drawn += Frame(axes) + References(panel_, axes);
  drawn += TextElement((box.left + box.right) / 2, box.bottom + 30, axes.x.label(),
                       {.anchor = "middle"});
  drawn += TextElement(left + 14, (box.top + box.bottom) / 2, axes.y.label(),
                       {.anchor = "middle", .upright = true});
  if (IsEmpty(panel_)) {
    drawn += TextElement((box.left + box.right) / 2, (box.top + box.bottom) / 2, "no values",
                         {.anchor = "middle"});
  }
  return drawn + DrawWords(box);
}

}  // namespace twofold::report
