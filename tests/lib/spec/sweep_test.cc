#include "lib/spec/sweep.h"

#include <gmock/gmock.h>

#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Sweep ReadWell(const std::string& text) {
  auto sweep = ReadSweep("f.yaml", text, suite::Kinds());
  EXPECT_TRUE(sweep.ok()) << sweep.status();
  return sweep.ok() ? *sweep : Sweep();
}

std::string ReplaceFirst(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ReadSweep, DefaultsAreThoseOfKubePerftest) {
  const Sweep sweep = ReadWell(IPerfSet(""));
  EXPECT_EQ(sweep.name, "set");
  EXPECT_EQ(sweep.kind->name, "IPerf");
  EXPECT_EQ(sweep.repetitions, 1U);
  EXPECT_EQ(sweep.warmup, 0U);
  EXPECT_EQ(sweep.order, Order::kConsecutive);
  EXPECT_EQ(sweep.max_parallel, 1U);
  EXPECT_FALSE(sweep.fail_fast || sweep.until || sweep.sample || sweep.nodes);
}

TEST(ReadSweep, ReadsEveryOption) {
  const Sweep sweep = ReadWell(IPerfSet(
      "repetitions: 4\nwarmup: 2\norder: shuffled\nseed: 9\nmaxParallel: 3\nfailFast: yes\n"
      "timeLimits: {job: 90s, run: 2h}\nsample: {count: 5, seed: 6}\n"
      "nodes: {select: [a, b], combinations: 2}\nuntil: {relativeInterval: 2.5%, max: 30}\n"));
  EXPECT_EQ(sweep.repetitions, 4U);
  EXPECT_EQ(sweep.warmup, 2U);
  EXPECT_EQ(sweep.order, Order::kShuffled);
  EXPECT_EQ(sweep.seed, 9U);
  EXPECT_EQ(sweep.max_parallel, 3U);
  EXPECT_TRUE(sweep.fail_fast);
  EXPECT_EQ(sweep.job_limit_seconds, 90.0);
  EXPECT_EQ(sweep.run_limit_seconds, 7200.0);
  EXPECT_EQ(sweep.sample->count, 5U);
  EXPECT_EQ(sweep.sample->seed, 6U);
  EXPECT_EQ(sweep.nodes->combinations, 2U);
  EXPECT_DOUBLE_EQ(sweep.until->relative_interval, 0.025);
  EXPECT_EQ(sweep.until->most, 30U);
}

TEST(ReadSweep, ASingleBenchmarkIsOneJob) {
  const Expansion expansion = ExpandedWell(
      "apiVersion: perftest.stackhpc.com/v1alpha1\nkind: IPerf\nmetadata:\n  name: one\n"
      "spec:\n  duration: 30\n  streams: 8\n");
  ASSERT_EQ(expansion.jobs.size(), 1U);
  EXPECT_EQ(expansion.permutations[0].spec, R"({"duration":30,"streams":8})");
}

TEST(ReadSweep, TakesWhatKubernetesHasAdded) {
  const std::string text =
      ReplaceFirst(IPerfSet("permutations: {product: {streams: [1]}}\n"), "  name: set\n",
                   "  name: set\n  namespace: default\n  uid: 1-2\n"
                   "  creationTimestamp: null\n  labels: {a: b}\n");
  EXPECT_EQ(ErrorOf(text + "status: {count: 1, completed: {}}\n"), "no error");
}

TEST(ReadSweep, OurOwnVersionNeedsNoneInTheTemplate) {
  std::string text = IPerfSet("permutations: {product: {streams: [1]}}\n");
  text = ReplaceFirst(text, "perftest.stackhpc.com/v1alpha1", "twofold/v1");
  text = ReplaceFirst(text, "    apiVersion: perftest.stackhpc.com/v1alpha1\n", "");
  EXPECT_EQ(ErrorOf(text), "no error");
}

