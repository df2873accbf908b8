#include <gmock/gmock.h>

#include "lib/spec/permutations.h"
#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::string>;

/// The nodes of each permutation.
std::vector<Names> NodesOf(const std::string& options, const Names& known = {}) {
  std::vector<Names> nodes;
  const std::string set = SetOf("IPerf", "{duration: 30, streams: 1}\n", options);
  for (const Permutation& permutation : ExpandedWell(set, known).permutations) {
    nodes.push_back(permutation.nodes);
  }
  return nodes;
}

std::string NodesError(const std::string& options, const Names& known = {}) {
  return ErrorOf(SetOf("IPerf", "{duration: 30, streams: 1}\n", options), known);
}

TEST(Combinations, AreInLexicographicOrder) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t i = 0; i < CountCombinations(4, 2); ++i) all.push_back(Combination(4, 2, i));
  using C = std::vector<std::uint64_t>;
  EXPECT_THAT(all, ElementsAre(C{0, 1}, C{0, 2}, C{0, 3}, C{1, 2}, C{1, 3}, C{2, 3}));
}

TEST(Combinations, AreCountedWithoutOverflow) {
  EXPECT_EQ(CountCombinations(5, 0), 1U);
  EXPECT_EQ(CountCombinations(5, 5), 1U);
  EXPECT_EQ(CountCombinations(5, 6), 0U);
  EXPECT_EQ(CountCombinations(62, 31), 465428353255261088U);  // the largest of 62
  EXPECT_EQ(CountCombinations(1000, 500), kTooMany);
  EXPECT_EQ(Times(kTooMany, 2), kTooMany);
  EXPECT_EQ(Times(std::uint64_t{1} << 32, std::uint64_t{1} << 32), kTooMany);
  EXPECT_EQ(Plus(kTooMany, kTooMany), kTooMany);
  EXPECT_EQ(Times(0, kTooMany), 0U);
}

TEST(Nodes, EveryPairIsOnePermutation) {
  EXPECT_THAT(NodesOf("nodes: {select: [a, b, c], combinations: 2}\n"),
              ElementsAre(Names{"a", "b"}, Names{"a", "c"}, Names{"b", "c"}));
}

TEST(Nodes, VaryFasterThanFields) {
  const Expansion expansion = ExpandedWell(
      IPerfSet("permutations: {product: {streams: [1, 2]}}\nnodes: {select: [a, b]}\n"));
  std::vector<VariedValue> all;
  for (const Permutation& permutation : expansion.permutations) {
    all.insert(all.end(), permutation.values.begin(), permutation.values.end());
  }
  const auto node = [](const char* name) { return VariedValue{"nodes", Json::array({name})}; };
  const auto streams = [](int number) { return VariedValue{"streams", number}; };
  EXPECT_THAT(all, ElementsAre(streams(1), node("a"), streams(1), node("b"), streams(2), node("a"),
                               streams(2), node("b")));
}

TEST(Nodes, PatternsSelectFromTheNodesThatThereAre) {
  const Names known = {"gpu-2", "cpu-1", "gpu-1"};
  EXPECT_THAT(NodesOf("nodes: {select: ['gpu-*']}\n", known),
              ElementsAre(Names{"gpu-2"}, Names{"gpu-1"}));
  EXPECT_THAT(NodesOf("nodes: {select: [cpu-1, '*']}\n", known),
              ElementsAre(Names{"cpu-1"}, Names{"gpu-2"}, Names{"gpu-1"}));
}

TEST(Nodes, ThatCannotBeChosenAreRefused) {
  EXPECT_THAT(NodesError("nodes: {select: ['gpu-*']}\n"), HasSubstr("'gpu-*' is a pattern"));
  EXPECT_THAT(NodesError("nodes: {select: [c]}\n", {"a", "b"}), HasSubstr("there is no node 'c'"));
  EXPECT_THAT(NodesError("nodes: {select: [a, a], combinations: 2}\n"),
              HasSubstr("selects 1 nodes, but combinations takes 2"));
  EXPECT_THAT(NodesError("nodes: {select: []}\n"), HasSubstr("spec.nodes.select: an empty list"));
  EXPECT_THAT(NodesError("nodes: {select: [a, b, c], combinations: 3}\n"),
              HasSubstr("3 nodes, but the job takes only 2 workers (permutation 1: nodes="));
}

TEST(Sample, TakesSomePermutationsWithTheirNumbers) {
  const std::string set = IPerfSet(
      "permutations: {product: {streams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}\n"
      "sample: {count: 3, seed: 4}\n");
  const Expansion expansion = ExpandedWell(set);
  EXPECT_EQ(expansion.all_permutations, 10U);
  ASSERT_EQ(expansion.permutations.size(), 3U);
  for (const Permutation& permutation : expansion.permutations) {
    EXPECT_THAT(permutation.values, ElementsAre(VariedValue{"streams", permutation.number}));
  }
}

TEST(Sample, OfABillionIsPossible) {
  std::string product = "permutations:\n  product:\n";
  for (const char* name : {"iodepth", "nrfiles", "numJobs", "numWorkers", "rwmixread"}) {
    product += "    " + std::string(name) + ": [1";
    for (int i = 2; i <= 64; ++i) product += ", " + std::to_string(i);
    product += "]\n";
  }
  const Expansion expansion =
      ExpandedWell(SetOf("Fio", "rw: read\n", product + "sample: {count: 9}\n"));
  EXPECT_EQ(expansion.all_permutations, std::uint64_t{1} << 30);
  EXPECT_EQ(expansion.permutations.size(), 9U);
}

TEST(Sample, OfMoreThanThereAreIsRefused) {
  EXPECT_THAT(NodesError("sample: {count: 2}\n"),
              HasSubstr("spec.sample.count: 2 of 1 permutations: there are not so many"));
}

}  // namespace
}  // namespace twofold::spec
