#include "kubernetes/controller/election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/kube_api.h"

namespace twofold::controller {
namespace {

using kube::Json;
using std::chrono::seconds;

ElectionOptions Options(const std::string& identity) {
  return {.lease = {"monitoring", "operator"}, .identity = identity};
}

/// Two processes and a server; each has a clock of its own.
class ElectionTest : public ::testing::Test {
 protected:
  struct Process {
    explicit Process(const std::string& identity, Instant begin)
        : election(Options(identity)), now(begin) {}
    Election election;
    Instant now;
  };

  /// What a Leadership does at each try. Whether it leads.
  bool Try(Process& process) {
    const auto seen = connection_.Do(kube::Get(kube::kLeases, process.election.options().lease));
    process.election.See(seen.ok() ? std::optional(seen->body) : std::nullopt, process.now);
    Claim(process);
    return process.election.Leads(process.now);
  }
  void Claim(Process& process) {
    wall_ += std::chrono::milliseconds(1);
    const auto claim = process.election.Claim(process.now, wall_);
    if (!claim) return;
    const auto answer = connection_.Do(*claim);
    if (answer.ok()) process.election.Claimed(answer->body, process.now);
  }
  Json Lease() { return *api_.Find(kube::kLeases, {"monitoring", "operator"}); }

  fakes::KubeApi api_;
  kube::Connection connection_{api_.access()};
  kube::UnixTime wall_{seconds(1'790'000'000)};
  Process a_{"a", Instant() + seconds(1000)};
  Process b_{"b", Instant() + seconds(50)};
};

TEST_F(ElectionTest, WhoIsFirstLeadsAndTheOtherFollows) {
  EXPECT_TRUE(Try(a_));
  EXPECT_FALSE(Try(b_));
  EXPECT_EQ(b_.election.holder(), "a");
  const Json spec = Lease()["spec"];
  EXPECT_EQ(spec["holderIdentity"], "a");
  EXPECT_EQ(spec["leaseDurationSeconds"], 15);
  EXPECT_EQ(spec["leaseTransitions"], 0);
  EXPECT_EQ(spec["renewTime"], "2026-09-21T14:13:20.001000Z");
}

TEST_F(ElectionTest, ALeaseThatIsRenewedIsNeverTaken) {
  Try(a_);
  for (int i = 0; i < 30; ++i) {
    a_.now += seconds(2);
    b_.now += seconds(2);
    EXPECT_TRUE(Try(a_));
    EXPECT_FALSE(Try(b_));
  }
  EXPECT_EQ(Lease()["spec"]["leaseTransitions"], 0);
}

TEST_F(ElectionTest, WhoDoesNotRenewLosesBeforeTheOtherBegins) {
  Try(a_);
  Try(b_);
  Instant lost = a_.now;
  while (a_.election.Leads(lost)) lost += std::chrono::milliseconds(100);
  EXPECT_EQ(lost - a_.now, seconds(10));
  b_.now += seconds(14);
  EXPECT_FALSE(Try(b_));
  b_.now += seconds(1);
  EXPECT_TRUE(Try(b_));
  EXPECT_EQ(Lease()["spec"]["leaseTransitions"], 1);
}

TEST_F(ElectionTest, AFollowerWaitsFromItsOwnLookNotFromTheTimeInTheLease) {
  Try(a_);
  api_.Change(kube::kLeases, {"monitoring", "operator"},
              [](Json& lease) { lease["spec"]["renewTime"] = "1999-01-01T00:00:00.000000Z"; });
  EXPECT_FALSE(Try(b_));
  b_.now += seconds(14);
  EXPECT_FALSE(Try(b_));
}

TEST_F(ElectionTest, OfTwoThatClaimTheSameLeaseOneWins) {
  Try(a_);
  Try(b_);
  a_.now += seconds(16);
  b_.now += seconds(16);
  const auto seen = Lease();
  a_.election.See(seen, a_.now);
  b_.election.See(seen, b_.now);
  Claim(b_);
  Claim(a_);  // with the version from before: a Conflict
  EXPECT_TRUE(b_.election.Leads(b_.now));
  EXPECT_FALSE(a_.election.Leads(a_.now));
  EXPECT_EQ(Lease()["spec"]["holderIdentity"], "b");
}

TEST_F(ElectionTest, AReleasedLeaseIsTakenAtOnce) {
  Try(a_);
  Try(b_);
  const auto release = a_.election.Release(a_.now, wall_);
  ASSERT_TRUE(release);
  ASSERT_TRUE(connection_.Do(*release).ok());
  EXPECT_EQ(Lease()["spec"]["holderIdentity"], "");
  EXPECT_TRUE(Try(b_));
}

TEST_F(ElectionTest, WhatIsNotOursIsNotReleased) {
  Try(a_);
  Try(b_);
  EXPECT_FALSE(b_.election.Release(b_.now, wall_));
  a_.now += seconds(11);  // it may be another's by now
  EXPECT_FALSE(a_.election.Release(a_.now, wall_));
}

TEST_F(ElectionTest, ALeaseThatSomebodyDeletesIsMadeAgain) {
  Try(a_);
  api_.Remove(kube::kLeases, {"monitoring", "operator"});
  EXPECT_TRUE(Try(b_));
  EXPECT_FALSE(Try(a_));
}

}  // namespace
}  // namespace twofold::controller
