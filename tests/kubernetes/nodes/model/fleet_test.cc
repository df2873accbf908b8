#include "kubernetes/nodes/model/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/errors.h"
#include "tests/kubernetes/nodes/model/objects.h"

namespace twofold::nodes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const Instant kBegun = Instant(seconds(1000));

NodeTemplate Some(std::uint32_t count) {
  NodeTemplate nodes;
  nodes.count = count;
  return nodes;
}

Fleet Make(std::uint32_t count, Losses losses = {},
           const std::vector<std::uint32_t>& existing = {}) {
  return {Some(count),
          std::move(losses),
          {kBegun, *kube::TimeOf("2026-11-23T12:00:00Z")},
          existing,
          kBegun};
}

Json Made(const std::string& name) {
  return {{"metadata", {{"name", name}, {"uid", "uid-" + name}, {"labels", {{kRunLabel, "sim"}}}}}};
}

// Makes all calls that are due; returns "METHOD target".
std::vector<std::string> CarryAll(Fleet& fleet, Instant now) {
  std::vector<std::string> calls;
  while (const auto order = fleet.Take(now)) {
    calls.push_back(order->call.method + " " +
                    order->call.target.substr(0, order->call.target.find('?')));
    EXPECT_TRUE(fleet
                    .Done(order->ticket,
                          Made(fleet.nodes().NameOf(static_cast<std::uint32_t>(order->ticket))),
                          now)
                    .ok());
  }
  return calls;
}

TEST(Fleet, MakesEachNodeThenItsLeaseOwnedByIt) {
  Fleet fleet = Make(1);
  const auto node = fleet.Take(kBegun);
  ASSERT_TRUE(node.has_value());
  EXPECT_THAT(node->call.target, HasSubstr("/api/v1/nodes"));
  EXPECT_FALSE(fleet.Take(kBegun).has_value());
  ASSERT_TRUE(fleet.Done(node->ticket, Made("sim-0"), kBegun).ok());
  const auto lease = fleet.Take(kBegun);
  ASSERT_TRUE(lease.has_value());
  const Json body = Json::parse(lease->call.body);
  EXPECT_EQ(In(body, "/metadata/ownerReferences/0/uid"), "uid-sim-0");
  EXPECT_EQ(In(body, "/spec/renewTime"), "2026-11-23T12:00:00.000000Z");
  EXPECT_EQ(body["spec"]["leaseDurationSeconds"], 40);
  ASSERT_TRUE(fleet.Done(lease->ticket, Json(), kBegun).ok());
  EXPECT_EQ(fleet.counts().up, 1);
}

Json MadeNotReady(const std::string& name) {
  Json node = Made(name);
  node["spec"]["taints"] = {{{"key", "twofold/simulated"}, {"effect", "NoSchedule"}},
                            {{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}}};
  return node;
}

TEST(Fleet, ANodeIsUpWhenItsNotReadyTaintIsOff) {
  Fleet fleet = Make(1);
  ASSERT_TRUE(fleet.Done(fleet.Take(kBegun)->ticket, MadeNotReady("sim-0"), kBegun).ok());
  ASSERT_TRUE(fleet.Done(fleet.Take(kBegun)->ticket, Json(), kBegun).ok());  // lease
  EXPECT_EQ(fleet.counts().up, 0);
  const auto order = fleet.Take(kBegun);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->call.content_type, "application/json-patch+json");
  EXPECT_EQ(Json::parse(order->call.body), Json::parse(R"([{"op": "test", "path": "/spec/taints/1",
                             "value": {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}},
                            {"op": "remove", "path": "/spec/taints/1"}])"));
  ASSERT_TRUE(fleet.Done(order->ticket, Json(), kBegun).ok());
  EXPECT_EQ(fleet.counts().up, 1);
}

TEST(Fleet, ANotReadyTaintThatTheControllerTookOffFirstIsNoFailure) {
  Fleet fleet = Make(1);
  ASSERT_TRUE(fleet.Done(fleet.Take(kBegun)->ticket, MadeNotReady("sim-0"), kBegun).ok());
  ASSERT_TRUE(fleet.Done(fleet.Take(kBegun)->ticket, Json(), kBegun).ok());  // lease
  const auto order = fleet.Take(kBegun);
  ASSERT_TRUE(order.has_value());
  EXPECT_TRUE(
      fleet.Done(order->ticket, absl::InvalidArgumentError("the test of a patch failed"), kBegun)
          .ok());
  EXPECT_EQ(fleet.counts().up, 1);
  EXPECT_EQ(fleet.counts().failures, 0);
}

