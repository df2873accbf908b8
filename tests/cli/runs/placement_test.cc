#include "cli/runs/placement.h"

#include <gmock/gmock.h>

namespace twofold::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

spec::Permutation Needing(std::vector<spec::Requirement> labels, std::int64_t gang = 1,
                          std::vector<std::string> nodes = {}) {
  spec::Permutation permutation;
  permutation.number = 3;
  permutation.labels = std::move(labels);
  permutation.gang = gang;
  permutation.nodes = std::move(nodes);
  return permutation;
}

std::string Why(const spec::Permutation& permutation, const std::vector<Worker>& workers) {
  const Status status = CheckPlacement({permutation}, {"fio", workers});
  EXPECT_TRUE(status.ok() || absl::IsFailedPrecondition(status)) << status;
  return status.ok() ? "no error" : std::string(status.message());
}

Worker On(const std::string& node, const std::map<std::string, std::string>& labels = {},
          std::uint32_t slots = 1) {
  Worker worker;
  worker.set_node(node);
  worker.mutable_labels()->insert(labels.begin(), labels.end());
  worker.set_slots(slots);
  return worker;
}

const Worker kHost = On("a", {{"hostNetwork", "true"}});
const Worker kPlain = On("b");

TEST(CheckPlacement, TakesWorkersThatHaveTheLabels) {
  EXPECT_EQ(Why(Needing({{"hostNetwork", "true"}}), {kHost}), "no error");
  EXPECT_EQ(Why(Needing({}), {kHost, kPlain}), "no error");
}

TEST(CheckPlacement, SaysWhichLabelNoWorkerHas) {
  EXPECT_EQ(
      Why(Needing({{"hostNetwork", "false"}}), {kHost, kPlain}),
      "permutation 3: needs workers with the label hostNetwork=false; none of the 2 of queue fio "
      "has it");
}

TEST(CheckPlacement, WorkersOfSeveralSortsShareAQueue) {
  EXPECT_EQ(Why(Needing({{"hostNetwork", "true"}}), {kHost, kPlain}), "no error");
  EXPECT_EQ(Why(Needing({{"hostNetwork", "true"}}, 2), {kHost, kPlain}),
            "permutation 3: takes 2 workers at once; queue fio has 1 with label hostNetwork=true");
}

TEST(CheckPlacement, OneWorkerNeedsAllOfIt) {
  const Worker large = On("b", {{"mtu", "9000"}});
  EXPECT_EQ(Why(Needing({{"hostNetwork", "true"}, {"mtu", "9000"}}), {kHost, large}),
            "permutation 3: no worker of queue fio has all of it: label hostNetwork=true, label "
            "mtu=9000");
  EXPECT_EQ(Why(Needing({{"mtu", "9000"}}, 2, {"a", "b"}), {kHost, large}),
            "permutation 3: no worker of queue fio is on node a and has the labels");
}

TEST(CheckPlacement, NeedsAsManySlotsAsTheGangHasMembers) {
  EXPECT_EQ(Why(Needing({}, 2), {kHost}),
            "permutation 3: takes 2 workers at once; queue fio has 1");
  EXPECT_EQ(Why(Needing({}, 2), {On("a", {}, 2)}), "no error");
}

TEST(CheckPlacement, NeedsWorkersOnTheNodes) {
  EXPECT_EQ(Why(Needing({}, 1, {"b"}), {kHost, kPlain}), "no error");
  EXPECT_EQ(Why(Needing({}, 1, {"c"}), {kHost, kPlain}),
            "permutation 3: no worker of queue fio is on node c");
  EXPECT_EQ(Why(Needing({}, 2, {"b"}), {kHost, kPlain}),
            "permutation 3: takes 2 workers at once; queue fio has 1 with node b");
}

TEST(CheckPlacement, WithoutWorkersSaysWhatToDo) {
  EXPECT_THAT(Why(Needing({}), {}), HasSubstr("no worker of queue fio is connected"));
}

TEST(NodesOf, HasEachOnceInOrder) {
  EXPECT_THAT(NodesOf({kPlain, kHost, kPlain}), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace twofold::run
