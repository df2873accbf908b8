#include "workloads/gpu/measure.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace twofold::gpu {
namespace {

using std::chrono::milliseconds;

// A device on which everything takes 10 ms, and the host's clock is the device's.
struct World {
  Instant now{};
  std::size_t in_flight = 0;
  std::size_t most_in_flight = 0;
  std::size_t submitted = 0;
  std::size_t fails_at = SIZE_MAX;  // this wait
  std::size_t waits = 0;
};

class FakeEvent final : public Event {
 public:
  explicit FakeEvent(World& world) : world_(world) {}
  Result<Interval> Wait() override {
    --world_.in_flight;
    if (world_.waits++ == world_.fails_at) return absl::UnavailableError("device lost");
    const Duration start = world_.now.time_since_epoch();
    world_.now += milliseconds(10);
    return Interval{start, world_.now.time_since_epoch()};
  }

 private:
  World& world_;
};

class FakeQueue final : public Queue {
 public:
  explicit FakeQueue(World& world) : world_(world) {}
  Result<std::unique_ptr<Event>> Submit(const Task&, std::uint32_t) override {
    ++world_.submitted;
    world_.most_in_flight = std::max(world_.most_in_flight, ++world_.in_flight);
    return std::make_unique<FakeEvent>(world_);
  }

 private:
  World& world_;
};

class FakeWork final : public Work {
 public:
  [[nodiscard]] Task TaskOf(std::size_t) const override { return Launch{}; }
  Result<std::uint64_t> Check(Queue&) override { return 0; }
  void Describe(v1::suites::GpuPart&) const override {}
};

class GpuMeasure : public ::testing::Test {
 protected:
  Result<std::vector<Tally>> MeasureWith(const Limit& limit,
                                         std::vector<std::uint32_t> shares = {1},
                                         std::size_t streams = 1) {
    std::vector<std::unique_ptr<Work>> works;
    for (std::size_t i = 0; i < shares.size(); ++i) works.push_back(std::make_unique<FakeWork>());
    std::vector<std::unique_ptr<Queue>> queues;
    for (std::size_t i = 0; i < streams; ++i) queues.push_back(std::make_unique<FakeQueue>(world_));
    return Measure(works, Sequence(std::move(shares)), queues, limit,
                   [this] { return world_.now; });
  }

  World world_;
};

TEST_F(GpuMeasure, IterationsAreCountedExactly) {
  const auto tallies = MeasureWith({.iterations = 7});
  ASSERT_TRUE(tallies.ok());
  EXPECT_EQ(tallies->at(0).iterations, 7U);
  EXPECT_EQ(tallies->at(0).times.Count(), 7U);
  EXPECT_EQ(tallies->at(0).last_end - tallies->at(0).first_start, milliseconds(70));
}

TEST_F(GpuMeasure, TimeEndsItAndWhatIsInFlightCounts) {
  const auto tallies = MeasureWith({.time = milliseconds(100)});
  ASSERT_TRUE(tallies.ok());
  EXPECT_EQ(tallies->at(0).iterations, 12U);  // ten, and the two that were under way
  EXPECT_EQ(world_.in_flight, 0U);
}

TEST_F(GpuMeasure, EachQueueHasTwoInFlightAtMost) {
  ASSERT_TRUE(MeasureWith({.iterations = 50}, {1}, 3).ok());
  EXPECT_EQ(world_.most_in_flight, 6U);
}

TEST_F(GpuMeasure, SharesAreKeptExactly) {
  const auto tallies = MeasureWith({.iterations = 50}, {5, 3, 1, 1});
  ASSERT_TRUE(tallies.ok());
  EXPECT_EQ(tallies->at(0).iterations, 25U);
  EXPECT_EQ(tallies->at(1).iterations, 15U);
  EXPECT_EQ(tallies->at(2).iterations, 5U);
  EXPECT_EQ(tallies->at(3).iterations, 5U);
}

TEST_F(GpuMeasure, AnErrorEndsItWhenNothingIsInFlight) {
  world_.fails_at = 4;
  const auto tallies = MeasureWith({.iterations = 1000}, {1}, 2);
  EXPECT_EQ(tallies.status().message(), "device lost");
  EXPECT_EQ(world_.in_flight, 0U);
  EXPECT_LT(world_.submitted, 12U);
}

TEST(GpuSequence, KindsAreSpreadEvenly) {
  Sequence sequence({3, 1});
  std::string order;
  for (int i = 0; i < 8; ++i) order += static_cast<char>('a' + sequence.Next());
  EXPECT_EQ(order, "aabaaaba");
}

TEST(GpuLatency, IsWhatTheHostWaits) {
  World world;
  FakeQueue queue(world);
  const auto latencies = MeasureLatency(queue, {.iterations = 3}, [&] { return world.now; });
  ASSERT_TRUE(latencies.ok());
  EXPECT_EQ(latencies->Count(), 3U);
  EXPECT_EQ(latencies->Max(), milliseconds(10));
}

}  // namespace
}  // namespace twofold::gpu