TEST(Fleet, RenewalsOfAllNodesAreSpreadEvenlyOverThePeriod) {
  Fleet fleet = Make(100);
  CarryAll(fleet, kBegun + milliseconds(50));
  std::vector<std::size_t> renewals;
  for (int i = 1; i <= 30; ++i) renewals.push_back(CarryAll(fleet, kBegun + seconds(i)).size());
  EXPECT_THAT(renewals, testing::Each(10));
  EXPECT_EQ(fleet.counts().renewals, 300);
}

TEST(Fleet, ARenewalThatFailsIsTriedAgainBeforeTheLeaseRunsOut) {
  Fleet fleet = Make(1);
  CarryAll(fleet, kBegun);
  Instant now = *fleet.NextDue();
  const Instant planned = now;
  int tries = 0;
  for (; now < planned + kLeaseLife - kLeasePeriod; ++tries) {
    const auto order = fleet.Take(now);
    ASSERT_TRUE(order.has_value());
    EXPECT_EQ(order->planned, planned);
    EXPECT_FALSE(fleet.Done(order->ticket, absl::UnavailableError("away"), now).ok());
    now = *fleet.NextDue();
  }
  EXPECT_GE(tries, 5);
  EXPECT_EQ(fleet.counts().failures, tries);
}

TEST(Fleet, ALostNodeIsSilentThenReadyAgain) {
  Losses losses;
  losses.planned = {{1, seconds(15), seconds(120)}};
  Fleet fleet = Make(1, losses);
  CarryAll(fleet, kBegun);
  for (int i = 1; i < 135; ++i) {
    const auto calls = CarryAll(fleet, kBegun + seconds(i));
    EXPECT_EQ(calls.empty(), i != 10) << i;
  }
  EXPECT_TRUE(fleet.LostUntil(0, kBegun + seconds(134)).has_value());
  EXPECT_THAT(
      CarryAll(fleet, kBegun + seconds(135)),
      testing::ElementsAre("PATCH /api/v1/nodes/sim-0/status",
                           "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"));
  EXPECT_FALSE(fleet.LostUntil(0, kBegun + seconds(135)).has_value());
  EXPECT_EQ(fleet.counts().up, 1);
  EXPECT_EQ(fleet.counts().lost, 0);
}

TEST(Fleet, ALeaseThatIsThereIsRenewedAtOnce) {
  Fleet fleet = Make(1);
  const auto node = fleet.Take(kBegun);
  ASSERT_TRUE(fleet.Done(node->ticket, Made("sim-0"), kBegun).ok());
  const auto lease = fleet.Take(kBegun);
  ASSERT_TRUE(fleet.Done(lease->ticket, absl::AlreadyExistsError("lease"), kBegun).ok());
  const auto renewal = fleet.Take(kBegun);
  ASSERT_TRUE(renewal.has_value());
  EXPECT_EQ(renewal->call.method, "PATCH");
}

TEST(Fleet, LossesAtRandomComeAtTheirRateAndBackAgain) {
  Losses losses;
  losses.after = *Distribution::Parse("exp:100s");
  losses.time = Distribution(seconds(100));
  Fleet fleet = Make(200, losses);
  for (int i = 0; i <= 2000; ++i) CarryAll(fleet, kBegun + seconds(i));
  // Each node is lost once in 200 s, half of its time.
  EXPECT_NEAR(static_cast<double>(fleet.counts().losses), 2000, 200);
  EXPECT_NEAR(static_cast<double>(fleet.counts().lost), 100, 40);
  EXPECT_EQ(fleet.counts().up + fleet.counts().lost, 200);
}

TEST(Fleet, TakesOverNodesOfItsName) {
  Fleet fleet = Make(2, {}, {1});
  EXPECT_THAT(
      CarryAll(fleet, kBegun),
      testing::UnorderedElementsAre(
          "POST /api/v1/nodes", "GET /api/v1/nodes/sim-1", "PATCH /api/v1/nodes/sim-1/status",
          "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
          "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"));
  EXPECT_EQ(fleet.counts().up, 2);
}

TEST(Fleet, MakingNodesHasNoInstantToBeLateFor) {
  Fleet fleet = Make(2, {}, {1});
  const auto made = fleet.Take(kBegun);
  const auto found = fleet.Take(kBegun);
  ASSERT_TRUE(made && found);
  for (const auto& order : {made, found}) {
    EXPECT_FALSE(order->is_timed) << order->call.target;
    EXPECT_TRUE(fleet.Done(order->ticket, Made(absl::StrCat("sim-", order->ticket)), kBegun).ok());
  }
  CarryAll(fleet, kBegun);
  EXPECT_TRUE(fleet.Take(*fleet.NextDue())->is_timed);
}

