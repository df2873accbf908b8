#include "frontend/scalers/metric_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace twofold::scalers {
namespace {

using aggregated::Asked;
using kube::Json;
using ::testing::HasSubstr;

/// Queue a: 3 jobs wait and 1 runs, half a job a second comes. Queue b: nothing. Queue c: unknown.
MetricSource Source() {
  return {.queues = {"a", "b", "c"},
          .read = [](const Trigger& trigger) -> Result<Reading> {
            if (trigger.queue == "c") return absl::UnavailableError("queue c: nobody serves it");
            if (trigger.queue == "b") return Reading{.now = {}, .flow = Flow()};
            Reading reading{.now = {.waiting = 3, .running = 1, .wanted_workers = 4},
                            .flow = Flow{.arrivals = 0.5, .ends = 0.25, .running = 1},
                            .age = std::chrono::seconds(2)};
            if (trigger.window == std::chrono::seconds(7)) reading.flow.reset();
            return reading;
          },
          .wall = [] { return kube::UnixTime(std::chrono::seconds(1'700'000'000)); },
          .service = {"monitoring", "fe"}};
}

http::Response Get(Asked asked) { return AnswerMetric(Source(), asked); }

http::Response External(const std::string& metric, const std::string& selector) {
  return Get(
      {kExternalMetrics, "v1beta1", {"namespaces", "any", metric}, {{"labelSelector", selector}}});
}

http::Response Custom(const std::vector<std::string>& parts, const std::string& selector,
                      const std::string& version = "v1beta2") {
  return Get({kCustomMetrics, version, parts, {{"metricLabelSelector", selector}}});
}

std::string MessageOf(const http::Response& response) {
  return Json::parse(response.body).at("message").get<std::string>();
}

TEST(MetricAnswers, AnExternalMetricHasAnItemAQueue) {
  const http::Response response = External("twofold_wanted", "queue=a");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(Json::parse(response.body), Json::parse(R"({"kind": "ExternalMetricValueList",
      "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": {}, "items": [{
      "metricName": "twofold_wanted", "metricLabels": {"queue": "a"},
      "timestamp": "2023-11-14T22:13:18Z", "value": "4"}]})"))
      << "of the moment that the number is about";
  const Json both = Json::parse(External("twofold_waiting", "queue in (a,b)").body);
  ASSERT_EQ(both["items"].size(), 2U);
  EXPECT_EQ(both["items"][0]["value"], "3");
  EXPECT_EQ(both["items"][1]["value"], "0") << "an explicit 0";
}

TEST(MetricAnswers, RatesHaveTheirWindow) {
  const Json rate = Json::parse(External("twofold_arrivals_per_second", "queue=a,window=30").body);
  ASSERT_EQ(rate["items"].size(), 1U) << rate;
  EXPECT_EQ(rate["items"][0]["value"], "500m");
  EXPECT_EQ(rate["items"][0]["window"], 30);
  EXPECT_EQ(rate["items"][0]["metricLabels"], Json::parse(R"({"queue": "a", "window": "30"})"));
  const Json wanted =
      Json::parse(External("twofold_wanted_by_rate", "queue=a,utilisation=0.5").body);
  EXPECT_EQ(wanted["items"][0]["value"], "4") << wanted;
}

TEST(MetricAnswers, ANumberThatIsNotKnownIsAnErrorForAllThatItIsAddedTo) {
  for (const char* selector : {"queue=c", "queue in (a,c)", "queue!=a", ""}) {
    const http::Response response = External("twofold_wanted", selector);
    EXPECT_EQ(response.status, 503) << selector;
    EXPECT_EQ(MessageOf(response), "queue c: nobody serves it");
  }
  EXPECT_EQ(External("twofold_drain_seconds", "queue=a,window=7").status, 503);
  EXPECT_EQ(External("twofold_wanted", "queue=a,window=7").status, 200) << "which needs no rate";
}

TEST(MetricAnswers, WhatIsAskedWronglyIsNamed) {
  EXPECT_EQ(External("twofold_wantd", "").status, 404);
  EXPECT_THAT(MessageOf(External("twofold_wantd", "")), HasSubstr("did you mean 'twofold_wanted'"));
  EXPECT_EQ(External("wanted", "").status, 404);
  EXPECT_EQ(External("twofold_wanted", "queue=d").status, 404);
  EXPECT_THAT(MessageOf(External("twofold_wanted", "queue=d")), HasSubstr("no queue 'd'"));
  EXPECT_EQ(External("twofold_wanted", "queue,!queue").status, 404);
  EXPECT_EQ(External("twofold_wanted", "queu=a").status, 400);
  EXPECT_THAT(MessageOf(External("twofold_wanted", "queu=a")), HasSubstr("did you mean 'queue'"));
  EXPECT_THAT(MessageOf(External("twofold_wanted", "queue=a,window=1")),
              HasSubstr("labelSelector: window is '1', and has to be 5 to 600 seconds"));
  EXPECT_THAT(MessageOf(External("twofold_wanted", "window")), HasSubstr("window needs one value"));
  EXPECT_EQ(External("twofold_wanted", "queue>3").status, 400);
  EXPECT_EQ(Get({kExternalMetrics, "v1beta1", {"pods", "x", "twofold_wanted"}, {}}).status, 404);
}

TEST(MetricAnswers, ACustomMetricIsOneNumberOfTheFrontendsServiceOrItsNamespace) {
  const std::vector<std::string> service = {"namespaces", "monitoring", "services", "fe",
                                            "twofold_arrivals_per_second"};
  EXPECT_EQ(Json::parse(Custom(service, "queue=a").body), Json::parse(R"({"kind": "MetricValueList",
      "apiVersion": "custom.metrics.k8s.io/v1beta2", "metadata": {}, "items": [{
      "describedObject": {"kind": "Service", "namespace": "monitoring", "name": "fe",
                          "apiVersion": "/v1"},
      "metric": {"name": "twofold_arrivals_per_second",
                 "selector": {"matchLabels": {"queue": "a"}}},
      "timestamp": "2023-11-14T22:13:18Z", "windowSeconds": 60, "value": "500m"}]})"));
  EXPECT_EQ(Json::parse(Custom(service, "queue=a", "v1beta1").body),
            Json::parse(R"({"kind": "MetricValueList",
      "apiVersion": "custom.metrics.k8s.io/v1beta1", "metadata": {}, "items": [{
      "describedObject": {"kind": "Service", "namespace": "monitoring", "name": "fe",
                          "apiVersion": "/v1"},
      "metricName": "twofold_arrivals_per_second", "selector": {"matchLabels": {"queue": "a"}},
      "timestamp": "2023-11-14T22:13:18Z", "window": 60, "value": "500m"}]})"));
  const Json space = Json::parse(
      Custom({"namespaces", "monitoring", "metrics", "twofold_waiting"}, "queue=a").body);
  EXPECT_EQ(space["items"][0]["describedObject"],
            Json::parse(R"({"kind": "Namespace", "name": "monitoring", "apiVersion": "/v1"})"));
  EXPECT_EQ(space["items"][0]["value"], "3");
}

TEST(MetricAnswers, OtherObjectsHaveNoMetricsOfQueues) {
  for (const std::vector<std::string>& parts : std::vector<std::vector<std::string>>{
           {"namespaces", "monitoring", "services", "other", "twofold_wanted"},
           {"namespaces", "monitoring", "services", "*", "twofold_wanted"},
           {"namespaces", "other", "services", "fe", "twofold_wanted"},
           {"namespaces", "other", "metrics", "twofold_wanted"},
           {"namespaces", "monitoring", "pods", "fe", "twofold_wanted"},
           {"namespaces", "monitoring", "services", "fe"},
           {"namespaces", "monitoring"},
           {"nodes", "n", "twofold_wanted"}}) {
    EXPECT_EQ(Custom(parts, "queue=a").status, 404) << ::testing::PrintToString(parts);
  }
  const http::Response several =
      Custom({"namespaces", "monitoring", "services", "fe", "twofold_wanted"}, "queue in (a,b)");
  EXPECT_EQ(several.status, 400);
  EXPECT_THAT(MessageOf(several), HasSubstr("name one queue, queue=a"));
}

TEST(MetricAnswers, AllMetricsAreListed) {
  const auto groups = MetricGroups();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, kExternalMetrics);
  ASSERT_EQ(groups[0].versions.size(), 1U);
  EXPECT_EQ(groups[0].versions[0].resources.size(), Metrics().size());
  EXPECT_EQ(groups[0].versions[0].resources[0].name, "twofold_wanted");
  EXPECT_EQ(groups[1].name, kCustomMetrics);
  ASSERT_EQ(groups[1].versions.size(), 2U);
  EXPECT_EQ(groups[1].versions[0].version, "v1beta2") << "the preferred one";
  EXPECT_EQ(groups[1].versions[0].resources[0].name, "services/twofold_wanted");
  EXPECT_EQ(groups[1].versions[0].resources[1].name, "namespaces/twofold_wanted");
  EXPECT_FALSE(groups[1].versions[0].resources[1].namespaced);
}

}  // namespace
}  // namespace twofold::scalers
