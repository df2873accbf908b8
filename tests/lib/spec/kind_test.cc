#include "lib/spec/kind.h"

#include <gmock/gmock.h>
#include <spdlog/fmt/fmt.h>

#include <set>

#include "lib/spec/field.h"
#include "tests/lib/spec/sweeps.h"
#include "tests/lib/yaml/parse.h"

namespace twofold::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A single benchmark.
std::string One(const std::string& kind, const std::string& spec) {
  return "apiVersion: twofold/v1\nkind: " + kind + "\nmetadata: {name: one}\nspec: " + spec + "\n";
}

Permutation Only(const std::string& kind, const std::string& spec) {
  const Expansion expansion = ExpandedWell(One(kind, spec));
  return expansion.permutations.empty() ? Permutation() : expansion.permutations[0];
}

std::string Error(const std::string& kind, const std::string& spec) {
  return ErrorOf(One(kind, spec));
}

TEST(Kinds, HaveNamesAndFieldsOnce) {
  std::set<std::string_view> names;
  for (const Kind& kind : suite::Kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_TRUE(names.insert(kind.suite).second) << kind.suite;
    std::set<std::string_view> fields;
    for (const Field& field : kind.fields) {
      EXPECT_TRUE(fields.insert(field.name).second) << kind.name << "." << field.name;
    }
  }
}

TEST(Kinds, DefaultsFitTheTypesOfTheirFields) {
  for (const Kind& kind : suite::Kinds()) {
    for (const Field& field : kind.fields) {
      if (field.initial.empty()) continue;
      const NodeRef written = yaml::Parsed(fmt::format("{}: {}", field.name, field.initial));
      EXPECT_EQ(CheckFields(*written, {&field, 1}, ""), absl::OkStatus()) << kind.name;
      EXPECT_EQ(field.need, Need::kOptional) << kind.name << "." << field.name;
    }
  }
}

TEST(Kinds, GangsHaveTheSizeThatTheSpecAsksFor) {
  EXPECT_EQ(Only("IPerf", "{duration: 1, streams: 1}").gang, 2);
  EXPECT_EQ(Only("Fio", "{}").gang, 1);
  EXPECT_EQ(Only("Fio", "{numWorkers: 4}").gang, 4);
  EXPECT_EQ(Only("OpenFOAM", "{numNodes: 48, numProcs: 48}").gang, 48);
  EXPECT_EQ(Only("OSU", "{tests: [osu_bw]}").gang, 2);
  EXPECT_EQ(Only("OSU", "{tests: [osu_bw], ranks: 9, ranksPerNode: 4}").gang, 3);
  EXPECT_EQ(Only("OSU", "{tests: [osu_bw], ranks: 8, ranksPerNode: 4}").gang, 2);
}

TEST(Kinds, SplitFieldsBetweenSuiteAndPlacement) {
  const Permutation job =
      Only("MPIPingPong",
           "{sshPort: 22, imagePullPolicy: Always, maxlog: 25, image: 'mpi:1', hostNetwork: no,"
           " networkName: a/b, mtu: 9000, resources: {limits: {dev/x: 1}, requests: {cpu: 500m}}}");
  EXPECT_EQ(job.spec, R"({"maxlog":25})");
  EXPECT_THAT(job.labels,
              ElementsAre(Requirement{"image", "mpi:1"}, Requirement{"hostNetwork", "false"},
                          Requirement{"networkName", "a/b"}, Requirement{"mtu", "9000"},
                          Requirement{"resources.limits.dev/x", "1"},
                          Requirement{"resources.requests.cpu", "500m"}));
}

TEST(Kinds, WhatIsNotWrittenAsksNothingOfWorkers) {
  EXPECT_THAT(Only("MPIPingPong", "{networkName: null, resources: {}}").labels, IsEmpty());
}

