#include "lib/report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/lib/report/checked.h"

namespace twofold::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

Figure With(Panel panel) { return {.title = "a figure", .rows = {{std::move(panel)}}}; }

Panel PanelOf(Form form, std::vector<Datum> data) {
  Panel panel{.title = "a panel", .x = {.label = "x"}, .y = {.label = "y"}};
  panel.series = {{form, "values", Colour::kBlue, std::move(data)}};
  return panel;
}

constexpr Form kAllForms[] = {Form::kLine,  Form::kSteps,     Form::kPoints,   Form::kBars,
                              Form::kBand,  Form::kIntervals, Form::kLost,     Form::kCells,
                              Form::kBoxes, Form::kSpans,     Form::kStretches};
static_assert(std::size(kAllForms) == kForms);

std::string NameOf(Form form) { return "form" + std::to_string(static_cast<int>(form)) + "_"; }

/// A wave with a peak, and `every` so many a value that is none.
std::vector<Datum> Wave(std::size_t count, std::size_t every = 0) {
  std::vector<Datum> data;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    double y = 10 + std::sin(x / 20);
    if (i == count / 3) y = 25;
    if (every > 0 && i % every == every / 2) y = i % 2 == 0 ? kNoEnd : std::nan("");
    data.push_back({x, y, x + 1, "w" + std::to_string(i), y + 1, y});
  }
  return data;
}

/// A heat map, boxes, and who was at work when.
std::vector<Panel> Parts() {
  Panel heat{.title = "A heat map", .x = {.label = "at", .unit = "s"}, .y = {.label = "device"}};
  heat.y.names = {"node-a/gpu0", "node-b/a-device-with-a-very-long-name-0"};
  heat.series = {{Form::kCells,
                  "run time",
                  Colour::kBlue,
                  {{0, -0.5, 1, "a", 0.5, 0.010}, {1, 0.5, 2, "b", 1.5, 0.030}},
                  "s"}};
  Panel boxes{.title = "Boxes",
              .x = {.label = "workers", .logarithmic = true, .marks = {1, 2, 4}},
              .y = {.label = "time", .unit = "s"}};
  boxes.series = {
      {Form::kBoxes, "runs", Colour::kGreen, {{1, 2, 4, "", 0, 3}, {4, 3, 5, "", 0, 4}}}};
  Panel lanes{.title = "Spans", .x = {.label = "at", .unit = "s"}, .y = {.label = "worker"}};
  lanes.y.names = {"w0", "w1"};
  lanes.series = {{Form::kStretches, "warm-up", Colour::kGrey, {{0, 0, 1.5}}},
                  {Form::kSpans, "job", Colour::kBlue, {{0, 0, 2}, {1, 1, 3}}}};
  return {heat, boxes, lanes};
}

/// All there is to draw, for the golden file.
Figure Everything() {
  Figure figure{.title = "All <forms> & \"axes\"", .lines = {"A line beneath the title"}};
  Panel left{.title = "Lines and points (median 12 ms)",
             .x = {.label = "sent, after the first", .unit = "s"},
             .y = {.label = "time", .unit = "s", .from_zero = true}};
  left.series = {
      {Form::kBand, "interval", Colour::kOrange, {{0, 0.03, 0.05}, {9, 0.03, 0.05}}},
      {Form::kLine, "line", Colour::kBlue, {{0, 0.01}, {1, 0.02}, {2, kNoEnd}, {3, 0.02}}},
      {Form::kPoints, "points", Colour::kGreen, {{4, 0.01, 0, "w4"}, {5, 0.012, 0, "w5"}}},
      {Form::kIntervals, "intervals", Colour::kSky, {{6, 0.01, 0.06}, {7, 0.02, 0.03}}},
      {Form::kLost, "never came", Colour::kVermillion, {{8}, {9}}}};
  left.references = {{0.012, "median 12 ms"}, {0.04, "p99 40 ms"}};
  Panel right{.title = "A histogram", .x = {.label = "time", .unit = "s"}, .share = 0.5};
  right.y = {.label = "workloads", .from_zero = true, .whole = true};
  right.series = {
      {Form::kBars, "", Colour::kBlue, {{0, 3, 0.01}, {0.01, 5, 0.02}, {0.02, 0, 0.03}}}};
  right.references = {{0.012, "median 12 ms", true}};
  right.notes = {"2 that never came are not in it"};
  Panel steps{
      .title = "Steps", .x = {.label = "s"}, .y = {.label = "a second", .logarithmic = true}};
  steps.series = {{Form::kSteps, "created", Colour::kPurple, {{0, 1, 1}, {1, 100, 2}, {3, 10, 4}}}};
  figure.rows = {{left, right}, {steps}, Parts()};
  return figure;
}

