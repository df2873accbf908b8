#include "lib/queue/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace twofold::queue {
namespace {

// Metrics, JSON and the command line use these words: a change breaks dashboards and scripts.
TEST(Outcome, NamesAreThoseOfTheMetrics) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kOutcomes; ++i) names.push_back(Name(static_cast<Outcome>(i)));
  EXPECT_THAT(names, testing::ElementsAre("succeeded", "failed", "timed_out", "cancelled", "lost",
                                          "rejected", "abandoned"));
}

}  // namespace
}  // namespace twofold::queue