TEST(Kinds, ScalarsOfFreeMapsStayAsTheyAreWritten) {
  EXPECT_THAT(
      Only("MPIPingPong",
           "{workerLabels: {pytorch.version: 1.10, commit: 0e1234, id: 1443e5, on: True, n: 0x10},"
           " resources: {limits: {cpu: 1e3, memory: 1.50}}}")
          .labels,
      ElementsAre(Requirement{"pytorch.version", "1.10"}, Requirement{"commit", "0e1234"},
                  Requirement{"id", "1443e5"}, Requirement{"on", "True"}, Requirement{"n", "0x10"},
                  Requirement{"resources.limits.cpu", "1e3"},
                  Requirement{"resources.limits.memory", "1.50"}));
  EXPECT_THAT(Only("Fio", "{volumeClaimTemplate: {storage: [1.10, 2.0]}}").labels,
              ElementsAre(Requirement{"volumeClaimTemplate.storage", "1.10,2.0"}));
}

TEST(Kinds, ValuesThatASweepVariesInAFreeMapStayApart) {
  const Expansion expansion = ExpandedWell(
      IPerfSet("permutations: {explicit: [{workerLabels: {v: 1.1}}, {workerLabels: {v: 1.10}},"
               " {workerLabels: {v: 2}}]}\n"));
  ASSERT_EQ(expansion.permutations.size(), 3U);
  EXPECT_EQ(expansion.permutations[0].values[0].value, Json(1.1));
  EXPECT_EQ(expansion.permutations[1].values[0].value, Json("1.10"));
  EXPECT_EQ(expansion.permutations[2].values[0].value, Json(2));
  EXPECT_EQ(expansion.permutations[1].labels, (std::vector<Requirement>{{"v", "1.10"}}));
}

TEST(Kinds, VolumesAreLabelsToo) {
  EXPECT_THAT(
      Only("Fio", "{volumeClaimTemplate: {accessModes: [ReadWriteOnce, ReadOnlyMany]}}").labels,
      ElementsAre(Requirement{"volumeClaimTemplate.accessModes", "ReadWriteOnce,ReadOnlyMany"}));
}

TEST(Kinds, UnknownOnesAreRefusedWithAHint) {
  EXPECT_EQ(Error("Iperf3", "{}"), "f.yaml:2:7: kind: no kind 'Iperf3'; did you mean 'IPerf'?");
  EXPECT_THAT(Error("Benchmarkset", "{}"), HasSubstr("did you mean 'BenchmarkSet'?"));
  EXPECT_THAT(Error("Tetris", "{}"), HasSubstr("no kind 'Tetris'; known: IPerf, MPIPingPong, OSU"));
}

TEST(Kinds, UnknownFieldsAreRefusedWithAHint) {
  EXPECT_EQ(Error("IPerf", "{duration: 1, stream: 2}"),
            "f.yaml:4:21: spec.stream: no such field; did you mean 'streams'?");
  EXPECT_THAT(Error("IPerf", "{hostnetwork: true}"), HasSubstr("did you mean 'hostNetwork'?"));
  EXPECT_THAT(Error("PyTorch", "{q: 1}"), HasSubstr("known: model, device, benchmarkType"));
}

TEST(Kinds, UnknownFieldsOfASetAreRefusedWhereverTheyAre) {
  EXPECT_THAT(ErrorOf(IPerfSet("repetition: 5\n")),
              HasSubstr("11:3: spec.repetition: no such field; did you mean 'repetitions'?"));
  EXPECT_THAT(ErrorOf(IPerfSet("permutations: {product: {stream: [1]}}\n")),
              HasSubstr("spec.permutations.product.stream: no such field"));
  EXPECT_THAT(ErrorOf(IPerfSet("permutations: {explicit: [{streams: 1}, {strems: 1}]}\n")),
              HasSubstr("spec.permutations.explicit[1].strems: no such field"));
  EXPECT_THAT(ErrorOf(IPerfSet("sample: {count: 1, sed: 2}\n")),
              HasSubstr("spec.sample.sed: no such"));
  EXPECT_THAT(ErrorOf(SetOf("IPerf", "{streems: 1}\n")),
              HasSubstr("spec.template.spec.streems: no such field"));
}

TEST(Kinds, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(Error("IPerf", "{duration: 0, streams: 1}"), HasSubstr("duration: 0 is less than 1"));
  EXPECT_THAT(Error("Fio", "{rwmixread: 101}"), HasSubstr("rwmixread: 101 is more than 100"));
  EXPECT_THAT(Error("RDMABandwidth", "{iterations: 4}"), HasSubstr("4 is less than 5"));
  EXPECT_THAT(Error("PyTorch", "{model: llama, inputBatchSize: 7}"),
              HasSubstr("inputBatchSize: 7 is not 2 or a multiple of 2 more"));
}

