#include <gtest/gtest.h>

#include <string>

#include "kubernetes/lifecycle/moments/observer.h"
#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

/// A claim of a volume for a pod of workload "w", with the labels that its template has.
Object Claim(const std::string& uid, const std::string& phase) {
  Object claim = Made("PersistentVolumeClaim", "w-" + uid, uid);
  claim["metadata"]["labels"]["twofold/workload"] = "w";
  claim["status"]["phase"] = phase;
  return claim;
}

struct WithClaims {
  explicit WithClaims(std::uint32_t claims) : observer(*FindKind("job").value(), "r1") {
    EXPECT_TRUE(observer.Tell(input::Plan{"load", "w", 2, At(0), {.claims = claims}}).ok());
    observer.Tell(input::Sent{"load", "w", At(10)});
  }
  void See(const Object& object, double ms, Event event = Event::kModified) {
    observer.Tell(input::Seen{event, object, At(ms)});
  }
  [[nodiscard]] std::optional<Sight> Sighted(Moment moment) const {
    return Of(SightsOf(observer.lives().front()), moment);
  }

  Observer observer;
};

TEST(Claims, AMomentOfVolumesIsThatOfTheLastThatIsNeeded) {
  WithClaims watched(2);
  watched.See(Claim("a", "Pending"), 20, Event::kAdded);
  EXPECT_FALSE(watched.Sighted(Moment::kVolumeRequested));
  watched.See(Claim("b", "Pending"), 30, Event::kAdded);
  watched.See(Claim("b", "Bound"), 50);
  EXPECT_FALSE(watched.Sighted(Moment::kVolumeBound)) << "one of two";
  watched.See(Claim("a", "Bound"), 70);
  watched.See(Claim("a", "Bound"), 90);
  EXPECT_DOUBLE_EQ(Ms(watched.Sighted(Moment::kVolumeRequested)->at), 30);
  EXPECT_DOUBLE_EQ(Ms(watched.Sighted(Moment::kVolumeBound)->at), 70);
}

TEST(Claims, OfAPodThatReplacesAnotherMovesNothing) {
  WithClaims watched(1);
  watched.See(Claim("a", "Bound"), 20, Event::kAdded);
  watched.See(Claim("b", "Bound"), 500, Event::kAdded);
  EXPECT_DOUBLE_EQ(Ms(watched.Sighted(Moment::kVolumeBound)->at), 20);
}

TEST(Claims, OneThatIsOnlyListedHasAnInterval) {
  WithClaims watched(1);
  watched.See(Claim("a", "Bound"), 500, Event::kListed);
  const auto bound = watched.Sighted(Moment::kVolumeBound);
  ASSERT_TRUE(bound);
  EXPECT_TRUE(bound->IsLate());
  EXPECT_DOUBLE_EQ(Ms(bound->after), 10);
}

TEST(Claims, ThoseOfAWorkloadWithoutVolumesAreNoMoments) {
  WithClaims watched(0);
  watched.See(Claim("a", "Bound"), 20, Event::kAdded);
  EXPECT_FALSE(watched.Sighted(Moment::kVolumeBound));
}

TEST(Claims, WithoutLabelsTheirOwnerTellsWhoseTheyAre) {
  WithClaims watched(1);
  watched.See(PodOf("w", "p1"), 15, Event::kAdded);
  Object claim = Claim("a", "Pending");
  claim["metadata"].erase("labels");
  claim["metadata"]["ownerReferences"] = {{{"kind", "Pod"}, {"name", "w-p1"}, {"uid", "p1"}}};
  watched.See(claim, 20, Event::kAdded);
  EXPECT_DOUBLE_EQ(Ms(watched.Sighted(Moment::kVolumeRequested)->at), 20);
}

}  // namespace
}  // namespace twofold::lifecycle