TEST(Fleet, NodesCountAsSeenOnceTheyHaveBeenUpOrAreGone) {
  Losses losses;
  losses.planned = {{1, seconds(1), seconds(100)}};
  Fleet fleet = Make(2, losses, {1});
  const auto found = fleet.Take(kBegun);
  const auto other = fleet.Take(kBegun);
  ASSERT_TRUE(found && other);
  for (const auto& order : {found, other}) {
    EXPECT_TRUE(fleet.Done(order->ticket, Made(absl::StrCat("sim-", order->ticket)), kBegun).ok());
  }
  for (auto order = fleet.Take(kBegun); order; order = fleet.Take(kBegun)) {
    // Somebody deletes the node that was taken over.
    const bool is_gone = order->call.method == "PATCH";
    const Status done = is_gone ? fleet.Done(order->ticket, absl::NotFoundError("node"), kBegun)
                                : fleet.Done(order->ticket, Json(), kBegun);
    EXPECT_TRUE(done.ok());
  }
  EXPECT_EQ(fleet.counts().gone, 1);
  EXPECT_EQ(fleet.counts().seen, 2);
  fleet.Take(kBegun + seconds(1));
  EXPECT_EQ(fleet.counts().lost, 1);
  EXPECT_EQ(fleet.counts().seen, 2);
}

TEST(Fleet, LabelsThatAreNoTextsAreNobodysRun) {
  for (const char* labels :
       {"null", "3", R"({"twofold/nodes": null})", R"({"twofold/nodes": 3})"}) {
    Fleet fleet = Make(1, {}, {0});
    const auto found = fleet.Take(kBegun);
    Json node = Made("sim-0");
    node["metadata"]["labels"] = Json::parse(labels);
    EXPECT_EQ(fleet.Done(found->ticket, node, kBegun).code(), absl::StatusCode::kFailedPrecondition)
        << labels;
  }
}

TEST(Fleet, LeavesANodeAloneThatSomebodyElseHasMade) {
  Fleet fleet = Make(1);
  const auto node = fleet.Take(kBegun);
  ASSERT_TRUE(fleet.Done(node->ticket, absl::AlreadyExistsError("node"), kBegun).ok());
  const auto found = fleet.Take(kBegun);
  Json foreign = Made("sim-0");
  foreign["metadata"]["labels"] = {{"kubernetes.io/hostname", "sim-0"}};
  const Status status = fleet.Done(found->ticket, foreign, kBegun);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("choose another --run"));
  EXPECT_GT(*fleet.NextDue(), kBegun);
}

TEST(Fleet, ANodeThatSomebodyDeletesStaysAway) {
  Fleet fleet = Make(1);
  CarryAll(fleet, kBegun);
  const Instant due = *fleet.NextDue();
  const auto renewal = fleet.Take(due);
  ASSERT_TRUE(fleet.Done(renewal->ticket, absl::NotFoundError("lease"), due).ok());
  EXPECT_EQ(fleet.counts().up, 0);
  const auto check = fleet.Take(due);
  EXPECT_EQ(check->call.method, "GET");
  ASSERT_TRUE(fleet.Done(check->ticket, absl::NotFoundError("node"), due).ok());
  EXPECT_FALSE(fleet.NextDue().has_value());
  EXPECT_EQ(fleet.counts().gone, 1);
}

TEST(Fleet, ALeaseThatSomebodyDeletesIsMadeAgain) {
  Fleet fleet = Make(1);
  CarryAll(fleet, kBegun);
  const Instant due = *fleet.NextDue();
  const auto renewal = fleet.Take(due);
  ASSERT_TRUE(fleet.Done(renewal->ticket, absl::NotFoundError("lease"), due).ok());
  EXPECT_THAT(
      CarryAll(fleet, due),
      testing::ElementsAre("GET /api/v1/nodes/sim-0", "PATCH /api/v1/nodes/sim-0/status",
                           "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"));
  EXPECT_EQ(fleet.counts().up, 1);
}

TEST(Fleet, WithoutTheNamespaceOfLeasesNothingSpins) {
  Fleet fleet = Make(1);
  const auto node = fleet.Take(kBegun);
  ASSERT_TRUE(fleet.Done(node->ticket, Made("sim-0"), kBegun).ok());
  const auto lease = fleet.Take(kBegun);
  EXPECT_FALSE(fleet.Done(lease->ticket, absl::NotFoundError("namespace"), kBegun).ok());
  EXPECT_GT(*fleet.NextDue(), kBegun + milliseconds(200));
}

TEST(Loss, IsWrittenAsCountInstantAndTime) {
  const auto loss = ParseLoss("5@60s+2m");
  ASSERT_TRUE(loss.ok());
  EXPECT_EQ(loss->count, 5);
  EXPECT_EQ(loss->at, seconds(60));
  EXPECT_EQ(loss->time, seconds(120));
  for (const char* text :
       {"", "5", "5@60s", "@60s+2m", "0@60s+2m", "5@x+2m", "5@60s+", "5+2m@60s"}) {
    EXPECT_FALSE(ParseLoss(text).ok()) << text;
  }
}

}  // namespace
}  // namespace twofold::nodes