TEST(Kinds, ValuesOfTheWrongTypeAreRefused) {
  EXPECT_THAT(Error("IPerf", "{duration: '30', streams: 1}"),
              HasSubstr("duration: must be a whole number, is '30'"));
  EXPECT_THAT(Error("IPerf", "{duration: 1.5, streams: 1}"), HasSubstr("is a number"));
  EXPECT_THAT(Error("MPIPingPong", "{transport: tcp}"),
              HasSubstr("transport: must be one of: TCP | RDMA, is 'tcp'"));
  EXPECT_THAT(Error("MPIPingPong", "{networkName: 5}"), HasSubstr("networkName: must be text"));
  EXPECT_THAT(Error("MPIPingPong", "{hostNetwork: maybe}"), HasSubstr("must be true or false"));
  EXPECT_THAT(Error("RDMALatency", "{extraArgs: [-x, '']}"),
              HasSubstr("each item must not be empty"));
  EXPECT_THAT(Error("RDMALatency", "{extraArgs: -x}"), HasSubstr("must be a list of texts"));
  EXPECT_THAT(Error("Fio", "{resources: [1]}"), HasSubstr("resources: must be a map, is a list"));
}

TEST(Kinds, FieldsInsideListsAreCheckedWithTheirPlace) {
  EXPECT_EQ(
      Error("Media", "{input: a, outputs: [{width: 64, height: 64}, {heigth: 360}]}"),
      "f.yaml:4:54: outputs[1].heigth: no such field; did you mean 'height'? (permutation 1)");
  EXPECT_THAT(Error("Media", "{input: a, outputs: [{codec: vp9}]}"),
              HasSubstr("outputs[0].codec: must be one of: h264 | h265 | av1 | mpeg4, is 'vp9'"));
  EXPECT_THAT(Error("Media", "{input: a, outputs: [a.mp4]}"),
              HasSubstr("outputs[0]: must be a map, is text"));
}

TEST(Kinds, SizesAndTimesAreThoseOfTheSuiteToTheirEnd) {
  for (const char* good : {"4096", "32k", "1M", "10G"}) {
    EXPECT_EQ(Error("Fio", std::string("{bs: ") + good + "}"), "no error") << good;
  }
  for (const char* bad : {"32kx", "M", "0", "-1", "4 M", "1e3M", "''", "4KiB", "1.5G", "[1]"}) {
    EXPECT_THAT(Error("Fio", std::string("{bs: ") + bad + "}"),
                HasSubstr("bs: must be a size such as 4k or 1M"))
        << bad;
  }
  for (const char* good : {"30s", "5M", "2H", "1D", "100ms", "5us"}) {
    EXPECT_EQ(Error("Fio", std::string("{runtime: ") + good + "}"), "no error") << good;
  }
  for (const char* bad : {"30", "30x", "0s", "s", "1:30", "-5"}) {
    EXPECT_THAT(Error("Fio", std::string("{runtime: ") + bad + "}"),
                HasSubstr("runtime: must be a time such as 30s"))
        << bad;
  }
}

TEST(Kinds, ASizeWithoutAUnitIsTextToo) {
  EXPECT_EQ(Only("Fio", "{bs: 4096}").spec, R"({"bs":"4096"})");
}

TEST(Kinds, ValuesThatDoNotGoTogetherAreRefused) {
  EXPECT_THAT(Error("PyTorch", "{model: llama, benchmarkType: train, runner: torchbench}"),
              HasSubstr("does not train llama"));
  EXPECT_EQ(Error("PyTorch", "{model: alexnet, benchmarkType: train}"), "no error");
  // kube-perftest would change the node's own interface, and leave the network's name out silently.
  EXPECT_THAT(Error("MPIPingPong", "{hostNetwork: true, mtu: 9000}"),
              HasSubstr("mtu: does not go with hostNetwork"));
  EXPECT_THAT(Error("MPIPingPong", "{hostNetwork: true, networkName: a}"),
              HasSubstr("networkName: does not go with hostNetwork"));
}

}  // namespace
}  // namespace twofold::spec
