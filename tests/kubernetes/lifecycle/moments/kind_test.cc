#include "kubernetes/lifecycle/moments/kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kubernetes/lifecycle/moments/pod.h"
#include "kubernetes/lifecycle/moments/trim.h"
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
    for (const Versions& beside : kind.beside) watched.insert(beside.front().kind);
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

TEST(Kinds, WhatKueueLetsInHasTheMomentsOfItsOwnKindAndThoseOfItsQuota) {
  std::set<std::string_view> queued;
  for (const Kind& kind : Kinds()) {
    if (kind.queued.empty()) continue;
    queued.insert(kind.queued);
    const Kind& own = *FindKind(kind.queued).value();
    EXPECT_EQ(kind.own, own.own) << kind.name;
    EXPECT_EQ(kind.held.has_value(), own.held.has_value()) << kind.name;
    EXPECT_TRUE(kind.evicted) << kind.name;
    for (const Moment moment : own.Moments()) EXPECT_TRUE(Has(kind.Moments(), moment));
    EXPECT_TRUE(Has(kind.Moments(), Moment::kQuotaReserved)) << kind.name;
    EXPECT_TRUE(Has(kind.Moments(), Moment::kAdmitted)) << kind.name;
  }
  EXPECT_EQ(queued, (std::set<std::string_view>{"pod", "indexed-job", "jobset", "pytorchjob",
                                                "mpijob", "trainjob"}));
}

TEST(Kinds, KueuesWorkloadIsKnownInTheVersionsBeforeAndAfterV015) {
  const Versions& workload = FindKind("kueue-job").value()->beside.back();
  ASSERT_EQ(workload.size(), 2U);
  EXPECT_EQ(kube::ApiVersion(workload[0]), "kueue.x-k8s.io/v1beta2");
  EXPECT_EQ(kube::ApiVersion(workload[1]), "kueue.x-k8s.io/v1beta1");
}

TEST(Kinds, AnMpiJobHasTheJobOfItsLauncherBeside) {
  const Kind& kind = *FindKind("mpijob").value();
  EXPECT_TRUE(Has(kind.Moments(), Moment::kChildCreated));
  EXPECT_EQ(kind.beside.front().front(), kube::kJobs);
}

TEST(Slots, ALauncherHasAPlaceOfItsOwnThoughItHasNoIndex) {
  const Kind& kind = *FindKind("mpijob").value();
  const auto slot = [&](const char* role, const char* index) {
    Object pod = Made("Pod", "p", "u");
    pod["metadata"]["labels"]["training.kubeflow.org/job-role"] = role;
    if (index != nullptr) pod["metadata"]["labels"]["training.kubeflow.org/replica-index"] = index;
    return SlotOf(kind, pod);
  };
  EXPECT_FALSE(slot("launcher", nullptr).empty());
  EXPECT_EQ(slot("launcher", "0"), slot("launcher", nullptr));  // runLauncherAsWorker
  EXPECT_NE(slot("worker", "0"), slot("launcher", "0"));
  EXPECT_EQ(slot("worker", nullptr), "");  // its index is missing: nobody knows which one it is
}

TEST(Look, AVolcanoJobSaysWhenItsPhaseCame) {
  const Kind& kind = *FindKind("volcano-job").value();
  Object job = Made("Job", "j", "u");
  job["status"]["state"] = {{"phase", "Completed"}, {"lastTransitionTime", "2026-11-23T12:00:05Z"}};
  int shown = 0;
  for (const MomentSign& each : kind.signs) {
    const auto look = Look(each.sign, Trimmed(kind, job));
    if (!look) continue;
    ++shown;
    EXPECT_EQ(each.moment, Moment::kComplete);
    EXPECT_EQ(look->second, SecondOf("2026-11-23T12:00:05Z"));
  }
  EXPECT_EQ(shown, 1);
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
