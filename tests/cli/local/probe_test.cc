#include "cli/local/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::local {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ParseRegistrations, TakesTheOneMetricByQueue) {
  EXPECT_THAT(ParseRegistrations("# HELP twofold_worker_processes Connected.\n"
                                 "# TYPE twofold_worker_processes gauge\n"
                                 "twofold_worker_processes{queue=\"sleep\"} 16\n"
                                 "twofold_worker_processes{queue=\"a.b\"} 0\n"
                                 "twofold_worker_processes_total{queue=\"no\"} 3\n"
                                 "twofold_workers{queue=\"sleep\",state=\"idle\"} 5\n"),
              UnorderedElementsAre(Pair("sleep", 16), Pair("a.b", 0)));
}

TEST(ParseRegistrations, WhatIsNoMetricsPageHasNone) {
  EXPECT_THAT(ParseRegistrations(""), IsEmpty());
  EXPECT_THAT(ParseRegistrations("<html>502</html>"), IsEmpty());
  EXPECT_THAT(ParseRegistrations("twofold_worker_processes{queue=\"sleep"), IsEmpty());
  EXPECT_THAT(ParseRegistrations("twofold_worker_processes{queue=\"sleep\"} x\n"), IsEmpty());
}

}  // namespace
}  // namespace twofold::local
