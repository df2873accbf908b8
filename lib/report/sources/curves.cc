#include "lib/report/sources/curves.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lib/report/sources/mean_lines.h"
#include "lib/report/sources/parts.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostCurvePictures = 12;
constexpr std::size_t kMostCurveRows = 2'000;  // of all pictures, but for those of the first one

/// Which column of which series a picture is of.
struct Curve {
  std::string title;
  std::string by;
  std::string by_unit;
  std::string value;
  std::string unit;

  auto operator<=>(const Curve&) const = default;
};

struct CurveLines {
  Curve curve;
  std::vector<MeanLine> lines = {};
};

bool SharesRows(const v1::SeriesResult& series) {
  return std::any_of(series.points().begin(), series.points().end(),
                     [](const v1::SeriesPoint& point) { return point.n() > 1; });
}

bool IsTime(const std::string& unit) { return unit == "s"; }

/// Moments that no two of several jobs share make no line: each is of another job than the next.
MeanLine LineOf(const std::string& name, const v1::SeriesResult& series, std::uint64_t jobs) {
  const bool apart = jobs > 1 && IsTime(series.by().unit()) && !SharesRows(series);
  MeanLine line{.name = name, .form = apart ? Form::kPoints : Form::kLine};
  for (const v1::SeriesPoint& point : series.points()) {
    line.means.push_back({point.at(), point.mean(), point.half_width(), point.n()});
  }
  return line;
}

/// In the order in which they come first.
std::vector<CurveLines> CurvesOf(const std::vector<NamedRun>& runs) {
  std::vector<CurveLines> all;
  std::map<Curve, std::size_t> numbers;
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      const std::string name = LineName(run, VariedText(each.varied()));
      for (const v1::SeriesResult& series : each.series()) {
        if (series.points().empty()) continue;
        const Curve curve{run.titles.Of(series), series.by().name(), series.by().unit(),
                          series.value().name(), series.value().unit()};
        const auto [at, is_new] = numbers.emplace(curve, all.size());
        if (is_new) all.push_back({curve});
        all[at->second].lines.push_back(LineOf(name, series, each.succeeded()));
      }
    }
  }
  return all;
}

bool IsLogarithmic(const CurveLines& of) {
  std::vector<double> sizes = XsOf(of.lines);
  std::erase_if(sizes, [](double size) { return size <= 0.0; });
  return !IsTime(of.curve.by_unit) && IsWide(sizes);
}

/// Messages of no bytes have no place on a logarithmic axis. Says whether there were any.
bool DropRowsAtZero(std::vector<MeanLine>& lines) {
  std::size_t dropped = 0;
  for (MeanLine& line : lines) {
    dropped += std::erase_if(line.means, [](const MeanAt& each) { return each.x <= 0.0; });
  }
  return dropped > 0;
}

std::string CaptionOf(const CurveLines& of) {
  const auto has = [&](const auto& holds) {
    return std::any_of(of.lines.begin(), of.lines.end(), holds);
  };
  return absl::StrCat("Means over the jobs that succeeded, ", NOf(of.lines), " at each ",
                      of.curve.by, ": rows of the series that each job has measured. ", kBarsAre,
                      has([](const MeanLine& line) { return line.means.size() > kMostBars; })
                          ? absl::StrCat(" Lines of more than ", kMostBars, " rows have none.")
                          : "",
                      has([](const MeanLine& line) { return line.form == Form::kPoints; })
                          ? " Single points: no two jobs have measured the same rows."
                          : "");
}

Picture PictureOfCurve(CurveLines of, std::size_t number) {
  const Curve& curve = of.curve;
  const bool logarithmic = IsLogarithmic(of);
  const bool dropped = logarithmic && DropRowsAtZero(of.lines);
  Panel panel =
      LinePanel(of.lines, {.label = curve.by, .unit = curve.by_unit, .logarithmic = logarithmic},
                {.label = curve.value, .unit = curve.unit});
  panel.title = absl::StrCat(curve.title, ": ", curve.value, " by ", curve.by);
  if (dropped) {
    panel.notes.push_back(
        absl::StrCat(curve.by, " 0 has no place on a logarithmic axis and is not drawn"));
  }
  std::string name = PictureName("series", number, absl::StrCat(curve.title, " ", curve.value));
  return PictureOf(std::move(name), std::move(panel), CaptionOf(of));
}

std::uint64_t LeftOut(const std::vector<NamedRun>& runs) {
  std::uint64_t values = 0;
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      values += each.series_values_left_out();
    }
  }
  return values;
}

}  // namespace

std::vector<Picture> CurvePictures(const std::vector<NamedRun>& runs) {
  std::vector<Picture> pictures;
  std::size_t rows = 0;
  const std::vector<CurveLines> curves = CurvesOf(runs);
  for (const CurveLines& each : curves) {
    rows += XsOf(each.lines).size();
    if (pictures.size() == kMostCurvePictures || (!pictures.empty() && rows > kMostCurveRows))
      break;
    pictures.push_back(PictureOfCurve(each, pictures.size() + 1));
  }
  if (pictures.empty()) return pictures;
  std::string& last = pictures.back().caption;
  if (pictures.size() < curves.size()) {
    absl::StrAppend(&last, " Of ", curves.size(), " such figures the first ", pictures.size(),
                    " are drawn.");
  }
  if (const std::uint64_t values = LeftOut(runs); values > 0) {
    absl::StrAppend(&last, " There was no room for ", Count(values, "value"),
                    " of series; they are in no figure.");
  }
  return pictures;
}

}  // namespace twofold::report
