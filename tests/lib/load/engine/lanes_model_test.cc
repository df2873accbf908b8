#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "lib/load/engine/generator.h"
#include "tests/lib/load/engine/lane_sink.h"

namespace twofold::load {
namespace {

using Tags = std::vector<LoadLoop::Tag>;
using Lane = Generator::Lane;

Instant model_now;  // of the generator's clock

/// The frontends of a few shards, which lose, move and send on jobs as it comes.
class Frontends {
 public:
  static constexpr Lane kLanes = 3;

  Frontends(Generator& generator, unsigned seed) : generator_(generator), random_(seed) {
    generator.Open(kLanes - 1);
  }

  void Step() {
    model_now += std::chrono::milliseconds(Below(40));
    const auto lane = static_cast<Lane>(Below(kLanes));
    if (!up_[lane]) return Connect(lane);
    switch (Below(12)) {
      case 0:
        return Lose(lane);
      case 1:
        return Move(lane);
      case 2:
        return SendOn(lane);
      case 3:
        return EndLeft();
      default:
        Answer(lane);
        generator_.Tick();
    }
  }

  /// All that is on a stream; a job that is on two has two entries.
  std::multiset<LoadLoop::Tag> Held() const {
    std::multiset<LoadLoop::Tag> held;
    for (const auto& sink : up_) {
      if (sink) held.insert(sink->added.begin(), sink->added.end());
    }
    for (const auto& [lane, sink] : left_) held.insert(sink->added.begin(), sink->added.end());
    return held;
  }

  void ConnectAll() {
    for (Lane lane = 0; lane < kLanes; ++lane) {
      if (!up_[lane]) Connect(lane);
    }
    model_now += Generator::kPause;
    generator_.Tick();
  }

 private:
  unsigned Below(unsigned most) { return static_cast<unsigned>(random_() % most); }

  // Takes some jobs off the stream.
  Tags Some(LaneSink& sink) {
    std::shuffle(sink.added.begin(), sink.added.end(), random_);
    const auto from = sink.added.end() - Below(static_cast<unsigned>(sink.added.size()) + 1);
    Tags some(from, sink.added.end());
    sink.added.erase(from, sink.added.end());
    return some;
  }

  void Connect(Lane lane) {
    up_[lane] = std::make_shared<LaneSink>();
    generator_.Connected(up_[lane], lane);
  }

  void Lose(Lane lane) {
    const auto sink = std::exchange(up_[lane], nullptr);
    generator_.Ended(*sink, lane);
  }

  void Move(Lane lane) {
    const auto sink = std::exchange(up_[lane], nullptr);
    left_.emplace_back(lane, sink);
    generator_.Moved(*sink, Some(*sink), lane);
  }

  void SendOn(Lane lane) {
    const auto to = static_cast<Lane>((lane + 1 + Below(kLanes - 1)) % kLanes);
    const bool left = !left_.empty() && left_.back().first == lane;
    LaneSink& sink = left ? *left_.back().second : *up_[lane];
    generator_.Belong(Some(sink), to, sink, lane);
  }

  void EndLeft() {
    if (left_.empty()) return;
    const auto [lane, sink] = left_.front();
    left_.erase(left_.begin());
    generator_.Ended(*sink, lane);
  }

  void Answer(Lane lane) {
    generator_.OnReply(Ends(Some(*up_[lane])), lane);
    if (left_.empty()) return;
    generator_.OnReply(Ends(Some(*left_.back().second)), left_.back().first);
  }

  Generator& generator_;
  std::mt19937 random_;
  std::array<std::shared_ptr<LaneSink>, kLanes> up_;
  std::vector<std::pair<Lane, std::shared_ptr<LaneSink>>> left_;
};

TEST(LanesModel, WhateverHappensNoJobIsLostOrOnTwoStreams) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    model_now = Instant(std::chrono::seconds(1000));
    Generator load{"sleep", "frontend:9997", model_now, [] { return model_now; }};
    load.SetOutstandingMax(200);
    Frontends frontends(load, seed);
    ASSERT_TRUE(load.SetProfile(KindsAtRate(500, 20)).ok());
    for (int step = 0; step < 3000; ++step) {
      frontends.Step();
      const auto held = frontends.Held();
      ASSERT_EQ(std::set(held.begin(), held.end()).size(), held.size()) << seed << " " << step;
      ASSERT_LE(held.size(), load.outstanding()) << seed << " " << step;
    }
    load.EndLoad();
    frontends.ConnectAll();
    EXPECT_EQ(frontends.Held().size(), load.outstanding()) << seed;
    EXPECT_EQ(load.Look().totals.unknown_answers, 0U) << seed;
    EXPECT_GT(load.Look().totals.finished[v1::OUTCOME_SUCCEEDED], 1000U) << seed;
  }
}

}  // namespace
}  // namespace twofold::load
