#include "lib/spec/convert.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Converted> ConvertedWell(const std::string& text) {
  auto all = ToBenchmarks("f.yaml", text, suite::Kinds());
  EXPECT_TRUE(all.ok()) << all.status() << "\n" << text;
  return all.ok() ? *std::move(all) : std::vector<Converted>();
}

Converted OneOf(const std::string& text) {
  auto all = ConvertedWell(text);
  EXPECT_THAT(all, SizeIs(1));
  return all.size() == 1 ? all[0] : Converted();
}

std::string RefusalOf(const std::string& text) {
  const auto all = ToBenchmarks("f.yaml", text, suite::Kinds());
  return all.ok() ? "no error" : std::string(all.status().message());
}

/// The specs of all jobs, in no order, as their fields.
std::vector<std::string> JobsOf(const std::string& text) {
  const Expansion expansion = ExpandedWell(text, {"node-a", "node-b", "node-c", "node-d"});
  std::vector<std::string> jobs;
  for (const PlannedJob& job : expansion.jobs) {
    const Permutation& one = expansion.permutations[job.permutation];
    std::string labels;
    for (const auto& need : one.labels) labels += need.label + "=" + need.value + " ";
    jobs.push_back(nlohmann::json::parse(one.spec).dump() + labels +
                   std::to_string(job.repetition));
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

TEST(Convert, EveryExampleIsTheSameJobs) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TWOFOLD_SOURCE "/examples")) {
    if (entry.path().extension() != ".yaml" ||
        entry.path().string().find("/operator/") != std::string::npos)
      continue;
    ++files;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (text.str().find("sample:") != std::string::npos) continue;  // drawn by their order
    EXPECT_EQ(JobsOf(OneOf(text.str()).object.dump()), JobsOf(text.str())) << entry.path();
  }
  EXPECT_GE(files, 25);
}

TEST(Convert, ASingleBenchmarkIsATemplate) {
  const Converted converted = OneOf(
      "apiVersion: twofold/v1\nkind: Fio\nmetadata: {name: a, queue: disks, namespace: team}\n"
      "spec: {bs: 4k, thread: on}\n");
  EXPECT_EQ(converted.object.dump(),
            R"({"apiVersion":"twofold.dev/v1alpha1","kind":"Benchmark",)"
            R"("metadata":{"name":"a","namespace":"team"},)"
            R"("spec":{"template":{"kind":"Fio","spec":{"bs":"4k","thread":true}},)"
            R"("queue":"disks"}})");
  EXPECT_THAT(converted.notes, IsEmpty());
}

TEST(Convert, NumbersWithAPointBecomeTexts) {
  const Converted converted =
      OneOf(SetOf("GPU", "seconds: 0.5\n",
                  "permutations: {product: {gflop: [1e-7, 2]}}\ntimeLimits: {job: 2.5}\n"));
  EXPECT_EQ(converted.object["spec"]["template"]["spec"]["seconds"], "0.5");
  EXPECT_EQ(converted.object["spec"]["permutations"]["product"]["gflop"], Json({"0.0000001", 2}));
  EXPECT_EQ(converted.object["spec"]["timeLimits"]["job"], "2.5");
}

TEST(Convert, NamesAreThoseOfObjects) {
  const std::string rest = "kind: IPerf\nspec: {}\napiVersion: twofold/v1\nmetadata: ";
  const Converted named = OneOf(rest + "{name: My_Run.2-}\n");
  EXPECT_EQ(named.object["metadata"]["name"], "my-run.2");
  EXPECT_THAT(named.notes, Contains("'My_Run.2-' is named 'my-run.2'"));
  EXPECT_EQ(OneOf(rest + "{name: a, runid: 7}\n").object["metadata"]["name"], "a-7");
  EXPECT_EQ(OneOf(rest + "{generateName: a-}\n").object["metadata"]["generateName"], "a-");
  EXPECT_EQ(ObjectName("___"), "benchmark");
  EXPECT_EQ(ObjectName(std::string(300, 'X')), std::string(253, 'x'));
}

TEST(Convert, SaysThatTheOrderOfFieldsIsAnother) {
  EXPECT_THAT(
      OneOf(SetOf("Fio", "size: 1M\n", "permutations: {product: {rw: [read], bs: [4k]}}\n")).notes,
      Contains(HasSubstr("keeps no order")));
  EXPECT_THAT(
      OneOf(SetOf("Fio", "size: 1M\n", "permutations: {product: {bs: [4k], rw: [read]}}\n")).notes,
      IsEmpty());
}