TEST(ReadSweep, OtherVersionsAreRefused) {
  const std::string text = IPerfSet("");
  EXPECT_EQ(
      ErrorOf(ReplaceFirst(text, "stackhpc.com/v1alpha1", "nscale.com/v1alpha1")),
      "f.yaml:1:13: apiVersion: 'perftest.nscale.com/v1alpha1' is not known, only twofold/v1, "
      "perftest.stackhpc.com/v1alpha1, twofold.dev/v1alpha1");
  EXPECT_THAT(ErrorOf(ReplaceFirst(text, "    apiVersion: perftest.stackhpc.com/v1alpha1",
                                   "    apiVersion: batch/v1")),
              HasSubstr("7:17: spec.template.apiVersion: 'batch/v1' is not known"));
}

TEST(ReadSweep, WhatIsMissingIsNamed) {
  EXPECT_EQ(ErrorOf("kind: IPerf\n"), "f.yaml:1:1: apiVersion: is missing");
  EXPECT_EQ(ErrorOf("apiVersion: twofold/v1\nkind: IPerf\nmetadata: {}\n"),
            "f.yaml:3:11: metadata.name: is missing");
  const std::string set = "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: a}\n";
  EXPECT_THAT(ErrorOf(set), HasSubstr("spec.template: is missing"));
  EXPECT_THAT(ErrorOf(set + "spec: {template: {}}\n"), HasSubstr("spec.template.kind: is missing"));
  EXPECT_EQ(ErrorOf("[]"), "f.yaml:1:1: must be a map, is a list");
}

TEST(ReadSweep, ANameThatIsToBeGeneratedIsItsPrefix) {
  const std::string begin =
      "apiVersion: twofold/v1\nkind: IPerf\nspec: {duration: 1, streams: 1}\n";
  const auto read = [&](const std::string& metadata) {
    return ReadSweep("f", begin + "metadata: " + metadata + "\n", suite::Kinds());
  };
  EXPECT_EQ(read("{generateName: rdma-bw-read-}")->name, "rdma-bw-read");
  EXPECT_EQ(read("{generateName: a-, name: b}")->name, "b");
  EXPECT_FALSE(read("{generateName: '-'}").ok());
  EXPECT_FALSE(read("{generateName: 5}").ok());
  EXPECT_EQ(read("{name: a, runid: 0x10}")->run_id, "0x10");
}

TEST(ReadSweep, NamesAreFitForFilesAndLabels) {
  const std::string text = IPerfSet("permutations: {product: {streams: [1]}}\n");
  EXPECT_THAT(ErrorOf(ReplaceFirst(text, "name: set", "name: ../x")),
              HasSubstr("metadata.name: must be"));
  EXPECT_THAT(ErrorOf(ReplaceFirst(text, "name: set", "name: 5")),
              HasSubstr("metadata.name: must be text"));
}

TEST(ReadSweep, RepetitionsAreOneOrMore) {
  EXPECT_THAT(ErrorOf(IPerfSet("repetitions: 0\n")),
              HasSubstr("spec.repetitions: 0 is less than 1"));
}

TEST(ReadSweep, TimeLimitsAreSecondsUnlessAUnitIsWritten) {
  const auto job_limit = [](const std::string& time) {
    return ReadWell(IPerfSet("timeLimits: {job: " + time + "}\n")).job_limit_seconds;
  };
  EXPECT_EQ(job_limit("30"), 30.0);
  EXPECT_EQ(job_limit("1.5"), 1.5);
  EXPECT_EQ(job_limit("250ms"), 0.25);
  EXPECT_EQ(job_limit("2H"), 7200.0);
  EXPECT_EQ(job_limit("1d"), 86400.0);
  for (const char* bad : {"30x", "0s", "s", "1:30", "-5", "4000d", "''"}) {
    EXPECT_THAT(ErrorOf(IPerfSet(std::string("timeLimits: {job: ") + bad + "}\n")),
                HasSubstr("spec.timeLimits.job: must be a time such as 90s"))
        << bad;
  }
}