TEST(Figure, IsDrawnAsItWas) {
  const std::string svg = ToSvg(Everything());
  ExpectGoldenFile(std::string(GOLDEN_FOLDER) + "/everything.svg", svg);
  EXPECT_EQ(svg, ToSvg(Everything()));
  ExpectSound({{"everything", svg}});
}

TEST(Figure, AnyNumberOfValuesOfAnyFormLiesInside) {
  std::map<std::string, std::string> svgs;
  for (const Form form : kAllForms) {
    for (const unsigned count : {0U, 1U, 2U, 500U, 5000U}) {
      for (const bool logarithmic : {false, true}) {
        Panel panel = PanelOf(form, Wave(count, 7));
        panel.y.logarithmic = logarithmic;
        svgs[NameOf(form) + std::to_string(count) + (logarithmic ? "log" : "")] =
            ToSvg(With(panel));
      }
    }
  }
  ExpectSound(svgs);
}

TEST(Figure, TwoHundredThousandValuesAreThinnedAndSaidToBe) {
  for (const Form form :
       {Form::kLine, Form::kSteps, Form::kPoints, Form::kIntervals, Form::kSpans}) {
    const std::string svg = ToSvg(With(PanelOf(form, Wave(200'000, 50'000))));
    EXPECT_LT(svg.size(), 500'000U);
    EXPECT_THAT(svg, HasSubstr("values: 200000 values, of which "));
    EXPECT_THAT(svg, HasSubstr("values: 4 of 200000 values are not drawn: missing, infinite"));
    ExpectSound({{NameOf(form), svg}});
  }
}

TEST(Figure, AGreaterValueIsADarkerCellAndTheLegendSaysTheEnds) {
  Panel panel = PanelOf(Form::kCells, {{0, 0, 1, "", 1, 3}, {1, 0, 2, "", 1, 9}});
  panel.series[0].unit = "jobs";
  const std::string svg = ToSvg(With(panel));
  EXPECT_THAT(svg, HasSubstr("values, from 3 jobs to 9 jobs"));
  EXPECT_LT(svg.find("fill-opacity=\"0.08\">\n<path"), svg.find("fill-opacity=\"1.00\">\n<path"));
  EXPECT_THAT(svg, HasSubstr("<title>values: 9 jobs</title>"));
}

TEST(Figure, CellsWithoutValueAreCountedAsNotDrawn) {
  const Panel panel = PanelOf(Form::kCells, {{0, 0, 1, "", 1, 3}, {1, 0, 2, "", 1, std::nan("")}});
  EXPECT_THAT(ToSvg(With(panel)), HasSubstr("values: 1 of 2 values are not drawn"));
}

TEST(Figure, NamesTakeThePlaceOfNumbersAndTheFirstIsAtTheTop) {
  Panel panel = PanelOf(Form::kSpans, {{0, 0, 1}, {0, 1, 2}});
  panel.y.names = {"first", "a-very-long-name-whose-end-tells-pods-apart-x7k2p"};
  const std::string svg = ToSvg(With(panel));
  EXPECT_LT(svg.find(">first<"), svg.find("tells-pods-apart-x7k2p<"));
  EXPECT_THAT(svg, Not(HasSubstr("a-very-long-name")));
  const std::regex rect("<rect x=\"[0-9.]+\" y=\"([0-9.]+)\" width=\"[0-9.]+\" height=\"16\"");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found, rect)) << svg;
  const double first = std::stod(found[1]);
  const std::string rest = found.suffix();
  ASSERT_TRUE(std::regex_search(rest, found, rect)) << svg;
  EXPECT_LT(first, std::stod(found[1]));
}

TEST(Figure, PercentilesAreTicksOfWhatOneInSoManyExceeds) {
  Panel panel = PanelOf(Form::kLine, {{1, 1}, {1000, 2}});
  panel.x = {.label = "percentile", .logarithmic = true, .percentiles = true};
  const std::string svg = ToSvg(With(panel));
  for (const char* tick : {">0 %<", ">90 %<", ">99 %<", ">99.9 %<"}) {
    EXPECT_THAT(svg, HasSubstr(tick));
  }
}

TEST(Figure, TicksCanBeGiven) {
  Panel panel = PanelOf(Form::kLine, {{1, 1}, {16, 2}});
  panel.x = {.label = "workers", .logarithmic = true, .marks = {1, 2, 4, 8, 16, 32}};
  const std::string svg = ToSvg(With(panel));
  EXPECT_THAT(svg, HasSubstr(">16<"));
  EXPECT_THAT(svg, Not(HasSubstr(">32<")));
  EXPECT_THAT(svg, Not(HasSubstr(">10<")));
}