TEST(Convert, RefusesWhatNoObjectCanSay) {
  EXPECT_THAT(RefusalOf(IPerfSet("permutations: {product: {mtu: [null, 1500]}}\n")),
              HasSubstr("spec.permutations.product.mtu: null in a list"));
  EXPECT_THAT(RefusalOf("apiVersion: twofold.dev/v1alpha1\nkind: Benchmark\nmetadata: {name: a}\n"
                        "spec: {template: {kind: IPerf}}\n"),
              HasSubstr("is an object of a cluster already"));
  EXPECT_THAT(RefusalOf("kind: IPerf\n"), HasSubstr("f.yaml:1:1: apiVersion: is missing"));
  EXPECT_THAT(RefusalOf("[1]\n"), HasSubstr("f.yaml:1:1"));
}

// ---- metrics-operator

std::string MetricSetOf(const std::string& spec) {
  return "apiVersion: flux-framework.org/v1alpha2\nkind: MetricSet\nmetadata: {name: m}\nspec: " +
         spec + "\n";
}

TEST(MetricSet, OsuIsAKindOfOurs) {
  const Converted osu = OneOf(MetricSetOf(
      "{pods: 4, deadlineSeconds: 600, metrics: [{name: network-osu-benchmark, options: {tasks: 8,"
      " flags: '--bind-to core', sleep: 5}, listOptions: {commands: [osu_allreduce]},"
      " resources: {limits: {cpu: 4}}}]}"));
  EXPECT_EQ(osu.object["metadata"]["name"], "m");
  EXPECT_EQ(osu.object["spec"]["activeDeadlineSeconds"], 600);
  EXPECT_EQ(osu.object["spec"]["template"].dump(),
            R"({"kind":"OSU","spec":{"tests":["osu_allreduce"],"ranks":8,"ranksPerNode":2,)"
            R"("mpirunArgs":["--bind-to","core"],"resources":{"limits":{"cpu":4}}}})");
  EXPECT_THAT(osu.notes, Contains(HasSubstr("`sleep` changes nothing")));
}

TEST(MetricSet, WithoutTasksHasARankAPodAndSaysSo) {
  const Converted osu = OneOf(MetricSetOf("{pods: 2, metrics: [{name: network-osu-benchmark}]}"));
  EXPECT_EQ(osu.object["spec"]["template"]["spec"]["ranks"], 2);
  EXPECT_THAT(osu.notes, Contains(HasSubstr("one rank a pod, 2 in all")));
}

TEST(MetricSet, FioHasTheValuesOfMetricsOperator) {
  const Converted fio = OneOf(MetricSetOf(
      "{metrics: [{name: io-fio, options: {size: 1M, blocksize: 1K, directory: /tmp/workflow},"
      " addons: [{name: volume-hostpath}]}]}"));
  EXPECT_EQ(fio.object["spec"]["template"].dump(),
            R"({"kind":"Fio","spec":{"rw":"randrw","rwmixread":75,"direct":1,)"
            R"("ioengine":"libaio","bs":"1K","iodepth":64,"size":"1M",)"
            R"("directory":"/tmp/workflow","numWorkers":1}})");
  EXPECT_THAT(fio.notes, Contains(HasSubstr("`addons` is left out")));
  EXPECT_THAT(fio.notes, Contains(HasSubstr("--allow-path /tmp/workflow")));
}

TEST(MetricSet, HasAnObjectForEachMetric) {
  const auto all = ConvertedWell(
      MetricSetOf("{pods: 2, metrics: [{name: io-fio}, {name: network-osu-benchmark}]}"));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].object["metadata"]["name"], "m-io-fio");
  EXPECT_EQ(all[1].object["metadata"]["name"], "m-network-osu-benchmark");
}

TEST(MetricSet, RefusesOtherMetrics) {
  EXPECT_THAT(RefusalOf(MetricSetOf("{metrics: [{name: app-lammps}]}")),
              HasSubstr("f.yaml:4:18: spec.metrics: 'app-lammps' has no kind here"));
  EXPECT_THAT(RefusalOf(MetricSetOf("{metrics: []}")), HasSubstr("must be a list of metrics"));
  EXPECT_THAT(RefusalOf(MetricSetOf("{metrics: [1]}")), HasSubstr("has no kind here"));
  EXPECT_THAT(RefusalOf(MetricSetOf("")), HasSubstr("must be a list of metrics"));
}

}  // namespace
}  // namespace twofold::spec