TEST(Expand, ANumberOfSecondsMayBeWrittenAsATime) {
  const Kind kind = {
      .name = "IPerf",
      .suite = "iperf",
      .fields = {{"duration", Whole(1, 86400), "", "s", ""}, {"streams", Whole(1), "", "", ""}},
      .check = [](std::string_view) -> Result<std::uint32_t> { return 1U; }};
  const auto expanded = [&](const std::string& product) {
    const auto sweep = ReadSweep(
        "f.yaml", IPerfSet("permutations:\n  product:\n    " + product + "\n"), {&kind, 1});
    return Expand(*sweep);
  };
  const auto times = expanded("duration: [30, 30s, 1m30s, 1d]");
  ASSERT_TRUE(times.ok()) << times.status();
  std::string specs;
  for (const auto& permutation : times->permutations) specs += permutation.spec;
  for (const char* seconds : {"\"duration\":30", "\"duration\":90", "\"duration\":86400"}) {
    EXPECT_THAT(specs, HasSubstr(seconds));
  }
  EXPECT_EQ(specs.find("\"duration\":\""), std::string::npos) << specs;
  EXPECT_THAT(ErrorOf(IPerfSet("permutations: {product: {streams: [30s]}}\n")),
              HasSubstr("must be a whole number, is '30s'"));
  for (const char* bad : {"500ms", "2d", "30x", "'30'"}) {
    EXPECT_FALSE(expanded(std::string("duration: [") + bad + "]").ok()) << bad;
  }
}

TEST(Expand, AnErrorNamesFileLineFieldAndPermutation) {
  EXPECT_EQ(ErrorOf(IPerfSet("permutations:\n  product:\n    reverse: [true, false]\n"
                             "    streams: [4, 0]\n")),
            "f.yaml:14:20: streams: 0 is less than 1 (permutation 2: reverse=true streams=0)");
}

TEST(Expand, WhatTheSuiteRefusesIsSaidInTheSameWay) {
  Kind refuses_eight = {.name = "IPerf", .suite = "iperf"};
  refuses_eight.fields = {{"duration", Whole(1), "", "", ""}, {"streams", Whole(1), "", "", ""}};
  refuses_eight.check = [](std::string_view spec) -> Result<std::uint32_t> {
    if (spec.find('8') == std::string_view::npos) return 1U;
    return absl::InvalidArgumentError("streams.of: too many");
  };
  const auto sweep = ReadSweep("f.yaml",
                               IPerfSet("permutations:\n  product:\n"
                                        "    streams: [4, 8]\n"),
                               {&refuses_eight, 1});
  ASSERT_TRUE(sweep.ok()) << sweep.status();
  EXPECT_EQ(Expand(*sweep).status().message(),
            "f.yaml:13:20: streams.of: too many (permutation 2: streams=8)");
}

TEST(Expand, AnErrorIsOneShortLineWhateverTheFileSays) {
  const std::string huge(10'000, 'x');
  for (const std::string& streams :
       {huge, std::string(R"("a\e[31m\nb")"), "? " + huge + "\n        : 1"}) {
    const std::string error =
        ErrorOf(IPerfSet("permutations:\n  product:\n    streams:\n      - " + streams + "\n"));
    EXPECT_LT(error.size(), 1000U);
    EXPECT_EQ(error.find_first_of("\n\x1b"), std::string::npos) << error;
    EXPECT_THAT(error, StartsWith("f.yaml:14:")) << error;
  }
}

TEST(Expand, IsTheSameEveryTime) {
  const std::string text = IPerfSet(
      "permutations: {product: {streams: [1, 2, 3, 4, 5, 6, 7, 8]}}\n"
      "order: shuffled\nrepetitions: 3\nsample: {count: 5}\n");
  const Expansion first = ExpandedWell(text);
  const Expansion second = ExpandedWell(text);
  EXPECT_EQ(first.jobs, second.jobs);
  for (std::size_t i = 0; i < first.permutations.size(); ++i) {
    EXPECT_EQ(first.permutations[i].number, second.permutations[i].number);
  }
}

TEST(Expand, AHundredThousandJobsOfAThousandPermutations) {
  std::string values;
  for (int i = 1; i <= 1000; ++i) values += (i == 1 ? "" : ", ") + std::to_string(i);
  const Expansion expansion = ExpandedWell(
      IPerfSet("permutations: {product: {bitrate: [" + values + "]}}\nrepetitions: 100\n"));
  EXPECT_EQ(expansion.jobs.size(), 100'000U);
  EXPECT_EQ(expansion.most_jobs, 100'000U);
}

}  // namespace
}  // namespace twofold::spec
