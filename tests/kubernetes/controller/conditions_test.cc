#include "kubernetes/controller/conditions.h"

#include <gtest/gtest.h>

#include "kubernetes/controller/ownership.h"
#include "tests/fakes/kube_api.h"

namespace twofold::controller {
namespace {

using kube::Json;
using std::chrono::seconds;

constexpr kube::UnixTime kNow{seconds(1'790'000'000)};

TEST(Conditions, TheTimeChangesOnlyWithTheStatus) {
  Json conditions;
  SetCondition(conditions, {"Running", Truth::kUnknown, "Queued", "behind a/x"}, 1, kNow);
  SetCondition(conditions, {"Running", Truth::kUnknown, "Queued", "behind a/y"}, 2,
               kNow + seconds(5));
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0]["message"], "behind a/y");
  EXPECT_EQ(conditions[0]["observedGeneration"], 2);
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "2026-09-21T14:13:20Z");
  SetCondition(conditions, {"Running", Truth::kTrue, "Running", ""}, 2, kNow + seconds(9));
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "2026-09-21T14:13:29Z");
  EXPECT_EQ(conditions[0]["status"], "True");
}

TEST(Conditions, EachTypeIsThereOnce) {
  Json conditions;
  SetCondition(conditions, {"Accepted", Truth::kTrue, "Checked", ""}, 1, kNow);
  SetCondition(conditions, {"Running", Truth::kFalse, "Queued", ""}, 1, kNow);
  SetCondition(conditions, {"Accepted", Truth::kTrue, "Checked", ""}, 1, kNow);
  EXPECT_EQ(conditions.size(), 2U);
}

TEST(Conditions, LongMessagesAreCut) {
  Json conditions;
  SetCondition(conditions, {"Failed", Truth::kTrue, "JobsFailed", std::string(9000, 'x')}, 1, kNow);
  EXPECT_EQ(conditions[0]["message"].get<std::string>().size(), kLongestMessage);
}

class OwnershipTest : public ::testing::Test {
 protected:
  Json Map(const std::string& name) {
    return api_.Put(kube::kConfigMaps, {{"metadata", {{"name", name}, {"namespace", "a"}}}});
  }

  fakes::KubeApi api_;
  kube::Connection connection_{api_.access()};
};

TEST_F(OwnershipTest, AFinalizerHoldsAnObjectUntilItIsTaken) {
  const Json made = Map("x");
  const auto held = connection_.Do(AddFinalizer(kube::kConfigMaps, made, "twofold.dev/run"));
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_TRUE(HasFinalizer(held->body, "twofold.dev/run"));
  ASSERT_TRUE(connection_.Do(kube::Delete(kube::kConfigMaps, {"a", "x"})).ok());
  const auto waits = api_.Find(kube::kConfigMaps, {"a", "x"});
  ASSERT_TRUE(waits);
  EXPECT_TRUE(IsBeingDeleted(*waits));
  ASSERT_TRUE(connection_.Do(RemoveFinalizer(kube::kConfigMaps, *waits, "twofold.dev/run")).ok());
  EXPECT_FALSE(api_.Find(kube::kConfigMaps, {"a", "x"}));
}

TEST_F(OwnershipTest, FinalizersOfOthersStay) {
  Json made = Map("x");
  made["metadata"]["finalizers"] = {"other/one"};
  made = api_.Put(kube::kConfigMaps, made);
  const auto both = connection_.Do(AddFinalizer(kube::kConfigMaps, made, "twofold.dev/run"));
  ASSERT_TRUE(both.ok());
  const auto left =
      connection_.Do(RemoveFinalizer(kube::kConfigMaps, both->body, "twofold.dev/run"));
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->body["metadata"]["finalizers"], Json({"other/one"}));
}

TEST_F(OwnershipTest, AFinalizerIsNotWrittenOverAChangeOfSomebodyElse) {
  const Json made = Map("x");
  api_.Change(kube::kConfigMaps, {"a", "x"},
              [](Json& object) { object["metadata"]["finalizers"] = {"other/one"}; });
  const auto late = connection_.Do(AddFinalizer(kube::kConfigMaps, made, "twofold.dev/run"));
  EXPECT_TRUE(absl::IsAborted(late.status())) << late.status();
}

TEST_F(OwnershipTest, WhatIsOwnedGoesWithItsOwnerAndIsSetRightAgain) {
  Json owner = Map("owner");
  const Json child = {{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "child"}, {"namespace", "a"}}},
                      {"data", {{"k", "1"}}}};
  ASSERT_TRUE(connection_.Do(ApplyOwned(kube::kConfigMaps, owner, child)).ok());
  api_.Change(kube::kConfigMaps, {"a", "child"}, [](Json& object) { object["data"]["k"] = "2"; });
  ASSERT_TRUE(connection_.Do(ApplyOwned(kube::kConfigMaps, owner, child)).ok());
  EXPECT_EQ((*api_.Find(kube::kConfigMaps, {"a", "child"}))["data"]["k"], "1");
  ASSERT_TRUE(connection_.Do(kube::Delete(kube::kConfigMaps, {"a", "owner"})).ok());
  EXPECT_FALSE(api_.Find(kube::kConfigMaps, {"a", "child"}));
}

}  // namespace
}  // namespace twofold::controller
