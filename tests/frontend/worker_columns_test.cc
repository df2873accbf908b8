#include "frontend/web/worker_columns.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace twofold::frontend {
namespace {

using Json = nlohmann::json;
using Turn = QueueHost::Turn;

constexpr Instant kStart{std::chrono::hours(1)};

class DeafWorker final : public WorkerEndpoint {
 public:
  void Flush() override {}
  void OnAssign(const queue::Assign&, const GangPlan*) override {}
  void OnAskSent() override {}
  void OnGo(const queue::Held&) override {}
  void OnCancelAttempt(const queue::Held&) override {}
  void OnKept(const queue::Held&) override {}
  void OnFollow(const queue::Held&, bool) override {}
  void OnDrain() override {}
  void OnMoved(const std::string&) override {}
  void OnReplaced() override {}
  void OnSilent() override {}
};

class WorkerColumnsTest : public ::testing::Test {
 protected:
  queue::ProcessId Join(const std::string& node, QueueHost& host) {
    const queue::ProcessKey key{++keys_};
    return Turn(host, Now()).Join(key, 1, {}, {node, "pod-of-" + node, "gpu0"}, worker_, {});
  }
  queue::ProcessId Join(const std::string& node) { return Join(node, sleep_); }

  Json Names(Instant now) { return Parsed(columns_.Names(now)); }
  Json States(Instant now) { return Parsed(columns_.States(now)); }

  /// null: nothing was told.
  static Json Parsed(const std::optional<std::string>& line) {
    return line ? Json::parse(*line) : Json();
  }

  std::uint64_t keys_ = 0;
  const std::shared_ptr<DeafWorker> worker_ = std::make_shared<DeafWorker>();
  QueueSet queues_{
      {{.name = "sleep", .number = 0}, {.name = "media", .number = 1}}, {}, 1, nullptr};
  QueueHost& sleep_ = *queues_.all()[0];
  QueueHost& media_ = *queues_.all()[1];
  WorkerColumns columns_{queues_};
};

TEST_F(WorkerColumnsTest, ALetterSaysWhatAWorkerDoes) {
  const auto away = Join("away");
  const auto draining = Join("draining");
  Join("paused");
  Turn(sleep_, Now()).PauseWorkers({.node = "paused", .pod = ""});
  Turn(sleep_, Now()).Draining(draining);
  Turn(sleep_, Now()).Gone(away, worker_.get());
  Join("busy");
  Turn(sleep_, Now()).Submit(queue::kDetached, 0, std::make_shared<queue::JobOptions>(), "");
  Join("idle", media_);
  const Json names = Names(kStart);
  const Json states = States(kStart);
  // A process that went away with nothing to answer for may be forgotten at once.
  const std::string letters = states["state"];
  ASSERT_EQ(letters.size(), names["node"].size());
  const std::map<std::string, char> expected = {
      {"away", 'a'}, {"draining", 'd'}, {"paused", 'p'}, {"busy", 'b'}, {"idle", 'i'}};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    EXPECT_EQ(letters[i], expected.at(names["node"][i])) << names["node"][i];
  }
  EXPECT_GE(letters.size(), 4U);
  EXPECT_EQ(names["queue"].back(), "media");
  EXPECT_EQ(names["device"].back(), "gpu0");
}

TEST_F(WorkerColumnsTest, NamesAreToldOnceForASet) {
  Join("one");
  EXPECT_EQ(Names(kStart)["version"], 1);
  EXPECT_TRUE(Names(kStart + std::chrono::hours(1)).is_null());
  EXPECT_EQ(States(kStart + std::chrono::hours(1))["version"], 1);
}

TEST_F(WorkerColumnsTest, StatesOfANewSetWaitForItsNames) {
  Join("one");
  Names(kStart);
  Join("two");
  const Instant soon = kStart + std::chrono::milliseconds(500);
  EXPECT_TRUE(Names(soon).is_null());
  EXPECT_TRUE(States(soon).is_null());
  const Instant later = kStart + WorkerColumns::kNamesPeriod;
  EXPECT_EQ(Names(later)["version"], 2);
  EXPECT_EQ(States(later)["version"], 2);
  EXPECT_EQ(States(later)["state"], "ii");
}

TEST_F(WorkerColumnsTest, AnotherProcessOnTheSameNodeIsAnotherSet) {
  const auto first = Join("one");
  Names(kStart);
  Turn(sleep_, Now()).Left(first, worker_.get());
  Join("one");
  EXPECT_EQ(Names(kStart + WorkerColumns::kNamesPeriod)["version"], 2);
}

TEST_F(WorkerColumnsTest, WorkersAboveTheLimitAreCounted) {
  for (std::size_t i = 0; i < WorkerColumns::kMostWorkers + 3; ++i) Join("node");
  const Json names = Names(kStart);
  EXPECT_EQ(names["left_out"], 3);
  EXPECT_EQ(names["node"].size(), WorkerColumns::kMostWorkers);
  EXPECT_EQ(States(kStart)["busy"].size(), WorkerColumns::kMostWorkers);
}

TEST_F(WorkerColumnsTest, NamesFromOutsideAreText) {
  Join("\"}\n\xff");
  const auto line = columns_.Names(kStart);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->find('\n'), line->npos);
  EXPECT_TRUE(Json::accept(*line));
}

}  // namespace
}  // namespace twofold::frontend
