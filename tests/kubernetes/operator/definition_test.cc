#include "kubernetes/operator/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "kubernetes/operator/line.h"
#include "kubernetes/operator/status.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"
#include "suites/table/table.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Json BenchmarkOf(const std::string& name, Json spec) {
  return {{"apiVersion", "twofold.dev/v1alpha1"},
          {"kind", "Benchmark"},
          {"metadata",
           {{"name", name},
            {"namespace", "a"},
            {"uid", "uid-of-" + name},
            {"creationTimestamp", "2026-11-29T12:00:00Z"}}},
          {"spec", std::move(spec)}};
}

TEST(Definition, IsAFileThatRunTakes) {
  const Json spec = Json::parse(R"({
      "template": {"kind": "Fio", "spec": {"size": "1G", "runtime": "5s"}},
      "permutations": {"product": {"rw": ["read", "write"], "bs": ["4k", "1M"]}},
      "repetitions": 2, "queue": "disks", "suspend": true, "activeDeadlineSeconds": 60,
      "ttlSecondsAfterFinished": 5})");
  const RunOrder order = OrderOf(BenchmarkOf("x", spec));
  EXPECT_EQ(order.id, "x-uid-of-x");
  EXPECT_EQ(order.object, "a/x");
  EXPECT_EQ(order.queue, "disks");
  const auto sweep = spec::ReadSweep("a/x", order.definition, suite::Kinds());
  ASSERT_TRUE(sweep.ok()) << sweep.status() << order.definition;
  EXPECT_EQ(sweep->name, "x");
  EXPECT_EQ(sweep->queue, "disks");
  const auto expansion = spec::Expand(*sweep);
  ASSERT_TRUE(expansion.ok()) << expansion.status();
  EXPECT_EQ(expansion->permutations.size(), 4U);
  EXPECT_EQ(expansion->jobs.size(), 8U);
}

TEST(Definition, OfTheExampleIsWhole) {
  std::ifstream file(TWOFOLD_SOURCE "/examples/operator/fio-quick.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto document = yaml::ParseDocument(text);
  ASSERT_TRUE(document.ok()) << document.status();
  Json example = Json::parse(yaml::ToJson(**document).dump());
  example["metadata"]["name"] = "fio-quick-1";
  const auto sweep = spec::ReadSweep("x", OrderOf(example).definition, suite::Kinds());
  ASSERT_TRUE(sweep.ok()) << sweep.status();
  const auto expansion = spec::Expand(*sweep);
  ASSERT_TRUE(expansion.ok()) << expansion.status();
  EXPECT_EQ(expansion->jobs.size(), 12U);
}

TEST(Definition, NumbersWithAPointAreTextsInObjectsAndNumbersInFiles) {
  const Json spec = Json::parse(R"({
      "template": {"kind": "GPU", "spec": {"seconds": "0.5", "device": "0"}},
      "permutations": {"product": {"gflop": ["1.5", 2]}, "explicit": [{"gflop": "0.25"}]}})");
  const RunOrder order = OrderOf(BenchmarkOf("x", spec));
  const auto sweep = spec::ReadSweep("a/x", order.definition, suite::Kinds());
  ASSERT_TRUE(sweep.ok()) << sweep.status();
  const auto expansion = spec::Expand(*sweep);
  ASSERT_TRUE(expansion.ok()) << expansion.status();
  std::vector<std::string> specs;
  for (const auto& permutation : expansion->permutations) specs.push_back(permutation.spec);
  EXPECT_THAT(specs, ElementsAre(R"({"device":"0","seconds":0.5,"gflop":1.5})",
                                 R"({"device":"0","seconds":0.5,"gflop":2})",
                                 R"({"device":"0","seconds":0.5,"gflop":0.25})"))
      << "a text stays one";
}

TEST(Definition, TheRunOfAnObjectIsItsOwn) {
  const Json first = BenchmarkOf("x", {{"template", {{"kind", "Fio"}}}});
  Json second = first;
  second["metadata"]["uid"] = "another";
  EXPECT_NE(RunIdOf(first), RunIdOf(second));
  const Json longest = BenchmarkOf(std::string(253, 'x'), {});
  EXPECT_LE(RunIdOf(longest).size(), 100U + 253);
  EXPECT_EQ(RunIdOf(longest).substr(0, 61), std::string(60, 'x') + "-");
}

TEST(Definition, OddObjectsAreNoCrash) {
  for (const char* spec : {"null", "[]", "{}", R"({"template":1})", R"({"template":{"spec":[]}})",
                           R"({"template":{"kind":"Fio"},"permutations":{"explicit":[1,null]}})"}) {
    const RunOrder order = OrderOf(BenchmarkOf("x", Json::parse(spec)));
    const auto sweep = spec::ReadSweep("a/x", order.definition, suite::Kinds());
    EXPECT_FALSE(sweep.ok() && spec::Expand(*sweep).ok()) << spec;
    EXPECT_FALSE(HandlingOf(BenchmarkOf("x", Json::parse(spec))).suspend);
  }
}

TEST(Definition, TheRestIsTheOperators) {
  const Handling none = HandlingOf(BenchmarkOf("x", Json::object()));
  EXPECT_FALSE(none.suspend);
  EXPECT_FALSE(none.deadline);
  EXPECT_FALSE(none.keep);
  const Handling all = HandlingOf(BenchmarkOf(
      "x",
      Json::parse(R"({"suspend":true,"activeDeadlineSeconds":60,"ttlSecondsAfterFinished":0})")));
  EXPECT_TRUE(all.suspend);
  EXPECT_EQ(all.deadline, seconds(60));
  EXPECT_EQ(all.keep, seconds(0));
}

