#include "kubernetes/lifecycle/moments/kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

bool Has(const std::vector<Moment>& moments, Moment moment) {
  return std::find(moments.begin(), moments.end(), moment) != moments.end();
}

TEST(Kinds, EachHasAnApiAndANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Kind& kind : Kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.help.empty());
    EXPECT_FALSE(kind.own.version.empty() || kind.own.plural.empty() || kind.own.kind.empty());
  }
}

TEST(Kinds, EachSignIsOfAnObjectThatIsWatched) {
  for (const Kind& kind : Kinds()) {
    std::set<std::string_view> watched = {kind.own.kind};
    for (const kube::Resource& beside : kind.beside) watched.insert(beside.kind);
    for (const MomentSign& each : kind.signs) {
      EXPECT_TRUE(watched.contains(each.sign.object)) << kind.name << " " << Name(each.moment);
    }
    for (const auto& sign : {kind.held, kind.evicted}) {
      EXPECT_TRUE(!sign || watched.contains(sign->object)) << kind.name;
    }
  }
}

TEST(Kinds, AnUnknownKindIsRefusedWithTheKnownOnes) {
  const auto found = FindKind("jobb");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(found.status().message().find("'jobb' is none of pod, job, indexed-job"),
            std::string::npos)
      << found.status();
}

TEST(Kinds, MomentsAreThoseThatTheKindCanHave) {
  const auto pod = FindKind("pod").value()->Moments();
  EXPECT_FALSE(Has(pod, Moment::kLastPod));
  EXPECT_FALSE(Has(pod, Moment::kComplete));
  const auto kueue = FindKind("kueue-job").value()->Moments();
  EXPECT_TRUE(Has(kueue, Moment::kQuotaReserved));
  EXPECT_TRUE(Has(kueue, Moment::kComplete));
  EXPECT_FALSE(Has(FindKind("runai-training").value()->Moments(), Moment::kComplete));
  EXPECT_TRUE(std::is_sorted(kueue.begin(), kueue.end()));
}

TEST(Look, FieldsMatchOneOfTheirWords) {
  const Sign sign{"PodGroup", Sign::By::kField, "/status/phase=Inqueue|Running"};
  Object group = Made("PodGroup", "g", "u");
  EXPECT_FALSE(Look(sign, group));
  for (const auto& [phase, is] :
       {std::pair("Pending", false), {"Inqueue", true}, {"Running", true}, {"Run", false}}) {
    group["status"]["phase"] = phase;
    EXPECT_EQ(Look(sign, group).has_value(), is) << phase;
  }
  EXPECT_FALSE(Look({"Job", Sign::By::kExists, ""}, group));
}

TEST(Look, AFalseConditionIsNotShown) {
  Object job = Made("Job", "j", "u");
  const Sign sign{"Job", Sign::By::kCondition, "Complete"};
  EXPECT_FALSE(Look(sign, Put(job, "Complete", false)));
  EXPECT_TRUE(Look(sign, Put(job, "Complete", true))->second);
}

}  // namespace
}  // namespace twofold::lifecycle
