#include "kubernetes/lifecycle/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lib/metrics/family.h"
#include "tests/kubernetes/lifecycle/objects.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using std::chrono::milliseconds;

/// Three Jobs: one complete, one whose pod is ready, one refused.
RunProgress Planted() {
  const Kind& kind = **FindKind("job");
  Observer observer(kind, "r1");
  for (const char* name : {"w1", "w2", "w3"}) {
    EXPECT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(0)}).ok());
    observer.Tell(input::Sent{"load", name, At(10)});
  }
  observer.Tell(input::Refused{"load", "w3", "no"});
  for (const char* name : {"w1", "w2"}) {
    const std::string id = name;
    const Object pod = PodOf(id, "pod" + id);
    observer.Tell(input::Replied{"load", id, At(15)});
    observer.Tell(input::Seen{Event::kAdded, Made("Job", id, "job" + id), At(20)});
    observer.Tell(input::Seen{Event::kAdded, pod, At(30)});
    observer.Tell(input::Seen{Event::kModified, Ready(pod), At(110)});
  }
  Object job = Made("Job", "w1", "jobw1");
  observer.Tell(input::Seen{Event::kModified, Put(job, "Complete", true), At(1010)});
  observer.Tell(input::CanaryWritten{"1", At(0), At(2)});
  observer.Tell(input::CanarySeen{"1", At(7)});
  RunProgress progress;
  progress.planned = 5;
  progress.submitted.sent = 3;
  progress.submitted.created = 2;
  progress.submitted.refused["Forbidden"] = 1;
  progress.submitted.throttled = 4;
  progress.watch_breaks = 1;
  for (const Life& life : observer.lives()) progress.Add(kind, life, /*until_ready=*/false);
  for (const CanaryLag& lag : observer.lags()) progress.Add(lag);
  return progress;
}

std::string PageOf(const RunProgress& progress) {
  return metrics::Page(MetricsOf({"r1", "job", "load"}, progress)).body;
}

TEST(LifecycleMetrics, SayHowFarARunIs) {
  const std::string page = PageOf(Planted());
  for (const auto& [series, value] : {
           std::pair{"twofold_lifecycle_run_info{run=\"r1\",kind=\"job\",namespace=\"load\"}", 1},
           std::pair{"twofold_lifecycle_planned", 5},
           std::pair{"twofold_lifecycle_sent_total", 3},
           std::pair{"twofold_lifecycle_created_total", 2},
           std::pair{"twofold_lifecycle_refused_total{reason=\"Forbidden\"}", 1},
           std::pair{"twofold_lifecycle_throttled_total", 4},
           std::pair{"twofold_lifecycle_open", 1},
           std::pair{"twofold_lifecycle_workloads{state=\"complete\"}", 1},
           std::pair{"twofold_lifecycle_workloads{state=\"ready\"}", 1},
           std::pair{"twofold_lifecycle_workloads{state=\"refused\"}", 1},
           std::pair{"twofold_lifecycle_moment_seconds_count{moment=\"pod_ready\"}", 2},
           std::pair{"twofold_lifecycle_moment_seconds_count{moment=\"complete\"}", 1},
           std::pair{"twofold_lifecycle_moment_seconds_sum{moment=\"complete\"}", 1},
           std::pair{"twofold_lifecycle_lateness_seconds_count", 3},
           std::pair{"twofold_lifecycle_watch_lag_seconds_count", 1},
           std::pair{"twofold_lifecycle_watch_breaks_total", 1},
       }) {
    EXPECT_EQ(testing::SeriesIn(page, series), value) << series;
  }
}

TEST(LifecycleMetrics, ARunThatHasJustBegunHasNoTimes) {
  const std::string page = PageOf({});
  EXPECT_EQ(testing::SeriesIn(page, "twofold_lifecycle_sent_total"), 0);
  EXPECT_EQ(testing::SeriesIn(page, "twofold_lifecycle_lateness_seconds_count"), 0);
  EXPECT_EQ(page.find("moment="), std::string::npos);
}

}  // namespace
}  // namespace twofold::lifecycle
