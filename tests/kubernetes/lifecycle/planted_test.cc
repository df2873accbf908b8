#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/stats/quantile.h"
#include "tests/kubernetes/lifecycle/run_fixture.h"
#include "tests/support/sanitized.h"

// What a run reports is compared with what the fake server knows to be true.
namespace twofold::lifecycle {
namespace {

/// When the server gave each version of an object to a socket first.
class SentStamps {
 public:
  explicit SentStamps(const std::vector<fakes::KubeSend>& sends) {
    for (const fakes::KubeSend& each : sends) {
      stamps_.try_emplace({each.plural, each.name, each.version}, each.at);
    }
  }

  [[nodiscard]] Instant At(const std::string& plural, const std::string& name,
                           const std::string& version) const {
    const auto found = stamps_.find({plural, name, version});
    EXPECT_NE(found, stamps_.end()) << plural << " " << name << " " << version;
    return found == stamps_.end() ? Instant{} : found->second;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, Instant> stamps_;
};

/// How long a busy machine held up a thread that only wants to wake each millisecond: what happens
/// to it happens to the thread that reads a watch.
class Stalls {
 public:
  double MostSeconds() {
    thread_.request_stop();
    thread_.join();
    return ToSeconds(most_);
  }

 private:
  Duration most_{};
  std::jthread thread_{[this](const std::stop_token& stop) {
    for (Instant due = Now(); !stop.stop_requested(); due = Now()) {
      due += milliseconds(1);
      std::this_thread::sleep_until(due);
      most_ = std::max<Duration>(most_, Now() - due);
    }
  }};
};

struct StepOfJob {
  Moment moment;
  bool of_pod;
};

// In the order in which the controller keeps them.
constexpr std::array<StepOfJob, 4> kStepsOfJob = {{{Moment::kFirstPod, true},
                                                   {Moment::kScheduled, true},
                                                   {Moment::kReady, true},
                                                   {Moment::kComplete, false}}};

/// Of all workloads: from sending on, in seconds.
struct Compared {
  std::vector<double> seen;
  std::vector<double> stamped;
};

double QuantileIn(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return stats::QuantileOf(values, q)->value;
}

TEST_F(RunTest, PercentilesOfEachStepAreThoseThatTheServerSent) {
  api_.sends();                                       // they are kept from here on
  BeginController({.complete = milliseconds(1200)});  // long enough for canaries
  RunPlan plan = Plan(kSanitized ? 60 : 400);
  plan.spec.set_rate(kSanitized ? 30 : 200);
  Stalls stalls;
  ASSERT_TRUE(Execute(plan).ok());
  const double stalled = stalls.MostSeconds();
  const Report report = Reported();
  ASSERT_EQ(CountIn(report, "complete"), plan.spec.count());
  ASSERT_TRUE(report.lag);
  const SentStamps stamps(api_.sends());
  const auto versions = controller_->versions();
  std::array<Compared, kStepsOfJob.size()> compared;
  for (const Life& life : Lives()) {
    const Sights sights = SightsOf(life);
    const Instant sent = Of(sights, Moment::kSent)->at;
    const std::string pod = FakeController::PodOf(kube::ObjectName{life.space, life.name}).name;
    for (std::size_t i = 0; i < kStepsOfJob.size(); ++i) {
      const auto [moment, of_pod] = kStepsOfJob[i];
      const Instant stamp = stamps.At(of_pod ? "pods" : "jobs", of_pod ? pod : life.name,
                                      versions.at(life.name).at(i));
      const auto& sight = Of(sights, moment);
      ASSERT_TRUE(sight) << life.name << " " << Name(moment);
      EXPECT_GE(sight->at, stamp) << life.name << " " << Name(moment) << " was seen before it came";
      compared[i].seen.push_back(ToSeconds(sight->at - sent));
      compared[i].stamped.push_back(ToSeconds(stamp - sent));
    }
  }
  const double error = 0.002 + report.lag->at_most_seconds + stalled;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    for (const double q : {0.5, 0.9, 0.99}) {
      const double late = QuantileIn(compared[i].seen, q) - QuantileIn(compared[i].stamped, q);
      EXPECT_GE(late, 0.0);
      EXPECT_LE(late, error) << Name(kStepsOfJob[i].moment) << " p" << q * 100;
    }
  }
}

/// What goes wrong in a run of 20 Jobs, once all pods that will be ready are. Then all Jobs end.
void Spoil(KubeApi& api) {
  const auto ready = [](const kube::Json& pod) { return pod["status"]["phase"] == "Running"; };
  testing::Await([&] {
    const auto pods = api.All(kube::kPods);
    return std::count_if(pods.begin(), pods.end(), ready) == 17;
  });
  const auto pod = [](int i) { return kube::ObjectName{"load", absl::StrCat("r1-", i, "-x")}; };
  for (const int restarted : {0, 1}) {
    api.Change(kube::kPods, pod(restarted), [](kube::Json& object) {
      object["status"]["containerStatuses"] = {{{"name", "main"}, {"restartCount", 2}}};
    });
  }
  for (const int evicted : {2, 3, 4}) {
    api.Change(kube::kPods, pod(evicted), [](kube::Json& object) {
      object["status"]["conditions"].push_back({{"type", "DisruptionTarget"}, {"status", "True"}});
    });
  }
  api.BreakWatches();
  testing::Await([&] { return api.AwaitWatches(3, Now() + milliseconds(100)); });
  for (const kube::Json& job : api.All(kube::kJobs)) {
    api.Change(kube::kJobs, kube::NameOf(job), [](kube::Json& object) {
      object["status"]["conditions"].push_back({{"type", "Complete"}, {"status", "True"}});
    });
  }
}

TEST_F(RunTest, WhatWasPlantedIsCountedExactly) {
  BeginController({.ends = false, .never_ready = {"r1-5", "r1-6", "r1-7"}});
  KubeFault throttle = Fault(KubeFault::Kind::kThrottle, "create", "jobs", 4);
  throttle.retry_after_s = 0;
  std::thread spoiler([&] {
    AddOnceItBegins(api_, throttle);
    Spoil(api_);
  });
  const Status status = Execute(Plan(20));
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 20);
  EXPECT_EQ(CountIn(report, "restarts"), 4);
  EXPECT_EQ(CountIn(report, "evictions"), 3);
  EXPECT_EQ(CountIn(report, "throttled"), 4);
  EXPECT_EQ(CountIn(report, "watch_breaks"), 3) << "of Jobs, of pods, of the record";
  EXPECT_EQ(CountIn(report, "refused"), 0);
  const auto ready = std::find_if(report.spans.begin(), report.spans.end(),
                                  [](const SpanSummary& span) { return span.name == "pod_ready"; });
  ASSERT_NE(ready, report.spans.end());
  EXPECT_EQ(ready->n, 17U);
  EXPECT_EQ(ready->missing, 3U);
}

}  // namespace
}  // namespace twofold::lifecycle
