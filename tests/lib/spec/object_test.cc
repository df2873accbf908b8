#include <gmock/gmock.h>

#include "lib/spec/sweep.h"
#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMetadata = "metadata: {name: a, namespace: team}\n";

/// `spec` is a flow map.
std::string ObjectOf(const std::string& spec, const std::string& metadata = kMetadata) {
  return "apiVersion: twofold.dev/v1alpha1\nkind: Benchmark\n" + metadata + "spec: " + spec + "\n";
}

Sweep ReadObjectWell(const std::string& spec) {
  auto sweep = ReadSweep("f.yaml", ObjectOf(spec), suite::Kinds());
  EXPECT_TRUE(sweep.ok()) << sweep.status();
  return sweep.ok() ? *sweep : Sweep();
}

TEST(Object, IsASetThatItsSpecAsksFor) {
  const Sweep sweep = ReadObjectWell(
      "{template: {kind: IPerf, spec: {duration: 5}}, repetitions: 3, queue: pairs,"
      " suspend: true, ttlSecondsAfterFinished: 0}");
  EXPECT_EQ(sweep.name, "a");
  EXPECT_EQ(sweep.queue, "pairs");
  EXPECT_EQ(sweep.kind->name, "IPerf");
  EXPECT_EQ(sweep.repetitions, 3U);
  EXPECT_EQ(sweep.run_limit_seconds, 0);
  EXPECT_THAT(Specs(ObjectOf("{template: {kind: IPerf, spec: {duration: 5}}}")),
              ElementsAre(R"({"duration":5})"));
}

TEST(Object, HasItsFieldsInTheOrderOfTheirNames) {
  EXPECT_THAT(Specs(ObjectOf("{template: {kind: Fio}, permutations: {product:"
                             " {rw: [read, write], bs: [4k, 1M]}}}")),
              ElementsAre(R"({"bs":"4k","rw":"read"})", R"({"bs":"4k","rw":"write"})",
                          R"({"bs":"1M","rw":"read"})", R"({"bs":"1M","rw":"write"})"))
      << "Kubernetes keeps no order";
}

TEST(Object, WritesNumbersWithAPointAsTexts) {
  EXPECT_THAT(
      Specs(ObjectOf("{template: {kind: GPU, spec: {seconds: '0.5', device: '0'}}, permutations:"
                     " {product: {gflop: ['1.5', 2]}, explicit: [{gflop: '0.25'}]}}")),
      ElementsAre(R"({"seconds":0.5,"device":"0","gflop":1.5})",
                  R"({"seconds":0.5,"device":"0","gflop":2})",
                  R"({"seconds":0.5,"device":"0","gflop":0.25})"));
  EXPECT_THAT(ErrorOf(ObjectOf("{template: {kind: GPU, spec: {seconds: 0.5}}}")),
              HasSubstr("f.yaml:4:46: spec.template.spec.seconds: must stand in quotes"));
  EXPECT_THAT(
      ErrorOf(ObjectOf("{template: {kind: GPU}, permutations: {product: {gflop: [1, 1.5]}}}")),
      HasSubstr("spec.permutations.product.gflop[1]: must stand in quotes"));
  EXPECT_THAT(ErrorOf(ObjectOf("{template: {kind: GPU}, timeLimits: {job: 2.5}}")),
              HasSubstr("spec.timeLimits.job: must stand in quotes"));
  EXPECT_THAT(ErrorOf(ObjectOf("{template: {kind: IPerf, spec: {streams: '4'}}}")),
              HasSubstr("must be a whole number"))
      << "as an API server says";
}

TEST(Object, FreeMapsAreAsTheyAre) {
  const auto expansion =
      ExpandedWell(ObjectOf("{template: {kind: IPerf, spec: {resources: {limits: {cpu: 0.5}}}}}"));
  ASSERT_EQ(expansion.permutations.size(), 1U);
  ASSERT_EQ(expansion.permutations[0].labels.size(), 1U);
  EXPECT_EQ(expansion.permutations[0].labels[0].value, "0.5");
}

TEST(Object, TheSoonerOfItsDeadlinesEndsTheRun) {
  const std::string base = "{template: {kind: IPerf}, ";
  EXPECT_EQ(ReadObjectWell(base + "activeDeadlineSeconds: 60}").run_limit_seconds, 60);
  EXPECT_EQ(
      ReadObjectWell(base + "activeDeadlineSeconds: 60, timeLimits: {run: 9s}}").run_limit_seconds,
      9);
  EXPECT_EQ(
      ReadObjectWell(base + "activeDeadlineSeconds: 60, timeLimits: {run: 2m}}").run_limit_seconds,
      60);
}

TEST(Object, IsRefusedAsByAnApiServer) {
  const std::string good = "{template: {kind: IPerf}}";
  const std::pair<std::string, const char*> refused[] = {
      {ObjectOf("{}"), "f.yaml:4:7: spec.template: is missing"},
      {ObjectOf("{template: }"), "spec.template"},
      {ObjectOf("null"), "spec.template: is missing"},
      {ObjectOf("{template: {kind: Iperf}}"), "spec.template.kind: no kind 'Iperf'"},
      {ObjectOf("{template: {kind: IPerf, apiVersion: twofold/v1}}"),
       "spec.template.apiVersion: has no place in a Benchmark"},
      {ObjectOf("{template: {kind: IPerf}, suspend: maybe}"), "spec.suspend: must be true or"},
      {ObjectOf("{template: {kind: IPerf}, activeDeadlineSeconds: 0}"),
       "spec.activeDeadlineSeconds: 0 is less than 1"},
      {ObjectOf("{template: {kind: IPerf}, repetition: 2}"), "spec.repetition"},
      {ObjectOf("{template: {kind: IPerf, spec: {stream: 2}}}"), "spec.template.spec.stream"},
      {ObjectOf("{template: {kind: IPerf}, permutations: {product: {streams: 2}}}"),
       "spec.permutations.product.streams: must be a list"},
      {ObjectOf(good, "metadata: {name: My_Run}\n"), "metadata.name: must be lower-case"},
      {ObjectOf(good, "metadata: {name: run-}\n"), "metadata.name: must be lower-case"},
      {ObjectOf(good, "metadata: {generateName: -a}\n"), "metadata.generateName: must be lower"},
      {ObjectOf(good, "metadata: {name: a, queue: q}\n"), "metadata.queue: is no field"},
      {ObjectOf(good, "metadata: {name: a, runid: q}\n"), "metadata.runid: is no field"},
      {"apiVersion: twofold.dev/v1alpha1\nkind: IPerf\nmetadata: {name: a}\n",
       "f.yaml:2:7: kind: must be Benchmark"},
      {"apiVersion: twofold/v1\nkind: Benchmark\nmetadata: {name: a}\n",
       "kind: no kind 'Benchmark'"},
      {"apiVersion: twofold.dev/v1\nkind: Benchmark\nmetadata: {name: a}\n",
       "only twofold/v1, perftest.stackhpc.com/v1alpha1, twofold.dev/v1alpha1"},
  };
  for (const auto& [text, why] : refused) EXPECT_THAT(ErrorOf(text), HasSubstr(why)) << text;
  EXPECT_EQ(ErrorOf(ObjectOf(good, "metadata: {generateName: a-}\n")), "no error");
}

}  // namespace
}  // namespace twofold::spec
