#include "lib/spec/permutations.h"

#include <gmock/gmock.h>

#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Product(const std::string& fields) {
  return "permutations:\n  product:\n" + Indented(fields, 2);
}

std::string Explicit(const std::string& items) {
  return "permutations:\n  explicit:\n" + Indented(items, 2);
}

TEST(Permutations, OfAProductVaryTheLastFieldFastestInTheOrderWritten) {
  // kube-perftest gets them from its API server in alphabetical order.
  EXPECT_THAT(Specs(SetOf("Fio", "size: 1G\n", Product("rw: [read, write]\nbs: [1M, 4M]\n"))),
              ElementsAre(R"({"size":"1G","rw":"read","bs":"1M"})",
                          R"({"size":"1G","rw":"read","bs":"4M"})",
                          R"({"size":"1G","rw":"write","bs":"1M"})",
                          R"({"size":"1G","rw":"write","bs":"4M"})"));
}

TEST(Permutations, NeitherProductNorExplicitIsTheBareTemplateOnce) {
  const std::string template_only = SetOf("IPerf", "duration: 30\nstreams: 1\n");
  EXPECT_THAT(Specs(template_only), ElementsAre(R"({"duration":30,"streams":1})"));
  // So it comes back from Kubernetes, with defaults filled in.
  EXPECT_THAT(Specs(SetOf("IPerf", "duration: 30\nstreams: 1\n",
                          "permutations: {product: {}, explicit: []}\nrepetitions: 1\n")),
              testing::SizeIs(1));
}

TEST(Permutations, ExplicitOnesAloneMakeNoPhantomOfTheBareTemplate) {
  // kube-perftest runs the template alone first, and counts one less than it runs.
  EXPECT_THAT(Specs(IPerfSet(Explicit("- {streams: 1}\n- {streams: 8}\n"))),
              ElementsAre(R"({"duration":30,"streams":1})", R"({"duration":30,"streams":8})"));
}

TEST(Permutations, ATemplateThatLacksARequiredFieldIsFineIfEveryPermutationHasIt) {
  // kube-perftest's phantom lacks it, and its sets never start.
  EXPECT_EQ(ErrorOf(SetOf("PyTorch", "device: cpu\n", Explicit("- {model: llama}\n"))), "no error");
  EXPECT_EQ(ErrorOf(SetOf("PyTorch", "device: cpu\n")),
            "f.yaml:10:7: model: is missing (permutation 1)");
}

TEST(Permutations, ExplicitOnesComeAfterTheProductAndAreAllKept) {
  const std::string rest =
      "permutations:\n  product: {streams: [1, 2]}\n  explicit: [{streams: 2}, {streams: 3}]\n";
  EXPECT_THAT(Specs(IPerfSet(rest)),
              ElementsAre(HasSubstr(":1}"), HasSubstr(":2}"), HasSubstr(":2}"), HasSubstr(":3}")));
}

TEST(Permutations, AnEmptyListOfAProductIsRefusedByName) {
  // kube-perftest counts one, makes none, and never ends.
  EXPECT_EQ(ErrorOf(IPerfSet(Product("streams: []\n"))),
            "f.yaml:13:16: spec.permutations.product.streams: an empty list leaves nothing to run: "
            "give values or remove the field");
}

TEST(Permutations, WhatIsNoListOrNoMapIsRefused) {
  EXPECT_THAT(ErrorOf(IPerfSet(Product("streams: 5\n"))),
              HasSubstr("product.streams: must be a list of values, is a whole number"));
  EXPECT_THAT(ErrorOf(IPerfSet(Explicit("- 5\n"))),
              HasSubstr("13:9: spec.permutations.explicit[0]: must be a map of fields"));
  EXPECT_THAT(ErrorOf(IPerfSet("permutations: [1]\n")), HasSubstr("must be a map, is a list"));
}

TEST(Permutations, MergeDeeplyWithTheTemplate) {
  const std::string spec = "mode: read\nextraArgs: [-x]\nresources: {limits: {cpu: 1, dev/a: 2}}\n";
  const Expansion expansion = ExpandedWell(SetOf(
      "RDMALatency", spec,
      Explicit("- {extraArgs: [-y], resources: {limits: {cpu: 3}}, mode: null, iterations: 7}\n")));
  const Permutation& only = expansion.permutations.at(0);
  EXPECT_EQ(only.spec, R"({"mode":"read","extraArgs":["-x","-y"],"iterations":7})");
  EXPECT_THAT(only.labels, ElementsAre(Requirement{"resources.limits.cpu", "3"},
                                       Requirement{"resources.limits.dev/a", "2"}));
  EXPECT_THAT(only.values, ElementsAre(VariedValue{"extraArgs", {"-x", "-y"}},
                                       VariedValue{"resources.limits.cpu", 3},
                                       VariedValue{"mode", "read"}, VariedValue{"iterations", 7}));
}

TEST(Permutations, AreLimitedBeforeTheyAreMade) {
  const std::string values = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]\n";
  std::string fields;
  for (const char* name : {"iodepth", "nrfiles", "numJobs", "numWorkers"}) {
    fields += name + (": " + values);
  }
  EXPECT_THAT(ErrorOf(SetOf("Fio", "rw: read\n", Product(fields))),
              HasSubstr("331776 permutations, at most 100000 are allowed"));
}

TEST(Permutations, CountsThatNoNumberHoldsAreLimitedToo) {
  std::string fields;
  std::string values = "[1";
  for (int i = 2; i <= 250; ++i) values += "," + std::to_string(i);
  for (const char* name :
       {"ip", "port", "timeout", "duration", "numworkers", "pctput", "pctupdate", "maxputs",
        "epochs", "seed", "minsize", "maxsize", "subdir", "filelist", "readoff", "readlen"}) {
    fields += name + (": " + values) + "]\n";
  }
  const std::string text = SetOf("ObjectStorage", "bucket: b\n", Product(fields));
  EXPECT_THAT(ErrorOf(text), HasSubstr("more than 9000000000000000000 permutations"));
  EXPECT_THAT(ErrorOf(text + "  sample: {count: 5}\n"), HasSubstr("at most 100000"));
}

TEST(Permutations, SpecsAreLimitedInAll) {
  Limits limits;
  limits.spec_bytes = 100;
  EXPECT_THAT(ErrorOf(IPerfSet(Product("streams: [1, 2, 3, 4, 5]\n")), {}, limits),
              HasSubstr("take more than 100 bytes"));
}

}  // namespace
}  // namespace twofold::spec
