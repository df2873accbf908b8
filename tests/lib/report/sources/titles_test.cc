// What numbers are called where the permutations of a run are set beside each other.

#include "lib/report/sources/titles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/report/sources/curves.h"
#include "lib/report/sources/run_figures.h"

namespace twofold::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Dimensions = std::vector<std::pair<std::string, std::string>>;

/// A run with a permutation for each of `all`, which has one headline for each of its lists.
RunResults RunOf(const std::vector<std::vector<Dimensions>>& all) {
  RunResults results;
  for (const auto& headlines : all) {
    v1::PermutationResult& each = results.permutations.emplace_back();
    each.set_number(results.permutations.size());
    each.set_varied("{\"streams\": " + std::to_string(results.permutations.size()) + "}");
    for (const Dimensions& dimensions : headlines) {
      v1::MetricResult& metric = *each.add_headlines();
      metric.set_name("throughput");
      metric.set_mean(10.0);
      metric.set_n(1);
      for (const auto& [name, value] : dimensions) {
        v1::Dimension& dimension = *metric.add_dimensions();
        dimension.set_name(name);
        dimension.set_value(value);
      }
    }
  }
  return results;
}

std::vector<std::string> TitlesIn(const RunResults& results) {
  std::vector<std::string> titles;
  for (const v1::PermutationResult& each : results.permutations) {
    for (const v1::MetricResult& metric : each.headlines()) {
      titles.push_back(Titles(results).Of(metric));
    }
  }
  return titles;
}

TEST(Titles, WhatIsVariedIsNotSaidAgainByDimensions) {
  EXPECT_THAT(TitlesIn(RunOf({{{{"direction", "forward"}, {"streams", "1"}}},
                              {{{"direction", "forward"}, {"streams", "2"}}}})),
              ElementsAre("throughput direction=forward", "throughput direction=forward"));
}

TEST(Titles, ADimensionThatOnlySomePermutationsHaveIsVariedToo) {
  EXPECT_THAT(TitlesIn(RunOf({{{}}, {{{"protocol", "UDP"}}}})),
              ElementsAre("throughput", "throughput"));
}

TEST(Titles, WhatTellsNumbersOfOnePermutationApartStays) {
  EXPECT_THAT(TitlesIn(RunOf({{{{"rw", "read"}}}, {{{"rw", "read"}}, {{"rw", "write"}}}})),
              ElementsAre("throughput rw=read", "throughput rw=read", "throughput rw=write"));
  EXPECT_THAT(TitlesIn(RunOf({{{{"side", "a"}}}, {{{"side", "b"}}, {}}})),
              ElementsAre("throughput side=a", "throughput side=b", "throughput"));
}

TEST(Titles, WhatIsTheSameEverywhereStays) {
  EXPECT_THAT(TitlesIn(RunOf({{{{"streams", "4"}}}})), ElementsAre("throughput streams=4"));
  EXPECT_THAT(TitlesIn(RunOf({{{{"streams", "4"}}}, {{{"streams", "4"}}}})),
              ElementsAre("throughput streams=4", "throughput streams=4"));
}

TEST(Titles, ASweepOverWhatToolsSayIsOnePicture) {
  const RunResults results = RunOf({{{{"streams", "1"}}}, {{{"streams", "2"}}}});
  const auto pictures = HeadlinePictures({{"", &results}});
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_EQ(pictures[0].figure.title, "throughput by streams");
}

TEST(Titles, RunsThatWereMadeInTwoWaysAreTwoPictures) {
  const RunResults one = RunOf({{{{"streams", "1"}}}});
  const RunResults eight = RunOf({{{{"streams", "8"}}}});
  EXPECT_THAT(HeadlinePictures({{"one", &one}, {"eight", &eight}}), SizeIs(2));
}

// "rw" of fio is what a run varies, and whether a number is of reads or of writes.
TEST(Titles, OfTwoLabelsOfAMeasureTheDimensionTellsItFromTheOthers) {
  RunResults results = RunOf({{{{"rw", "read"}}, {{"rw", "write"}}}});
  results.permutations[0].set_varied(R"({"rw": "randrw"})");
  const Document document = DocumentOf(results);
  ASSERT_THAT(document.measures, SizeIs(2));
  EXPECT_THAT(ToOpenMetrics(document), AllOf(HasSubstr("rw=\"read\""), HasSubstr("rw=\"write\"")));
}

}  // namespace
}  // namespace twofold::report
