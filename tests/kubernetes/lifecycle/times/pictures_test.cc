#include "kubernetes/lifecycle/times/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/times/choice.h"
#include "tests/kubernetes/lifecycle/golden.h"
#include "tests/kubernetes/lifecycle/objects.h"
#include "tests/lib/report/checked.h"

namespace twofold::lifecycle {
namespace {

using report::Datum;
using report::Figure;
using report::Form;
using report::Panel;
using ::testing::HasSubstr;

/// Pods, sent each 100 ms in an order other than that of their names, bound 30 ms and ready
/// 500 + 10 i ms later. Number 2 is never ready; number 3 is seen ready in a list, after a break.
std::vector<Life> Planted(int count, const Kind& kind = *FindKind("pod").value()) {
  Observer observer(kind, "r1");
  for (int i = 0; i < count; ++i) {
    const std::string name = "w" + std::to_string((i * 7) % count);
    const double sent = 100 * i;
    EXPECT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(sent)}).ok());
    observer.Tell(input::Sent{"load", name, At(sent)});
    const Object pod = Made("Pod", name, "u" + name);
    observer.Tell(input::Seen{Event::kAdded, pod, At(sent + 5)});
    observer.Tell(input::Seen{Event::kModified, Bound(pod), At(sent + 30)});
    const double ready = sent + 500 + 10 * i;
    if (i == 2) continue;
    observer.Tell(
        input::Seen{i == 3 ? Event::kListed : Event::kModified, Ready(Bound(pod)), At(ready)});
  }
  return observer.lives();
}

Drawn DrawnPods(int count) { return DrawnOf(*FindKind("pod").value(), "r1", Planted(count), {}); }

const Panel& PanelOf(const Figure& figure, const std::string& title) {
  for (const auto& row : figure.rows) {
    for (const Panel& panel : row) {
      if (panel.title.find(title) != std::string::npos) return panel;
    }
  }
  ADD_FAILURE() << "no panel " << title;
  static const Panel none;
  return none;
}

std::vector<Datum> DataOf(const Panel& panel, Form form) {
  for (const report::Series& series : panel.series) {
    if (series.form == form) return series.data;
  }
  return {};
}

TEST(Pictures, AreDrawnAsTheyWere) {
  const Drawn drawn = DrawnPods(12);
  ExpectGolden("pictures/general.svg", report::ToSvg(GeneralPicture(drawn)));
  ExpectGolden("pictures/detailed.svg", report::ToSvg(DetailedPicture(drawn)));
}

TEST(Pictures, AValueBelongsToItsWorkload) {
  const Figure figure = GeneralPicture(DrawnPods(10));
  const auto points = DataOf(PanelOf(figure, "sent and pod ready"), Form::kPoints);
  ASSERT_EQ(points.size(), 8U);
  for (const Datum& point : points) {
    const double i = point.x - 1;  // its number in the order of sending
    EXPECT_EQ(point.label, "w" + std::to_string(static_cast<int>(i) * 7 % 10));
    EXPECT_NEAR(point.y, 0.5 + 0.01 * i, 1e-6);
  }
}

TEST(Pictures, AStepStandsAtTheTimeOfSending) {
  const Figure figure = DetailedPicture(DrawnPods(10));
  const auto points = DataOf(PanelOf(figure, "scheduled and started"), Form::kPoints);
  ASSERT_EQ(points.size(), 8U);
  EXPECT_NEAR(points.back().x, 0.9, 1e-9);
  EXPECT_NEAR(points.back().y, 0.5 + 0.09 - 0.03, 1e-6);
}

TEST(Pictures, WhatNeverCameIsAMarkAndWhatIsInexactABar) {
  const Panel panel = PanelOf(GeneralPicture(DrawnPods(10)), "sent and pod ready");
  const auto lost = DataOf(panel, Form::kLost);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].x, 3);
  EXPECT_EQ(lost[0].label, "w4");
  const auto intervals = DataOf(panel, Form::kIntervals);
  ASSERT_EQ(intervals.size(), 1U);
  EXPECT_EQ(intervals[0].x, 4);
  EXPECT_LT(intervals[0].y, intervals[0].end);
  EXPECT_NEAR(intervals[0].end, 0.53, 1e-6);
  EXPECT_THAT(panel.title, HasSubstr(", p99 -"));
  EXPECT_THAT(panel.title, HasSubstr(", 1 missing, 1 inexact)"));
}

TEST(Pictures, TheHeadlineCountsWorkloads) {
  const Figure figure = GeneralPicture(DrawnPods(10));
  EXPECT_EQ(figure.title, "10 workloads of kind pod, run r1");
  EXPECT_EQ(figure.lines.at(0), "1 with something missing, 1 with something known inexactly");
}

TEST(Pictures, TitlesHavePercentilesWithTheirInterval) {
  SpanSummary summary{.name = "scheduled", .n = 400};
  summary.quantiles = {{0.5, 0.012, 0.011, 0.013}, {0.99, 0.04, 0.033, 0.051}};
  summary.missing = 3;
  const DrawnSpan span{"scheduled", "sent", "scheduled"};
  EXPECT_EQ(TitleOf(span, summary),
            "Time between sent and scheduled (median 12 ms, p99 40 ms [33..51], 3 missing)");
  summary.quantiles[1].upper = std::numeric_limits<double>::infinity();
  EXPECT_THAT(TitleOf(span, summary), HasSubstr("p99 40 ms [33..-], 3 missing"));
  summary.quantiles[1].upper = 1.2;
  EXPECT_THAT(TitleOf(span, summary), HasSubstr("p99 40 ms [33 ms..1.2 s]"));
}

