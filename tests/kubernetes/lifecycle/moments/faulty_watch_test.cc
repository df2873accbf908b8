// Whatever a watch does to the events of a run, a moment is never said to be when it was not.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/observer.h"
#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

constexpr int kPods = 40;

/// What the API server did: one version of one pod.
struct Happened {
  double ms = 0;
  int pod = 0;
  Object object;
};

struct Truth {
  double sent = 0;
  double created = 0;
  double bound = 0;
  double ready = 0;
};

struct World {
  std::vector<Truth> truth;
  std::vector<Happened> happened;  // in order
};

World MakeWorld(std::mt19937_64& random) {
  World world;
  std::uniform_real_distribution<double> some(1.0, 400.0);
  for (int i = 0; i < kPods; ++i) {
    Truth truth{.sent = 25.0 * i};
    truth.created = truth.sent + 2;
    truth.bound = truth.created + some(random);
    truth.ready = truth.bound + some(random);
    const Object pod = Made("Pod", "w" + std::to_string(i), "u" + std::to_string(i));
    world.happened.push_back({truth.created, i, pod});
    world.happened.push_back({truth.bound, i, Bound(pod)});
    world.happened.push_back({truth.ready, i, Ready(pod)});
    world.truth.push_back(truth);
  }
  std::sort(world.happened.begin(), world.happened.end(),
            [](const Happened& one, const Happened& other) { return one.ms < other.ms; });
  for (std::size_t i = 0; i < world.happened.size(); ++i) {
    world.happened[i].object = Version(world.happened[i].object, static_cast<int>(i) + 1);
  }
  return world;
}

/// Shows `world` to an observer by a watch that doubles events and is broken now and then; each
/// time a list follows, which shows the newest version of each pod only.
void Watch(const World& world, std::mt19937_64& random, Observer& observer) {
  std::bernoulli_distribution doubled(0.2);
  std::bernoulli_distribution breaks(0.05);
  std::uniform_int_distribution<std::size_t> lost(1, 12);
  std::array<const Object*, kPods> newest = {};
  for (std::size_t i = 0; i < world.happened.size(); ++i) {
    const Happened& event = world.happened[i];
    newest[static_cast<std::size_t>(event.pod)] = &event.object;
    if (!breaks(random)) {
      for (int times = doubled(random) ? 2 : 1; times > 0; --times) {
        observer.Tell(input::Seen{Event::kModified, event.object, At(event.ms)});
      }
      continue;
    }
    const std::size_t end = std::min(i + lost(random), world.happened.size());
    for (; i < end; ++i) {
      newest[static_cast<std::size_t>(world.happened[i].pod)] = &world.happened[i].object;
    }
    --i;
    const double listed = world.happened[i].ms + 0.5;
    for (const Object* const object : newest) {
      if (object != nullptr) observer.Tell(input::Seen{Event::kListed, *object, At(listed)});
    }
    observer.Tell(input::Listed{"Pod", At(listed)});
  }
}

void ExpectHolds(const Life& life, Moment moment, double truth) {
  const auto sight = Of(SightsOf(life), moment);
  ASSERT_TRUE(sight) << life.name << " " << Name(moment);
  EXPECT_LE(Ms(sight->after), truth + 1e-3) << life.name << " " << Name(moment);
  EXPECT_GE(Ms(sight->at), truth - 1e-3) << life.name << " " << Name(moment);
  EXPECT_TRUE(sight->IsLate() || std::abs(Ms(sight->at) - truth) < 1e-3) << life.name;
}

TEST(FaultyWatch, NoMomentIsSaidToBeWhenItWasNot) {
  const char* const given = std::getenv("TWOFOLD_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  std::size_t late = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    SCOPED_TRACE("TWOFOLD_SEED=" + std::to_string(seed + i));
    std::mt19937_64 random(seed + i);
    const World world = MakeWorld(random);
    Observer observer(*FindKind("pod").value(), "r1");
    for (int pod = 0; pod < kPods; ++pod) {
      const std::string name = "w" + std::to_string(pod);
      const double sent = world.truth[static_cast<std::size_t>(pod)].sent;
      ASSERT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(sent)}).ok());
      observer.Tell(input::Sent{"load", name, At(sent)});
    }
    Watch(world, random, observer);
    for (std::size_t pod = 0; pod < kPods; ++pod) {
      const Life& life = observer.lives()[pod];
      ExpectHolds(life, Moment::kCreated, world.truth[pod].created);
      ExpectHolds(life, Moment::kScheduled, world.truth[pod].bound);
      ExpectHolds(life, Moment::kReady, world.truth[pod].ready);
      late += Of(SightsOf(life), Moment::kReady)->IsLate() ? 1U : 0U;
      EXPECT_EQ(life.recreated, 0U);
      EXPECT_EQ(LostPodsOf(life), 0U);
    }
  }
  EXPECT_GT(late, 100U) << "the faults did not happen";
}

TEST(FaultyWatch, MemoryIsWhatTheHeaderSays) {
  EXPECT_LE(sizeof(Life), 1536U);
  EXPECT_LE(sizeof(PodLife), 576U);
}

}  // namespace
}  // namespace twofold::lifecycle