TEST(Figure, ValuesThatAreNoneAreGapsThatAreCounted) {
  const std::string svg = ToSvg(With(PanelOf(
      Form::kLine, {{0, 1}, {1, 2}, {2, kNoEnd}, {3, 2}, {4, std::nan("")}, {5, 1}, {6, 3}})));
  EXPECT_THAT(svg, HasSubstr("values: 2 of 7 values are not drawn: missing, infinite"));
  const std::regex moves(
      "<path d=\"(M[0-9. ]+L[0-9. ]+)(M[0-9. ]+L[0-9. ]+)\" fill=\"none\" stroke=\"#0072b2\"");
  EXPECT_TRUE(std::regex_search(svg, moves)) << svg;  // two pieces; the one between is a dot
  EXPECT_THAT(svg, HasSubstr("h0\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"4\""));
}

TEST(Figure, WhatHasNoPlaceOnALogarithmicAxisIsCounted) {
  Panel panel = PanelOf(Form::kPoints, {{0, 1}, {1, 0}, {2, -3}, {3, 10}});
  panel.y.logarithmic = true;
  panel.references = {{0, "zero"}};
  const std::string svg = ToSvg(With(panel));
  EXPECT_THAT(svg, HasSubstr("2 of 4 values are not drawn: missing, infinite, or not above 0"));
  EXPECT_THAT(svg, HasSubstr("zero: not drawn"));
}

TEST(Figure, FewShapesHaveTooltipsWithTheirNumbers) {
  Panel panel = PanelOf(Form::kPoints, {{4.5, 0.0123, 0, "run-17"}});
  panel.x.unit = "s";
  panel.y.unit = "s";
  EXPECT_THAT(ToSvg(With(panel)), HasSubstr("<title>run-17: 12.3 ms at 4.5 s</title></circle>"));
  panel.series[0].data = Wave(401);
  EXPECT_THAT(ToSvg(With(panel)), Not(HasSubstr("</title></circle>")));
}

TEST(Figure, ABarReachesFromTheGroundToItsValue) {
  Panel panel = PanelOf(Form::kBars, {{0, 5, 1}, {1, 10, 2}});
  panel.y.from_zero = true;
  const std::string svg = ToSvg(With(panel));
  std::vector<std::pair<double, double>> bars;  // top, height
  const std::regex rect(
      "<rect x=\"[0-9.]+\" y=\"([0-9.]+)\" width=\"[0-9.]+\" height=\"([0-9.]+)\" stroke");
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end; ++it) {
    bars.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  }
  ASSERT_EQ(bars.size(), 2U) << svg;
  EXPECT_NEAR(bars[0].second, 60, 0.1);  // of 120 pixels
  EXPECT_NEAR(bars[1].second, 120, 0.1);
  EXPECT_NEAR(bars[0].first + bars[0].second, bars[1].first + bars[1].second, 0.11);
}

TEST(Figure, TextIsEscapedWhateverItIs) {
  const std::string bad = "</text><script>\"&'\x01\xff ]]> \xEF\xBF\xBF";
  Panel panel = PanelOf(Form::kPoints, {{1, 1, 0, bad}});
  panel.title = panel.x.label = panel.y.label = panel.series[0].name = bad;
  panel.notes = {bad, std::string(100'000, 'x')};
  panel.references = {{1, bad}};
  Figure figure = With(panel);
  figure.title = bad;
  figure.lines = {bad};
  const std::string svg = ToSvg(figure);
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  const testing::TempDir folder;
  WriteFile(folder / "bad.svg", svg);
  testing::Program parse(
      "/usr/bin/python3",
      {"-c", "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])", folder / "bad.svg"});
  EXPECT_EQ(parse.Wait(), 0) << parse.output();
}

TEST(Figure, LongTitlesAndLegendsAreWrapped) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word" + std::to_string(i) + " ";
  Panel panel = PanelOf(Form::kLine, Wave(10));
  panel.title = words;
  panel.notes = {words};
  for (int i = 0; i < 12; ++i)
    panel.series.push_back({Form::kLine, words.substr(0, 40), Colour::kGreen});
  Figure figure = With(panel);
  figure.rows[0].push_back(panel);
  figure.title = words;
  figure.lines = {words, words};
  ExpectSound({{"words", ToSvg(figure)}});
}

TEST(Figure, IsAsLargeAsItSays) {
  const Figure figure = Everything();
  const Size size = SizeOf(figure);
  EXPECT_EQ(size.width, figure.width);
  EXPECT_THAT(ToSvg(figure), HasSubstr("viewBox=\"0 0 960 "));
  EXPECT_GT(size.height, 2 * figure.panel_height);
}

TEST(Figure, WithoutRowsItIsItsTitle) {
  const std::string svg = ToSvg({.title = "nothing"});
  EXPECT_THAT(svg, HasSubstr(">nothing</text>"));
  ExpectSound({{"nothing", svg}});
}

}  // namespace
}  // namespace twofold::report