TEST(Pictures, RatesCountEachOnceAndLimitsAreLines) {
  Drawn drawn = DrawnPods(40);
  drawn.plateaus = {{"scheduled", 10.0, 20.0, 40.0, "the limit of X"}};
  const Panel panel = PanelOf(GeneralPicture(drawn), "a second");
  const std::map<std::string, double> counts = {
      {"workloads created", 40}, {"pods scheduled", 40}, {"pods ready", 39}};
  ASSERT_EQ(panel.series.size(), counts.size());
  for (const report::Series& series : panel.series) {
    double sum = 0;
    for (const Datum& step : series.data) sum += step.y * (step.end - step.x);
    EXPECT_NEAR(sum, counts.at(series.name), 1e-9) << series.name;
  }
  ASSERT_EQ(panel.references.size(), 1U);
  EXPECT_EQ(panel.references[0].at, 10.0);
  EXPECT_THAT(panel.notes.at(0), HasSubstr("as under the limit of X"));
}

TEST(Pictures, AHistogramHasAllThatCame) {
  for (const bool logarithmic : {false, true}) {
    const Figure figure = DetailedPicture(DrawnPods(30), logarithmic);
    const auto row = std::find_if(figure.rows.begin(), figure.rows.end(), [](const auto& each) {
      return each[0].title.find("scheduled and started") != std::string::npos;
    });
    ASSERT_NE(row, figure.rows.end());
    double all = 0;
    for (const Datum& bar : DataOf(row->at(1), Form::kBars)) all += bar.y;
    EXPECT_EQ(all, 29);
  }
}

TEST(Pictures, HeadTailAndErrorsChooseWorkloads) {
  const Kind& kind = *FindKind("pod").value();
  std::vector<Life> lives = Planted(20);
  EXPECT_EQ(Choose({.head = 10, .tail = 3}, kind, lives), 0U);
  ASSERT_EQ(lives.size(), 3U);
  EXPECT_EQ(lives.front().name, Planted(20)[7].name);
  lives = Planted(20);
  std::swap(Of(lives[5].pods[0].sights, PodPhase::kScheduled),
            Of(lives[5].pods[0].sights, PodPhase::kReady));
  EXPECT_EQ(Choose({.skip_errors = true}, kind, lives), 1U);
  EXPECT_EQ(lives.size(), 19U);
}

TEST(Pictures, TheToolsFilesHaveBarsOfWholeSeconds) {
  const auto data = ReadRunai(GoldenText("runai/submitted.json"), GoldenText("runai/sampled.json"));
  ASSERT_TRUE(data.ok()) << data.status();
  const Drawn drawn = DrawnOf(*data);
  EXPECT_EQ(drawn.workloads.size() + drawn.not_sent, data->rows.size());
  const Figure figure = DetailedPicture(drawn);
  const auto bars = DataOf(PanelOf(figure, "workload created and job created"), Form::kIntervals);
  ASSERT_FALSE(bars.empty());
  for (const Datum& bar : bars) EXPECT_NEAR(bar.end - bar.y, 2, 1e-6);
  report::ExpectSound(
      {{"general", report::ToSvg(GeneralPicture(drawn))}, {"detailed", report::ToSvg(figure)}});
}

TEST(Pictures, AnyNumberOfWorkloadsFits) {
  std::map<std::string, std::string> svgs;
  for (const int count : {0, 1, 3, 3000}) {
    for (const bool logarithmic : {false, true}) {
      const Drawn drawn = DrawnPods(count);
      const std::string name = std::to_string(count) + (logarithmic ? "log" : "");
      svgs["general" + name] = report::ToSvg(GeneralPicture(drawn, logarithmic));
      svgs["detailed" + name] = report::ToSvg(DetailedPicture(drawn, logarithmic));
    }
  }
  report::ExpectSound(svgs);
}

TEST(Pictures, WhereNothingCameAllIsMissing) {
  const Kind& kind = *FindKind("job").value();
  Observer observer(kind, "r1");
  for (int i = 0; i < 5; ++i) {
    const std::string name = "w" + std::to_string(i);
    ASSERT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(i)}).ok());
    observer.Tell(input::Sent{"load", name, At(i)});
  }
  const Figure figure = GeneralPicture(DrawnOf(kind, "r1", observer.lives(), {}));
  const Panel panel = PanelOf(figure, "sent and pod ready");
  EXPECT_THAT(panel.title, HasSubstr("(median -, p99 -, 5 missing)"));
  EXPECT_EQ(DataOf(panel, Form::kLost).size(), 5U);
  EXPECT_EQ(figure.lines.at(0), "5 with something missing, 0 with something known inexactly");
  report::ExpectSound({{"missing", report::ToSvg(figure)}});
}

}  // namespace
}  // namespace twofold::lifecycle
