#include "kubernetes/lifecycle/moments/inputs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/moments/stamps.h"
#include "kubernetes/lifecycle/moments/trim.h"
#include "tests/kubernetes/lifecycle/objects.h"
#include "tests/kubernetes/lifecycle/telling.h"

namespace twofold::lifecycle {
namespace {

TEST(Inputs, AnObserverThatIsToldTheSameKnowsTheSame) {
  const Kind& kind = *FindKind("job").value();
  Observer first(kind, "r1");
  Observer second(kind, "r1");
  std::vector<bool> told(std::variant_size_v<Input>);
  first.SetHearer([&](const Input& each) {
    told[each.index()] = true;
    EXPECT_TRUE(second.Tell(each).ok());
  });
  TellAll(first, kind, false);
  EXPECT_EQ(Known(second), Known(first));
  EXPECT_EQ(told, std::vector<bool>(told.size(), true)) << "one is not told, so not passed on";
}

TEST(Trimmed, IsToAnObserverWhatTheWholeObjectIs) {
  const Kind& kind = *FindKind("job").value();
  Observer whole(kind, "r1");
  Observer trimmed(kind, "r1");
  TellAll(whole, kind, false);
  TellAll(trimmed, kind, true);
  EXPECT_EQ(Known(trimmed), Known(whole));
}

TEST(Trimmed, LeavesOutWhatNoMomentReads) {
  const Object object = Trimmed(*FindKind("job").value(), WithNoise(Ready(PodOf("w", "p"))));
  const std::string text = object.dump();
  for (const char* noise : {"managedFields", "imageID", "hostIP", "\"other\"", "busybox"}) {
    EXPECT_EQ(text.find(noise), std::string::npos) << noise << " in " << text;
  }
  EXPECT_TRUE(StampsOf(object).sent_ns);
}

TEST(Trimmed, SurvivesWhatIsOfAnotherTypeThanItOughtToBe) {
  const Kind& kind = *FindKind("job").value();
  for (const char* text : {"null", "[]", "3", R"({"metadata": 3, "status": [], "spec": "x"})",
                           R"({"metadata": {"labels": [], "ownerReferences": {"a": 1}},
                               "status": {"conditions": [3, null, {"type": {}}]}})"}) {
    const Object object = Object::parse(text);
    EXPECT_TRUE(Trimmed(kind, object).is_object()) << text;
  }
}

TEST(Stamps, AreReadAsTheyWereWrittenToTheMicrosecond) {
  Object object = Made("Job", "w", "j");
  Stamp(object, {1'790'000'000'123'456'789, 1'790'000'000'123'457'999});
  EXPECT_EQ(object["metadata"]["annotations"][std::string(kSentStamp)], "1790000000123457");
  const Stamps stamps = StampsOf(object);
  EXPECT_EQ(stamps.planned_ns, 1'790'000'000'123'456'000);
  EXPECT_EQ(stamps.sent_ns, 1'790'000'000'123'457'000);
}

TEST(Stamps, WhatIsMissingOrNoTimeStaysMissing) {
  for (const char* value : {"", "x", "-1", "1e3", "99999999999999999999", "8589934592000000"}) {
    Object object = Made("Job", "w", "j");
    object["metadata"]["annotations"] = {{kSentStamp, value}};
    EXPECT_FALSE(StampsOf(object).sent_ns) << value;
    EXPECT_FALSE(StampsOf(object).planned_ns);
  }
}

TEST(Expected, AWorkloadThatWasNeverSeenIsNotSent) {
  const Kind& kind = *FindKind("job").value();
  Observer observer(kind, "r1");
  ASSERT_TRUE(observer.Tell(input::Expect{"load", "w", 1, At(0)}).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(observer.Tell(input::Expect{"load", "w", 1, At(0)})));
  const Life& life = observer.lives().front();
  EXPECT_EQ(StateOf(kind, life, SightsOf(life)), State::kNotSent);
}

TEST(Expected, WhatTheFirstListShowsHappenedAfterItWasSent) {
  const Kind& kind = *FindKind("job").value();
  Observer observer(kind, "r1");
  ASSERT_TRUE(observer.Tell(input::Expect{"load", "w", 1, At(0)}).ok());
  ASSERT_TRUE(observer.Tell(input::Plan{"load", "w", 1, At(8)}).ok());
  observer.Tell(input::Sent{"load", "w", At(10)});
  observer.Tell(input::Listing{"Job"});
  Object job = Made("Job", "w", "j");
  observer.Tell(input::Seen{Event::kListed, Put(job, "Complete", true), At(500)});
  observer.Tell(input::Listed{"Job", At(501)});
  const Sights sights = SightsOf(observer.lives().front());
  for (const Moment moment : {Moment::kCreated, Moment::kComplete}) {
    const auto& sight = Of(sights, moment);
    ASSERT_TRUE(sight);
    EXPECT_DOUBLE_EQ(Ms(sight->after), 10);
    EXPECT_DOUBLE_EQ(Ms(sight->at), 500);
  }
}

TEST(Expected, WithoutStampsItBeganWithItsRunAndItsSendingStaysMissing) {
  const Kind& kind = *FindKind("job").value();
  Observer observer(kind, "r1");
  ASSERT_TRUE(observer.Tell(input::Expect{"load", "w", 1, At(2)}).ok());
  observer.Tell(input::Listing{"Job"});
  observer.Tell(input::Seen{Event::kListed, Made("Job", "w", "j"), At(500)});
  observer.Tell(input::Listed{"Job", At(501)});
  const Life& life = observer.lives().front();
  const Sights sights = SightsOf(life);
  EXPECT_FALSE(Of(sights, Moment::kSent));
  EXPECT_DOUBLE_EQ(Ms(Of(sights, Moment::kCreated)->after), 2);
  EXPECT_EQ(StateOf(kind, life, sights), State::kNotReady);
}

}  // namespace
}  // namespace twofold::lifecycle