// ---- whose turn it is

class LineTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const char* created, Json status = Json::object(),
           const char* kind = "Fio", bool suspend = false) {
    Json benchmark = BenchmarkOf(name, {{"template", {{"kind", kind}}}, {"suspend", suspend}});
    benchmark["metadata"]["creationTimestamp"] = created;
    benchmark["status"] = std::move(status);
    all_.push_back(std::make_shared<const Json>(std::move(benchmark)));
  }
  std::string Before(const std::string& name) {
    for (const auto& each : all_) {
      if (kube::NameOf(*each).name != name) continue;
      const auto before = benchmarks::Before(*each, all_);
      return before ? before->name : "";
    }
    return "?";
  }
  std::vector<std::string> Next() {
    std::vector<std::string> names;
    for (const auto& next : NextInLine(all_)) names.push_back(kube::NameOf(*next).name);
    return names;
  }

  std::vector<controller::Snapshot> all_;
};

constexpr const char* kEarly = "2026-11-29T12:00:00Z";
constexpr const char* kLate = "2026-11-29T12:00:05Z";

TEST_F(LineTest, TheOlderGoesFirstAndThenTheName) {
  Add("b", kEarly);
  Add("c", kEarly);
  Add("a", kLate);
  EXPECT_EQ(Before("b"), "");
  EXPECT_EQ(Before("c"), "b");
  EXPECT_EQ(Before("a"), "b");
  EXPECT_THAT(Next(), ElementsAre("b"));
}

TEST_F(LineTest, EachFrontendHasLinesOfItsOwn) {
  Add("a", kEarly);
  Add("b", kLate);
  Add("c", kLate);
  Json other = *all_[1];
  other["spec"]["frontendRef"] = "y";
  all_[1] = std::make_shared<const Json>(std::move(other));
  EXPECT_EQ(Before("b"), "");
  EXPECT_EQ(Before("c"), "a");
  EXPECT_THAT(Next(), ElementsAre("a", "b"));
}

TEST_F(LineTest, WhoHasBegunGoesBeforeWhoIsOlder) {
  Add("old", kEarly);
  Add("begun", kLate, {{"startTime", kLate}});
  EXPECT_EQ(Before("old"), "begun");
  EXPECT_EQ(Before("begun"), "");
  EXPECT_THAT(Next(), IsEmpty());
}

TEST_F(LineTest, WhoIsOverOrRestsLetsOthersPass) {
  Add("over", kEarly, {{"startTime", kEarly}, {"completionTime", kEarly}});
  Add("rests", kEarly, {{"running", 0}}, "Fio", true);
  Add("x", kLate);
  EXPECT_EQ(Before("x"), "");
  Add("ends", kEarly, {{"running", 1}, {"startTime", kEarly}}, "Fio", true);
  EXPECT_EQ(Before("x"), "ends") << "a job of it still runs";
}

TEST_F(LineTest, QueuesAreApart) {
  Add("x", kEarly);
  Add("y", kLate, Json::object(), "IPerf");
  EXPECT_EQ(Before("y"), "");
  EXPECT_THAT(Next(), ElementsAre("x", "y"));
}

// ---- the status

TEST(StatusDraft, ChangesWhenItsConditionsDo) {
  const kube::UnixTime now{seconds(1'790'000'000)};
  Json object = BenchmarkOf("x", Json::object());
  object["metadata"]["generation"] = 3;
  StatusDraft first(object, now);
  EXPECT_TRUE(first.Set({"Running", controller::Truth::kFalse, "Queued", "behind"}));
  EXPECT_FALSE(first.Set({"Running", controller::Truth::kFalse, "Queued", "behind b"}));
  object["status"] = first.status();
  StatusDraft second(object, now + seconds(5));
  second.Set({"Running", controller::Truth::kFalse, "Queued", "behind b"});
  EXPECT_FALSE(second.has_changed());
  EXPECT_EQ(second.Object()["status"]["observedGeneration"], 3);
}

TEST(StatusDraft, HasTheFirstHeadlinesAndHowManyThereAre) {
  const Json object = BenchmarkOf("x", Json::object());
  StatusDraft draft(object, {});
  Results results;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    results.headlines.push_back({.permutation = i,
                                 .varied = "{\"bs\":\"" + std::string(1000, 'x') + "\"}",
                                 .name = "bw",
                                 .unit = "MB/s",
                                 .mean = static_cast<double>(i)});
  }
  results.in_all = 5000;
  draft.SetResults(results);
  EXPECT_EQ(draft.status()["results"].size(), kMostResults);
  EXPECT_EQ(draft.status()["resultsInAll"], 5000);
  EXPECT_EQ(draft.status()["result"], "1 .. 100 MB/s");
  EXPECT_LT(draft.status().dump().size(), 12'000U);
}

TEST(ResultText, IsTheHeadline) {
  EXPECT_EQ(ResultText({}), "");
  EXPECT_EQ(ResultText({{.name = "bw", .unit = "Gbit/s", .mean = 9.41234, .half_width = 0.0512}}),
            "9.412 Gbit/s ± 0.0512");
  EXPECT_EQ(ResultText({{.name = "n", .mean = 5}}), "5");
  // Another headline of the same permutation is another number.
  EXPECT_EQ(ResultText({{.permutation = 1, .name = "read", .unit = "MB/s", .mean = 5},
                        {.permutation = 1, .name = "write", .unit = "MB/s", .mean = 900}}),
            "5 MB/s");
}

}  // namespace
}  // namespace twofold::benchmarks
