// An operator that dies, or whose calls are lost, at any of its writes is followed by another one
// that comes to the same end: the walk goes over all writes, to the cluster and to the frontend.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "kubernetes/controller/ownership.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {
namespace {

using Fault = Gate::Fault;

/// What happens to one Benchmark.
struct Story {
  const char* name;
  kube::Json spec;
  /// What people do between two passes.
  std::function<void(Scene&)> people = [](Scene&) {};
  std::size_t failing = SIZE_MAX;
  bool is_busy = false;
};

std::ostream& operator<<(std::ostream& out, const Story& story) { return out << story.name; }

std::uint64_t CountAt(Scene& scene, const char* field) {
  const auto object = scene.Find("x");
  return object && (*object)["status"].contains(field)
             ? (*object)["status"][field].get<std::uint64_t>()
             : 0;
}

bool Runs(Scene& scene) { return scene.Condition("x", "Running") == "True Running"; }

void DeleteInMidRun(Scene& scene) {
  const auto object = scene.Find("x");
  if (object && !controller::IsBeingDeleted(*object) && Runs(scene)) scene.Delete("x");
}

/// Suspended after its first job, and no more once all rests.
void SuspendAndResume(Scene& scene) {
  const auto object = scene.Find("x");
  if (!object) return;
  const bool is_suspended = (*object)["spec"].value("suspend", false);
  if (!is_suspended && Runs(scene) && CountAt(scene, "succeeded") == 1) {
    scene.SetSpec("x", "suspend", true);
  }
  const bool rests = scene.Condition("x", "Running") == "False Suspended" &&
                     !(*object)["status"].contains("startTime");
  if (is_suspended && rests) scene.SetSpec("x", "suspend", false);
}

const Story kStories[] = {
    {"Succeeds", {{"ttlSecondsAfterFinished", 3600}}},
    {"Fails", kube::Json::object(), [](Scene&) {}, 1},
    {"IsRefused", {{"template", {{"kind", "Nonsense"}}}}},
    {"MeetsItsDeadline", {{"activeDeadlineSeconds", 25}}, [](Scene&) {}, SIZE_MAX, true},
    {"IsDeleted", kube::Json::object(), DeleteInMidRun, SIZE_MAX, true},
    {"IsSuspendedForAWhile", kube::Json::object(), SuspendAndResume},
    {"GoesAfterItsTime", {{"ttlSecondsAfterFinished", 0}}},
};

/// What is left when all is over.
struct End {
  std::map<std::string, std::string> conditions;  ///< status and reason by type
  std::set<std::string> finalizers;
  std::size_t runs = 0;
  std::size_t writes = 0;
  bool is_there = false;
  bool is_cancelled = false;
};

End EndOf(Scene& scene) {
  End end;
  end.runs = scene.frontend_.runs.size();
  for (const auto& [id, run] : scene.frontend_.runs) end.is_cancelled |= run.cancelled;
  const auto object = scene.Find("x");
  end.is_there = object.has_value();
  if (!object) return end;
  for (const auto& condition : (*object)["status"].value("conditions", kube::Json::array())) {
    const std::string type = condition["type"];
    end.conditions[type] = scene.Condition("x", type);
  }
  for (const auto& each : (*object)["metadata"].value("finalizers", kube::Json::array())) {
    end.finalizers.insert(each.get<std::string>());
  }
  return end;
}

/// Nothing twice, whatever happened.
void ExpectNothingTwice(Scene& scene) {
  for (const auto& [id, run] : scene.frontend_.runs) {
    EXPECT_EQ(run.begun, 1) << id;
    for (const auto& job : run.jobs) EXPECT_LE(job.executions, 1) << id;
  }
  std::map<std::string, int> events;
  for (const kube::Json& event : scene.api_.All(kube::kEvents)) {
    ++events[event["reason"].get<std::string>() + event["note"].get<std::string>()];
  }
  for (const auto& [what, times] : events) EXPECT_EQ(times, 1) << what;
}

/// Gone, or over and to stay.
bool IsSettled(Scene& scene) {
  const auto object = scene.Find("x");
  if (!object) return true;
  const bool goes = (*object)["spec"].value("ttlSecondsAfterFinished", 1) == 0;
  return scene.IsOver("x") && !goes && !controller::HasFinalizer(*object, kRunFinalizer);
}

/// Plays the story with a fault; an operator that dies is followed by the next one.
End Play(const Story& story, Gate gate) {
  Scene scene;
  scene.frontend_.failing = story.failing;
  scene.frontend_.is_busy = story.is_busy;
  scene.Create(Scene::Benchmark("x", story.spec));
  scene.StartOperator(gate);
  constexpr int kPasses = 80;
  for (int i = 0; i < kPasses && !IsSettled(scene); ++i) {
    try {
      scene.Pass({"x"});
    } catch (const Killed&) {
      scene.StartOperator();
    }
    story.people(scene);
  }
  ExpectNothingTwice(scene);
  End end = EndOf(scene);
  end.writes = scene.writes();
  return end;
}

class WalkTest : public ::testing::TestWithParam<Story> {};

TEST_P(WalkTest, AFaultAtAnyWriteChangesNothingOfTheEnd) {
  const End whole = Play(GetParam(), {});
  EXPECT_TRUE(whole.finalizers.empty());
  ASSERT_GT(whole.writes, 2U);
  for (std::size_t at = 0; at < whole.writes; ++at) {
    for (const Fault fault :
         {Fault::kKillBefore, Fault::kKillAfter, Fault::kLoseRequest, Fault::kLoseReply}) {
      SCOPED_TRACE(::testing::Message() << "write " << at << ", fault " << static_cast<int>(fault));
      const End end = Play(GetParam(), Gate(at, fault));
      EXPECT_EQ(end.conditions, whole.conditions);
      EXPECT_EQ(end.finalizers, whole.finalizers);
      EXPECT_EQ(end.runs, whole.runs);
      EXPECT_EQ(end.is_there, whole.is_there);
      EXPECT_EQ(end.is_cancelled, whole.is_cancelled);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stories, WalkTest, ::testing::ValuesIn(kStories),
                         [](const auto& story) { return std::string(story.param.name); });

}  // namespace
}  // namespace twofold::benchmarks
