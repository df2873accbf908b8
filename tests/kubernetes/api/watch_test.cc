#include "kubernetes/api/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>

#include "kubernetes/api/errors.h"
#include "tests/fakes/kube_api.h"

namespace twofold::kube {
namespace {

using absl::StatusCode;
using fakes::KubeApi;
using fakes::KubeFault;
using ::testing::ElementsAre;
using Kind = WatchEvent::Kind;
using Fault = KubeFault::Kind;

constexpr auto kPatience = std::chrono::seconds(30);

/// Between two looks at something.
void Rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

Json Map(const std::string& name, const std::string& value = "1") {
  return {{"metadata", {{"name", name}, {"namespace", "a"}, {"labels", {{"v", value}}}}}};
}

/// "listing", "+c1", "synced": an event as a word.
std::string Word(const WatchEvent& event) {
  const std::string name = NameOf(event.object).name;
  switch (event.kind) {
    case Kind::kListing:
      return "listing";
    case Kind::kListed:
      return "=" + name;
    case Kind::kSynced:
      return "synced";
    case Kind::kAdded:
      return "+" + name;
    case Kind::kModified:
      return "~" + name;
    case Kind::kDeleted:
      return "-" + name;
    case Kind::kBookmark:
      return "bookmark";
    case Kind::kTrouble:
      return "trouble";
  }
  return "?";
}

/// Each test runs by initial events and by lists.
class KubeWatch : public ::testing::TestWithParam<bool> {
 protected:
  static WatchOptions Options() {
    WatchOptions options;
    options.initial_events = GetParam();
    options.first_wait = std::chrono::milliseconds(1);
    options.longest_wait = std::chrono::milliseconds(10);
    return options;
  }

  void Start(const WatchOptions& options = Options(), const std::string& labels = "") {
    watcher_ = Watcher::Start(api_.access(), {kConfigMaps, "a", labels}, options);
  }

  WatchEvent Next() {
    std::optional<WatchEvent> event = watcher_->Next(Now() + kPatience);
    if (!event) throw std::runtime_error("no event in time");  // which ends the test
    return *std::move(event);
  }

  /// The words of the events up to `last`, without bookmarks, which come when the server likes.
  std::vector<std::string> Until(const std::string& last) {
    std::vector<std::string> words;
    for (int i = 0; i < 1000; ++i) {
      const WatchEvent event = Next();
      if (event.kind == Kind::kBookmark) continue;
      words.push_back(Word(event));
      if (words.back() == last) return words;
    }
    ADD_FAILURE() << last << " did not come";
    return words;
  }

  /// The next one that is no bookmark.
  WatchEvent NextChange() {
    WatchEvent event = Next();
    while (event.kind == Kind::kBookmark) event = Next();
    return event;
  }

  void AwaitStreams(std::uint64_t count) {
    const Instant end = Now() + kPatience;
    while (watcher_->counts().streams < count && Now() < end) Rest();
  }

  void AwaitWatch() { ASSERT_TRUE(api_.AwaitWatches(1, Now() + kPatience)); }

  KubeApi api_;
  std::unique_ptr<Watcher> watcher_;
};

INSTANTIATE_TEST_SUITE_P(Ways, KubeWatch, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "InitialEvents" : "Lists"; });

TEST_P(KubeWatch, TellsWhatIsThereAndThenWhatChanges) {
  api_.Put(kConfigMaps, Map("c1"));
  api_.Put(kConfigMaps, Map("c2"));
  Start();
  EXPECT_THAT(Until("synced"), ElementsAre("listing", "=c1", "=c2", "synced"));
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c3"));
  api_.Put(kConfigMaps, Map("c1", "2"));
  api_.Remove(kConfigMaps, {"a", "c2"});
  EXPECT_THAT(Until("-c2"), ElementsAre("+c3", "~c1", "-c2"));
}

TEST_P(KubeWatch, StampsAreOfTheSocket) {
  Start();
  Until("synced");
  AwaitWatch();
  const Instant before = Now();
  api_.Put(kConfigMaps, Map("c1"));
  const WatchEvent event = NextChange();
  EXPECT_LE(before, event.arrived);
  EXPECT_LE(event.arrived, Now());
}

TEST_P(KubeWatch, OnlyTheSelectedAreTold) {
  Start(Options(), "v=1");
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c1", "2"));
  api_.Put(kConfigMaps, Map("c2", "1"));
  api_.Put(kConfigMaps, Map("c2", "3"));
  EXPECT_THAT(Until("-c2"), ElementsAre("+c2", "-c2"));
}

TEST_P(KubeWatch, AStreamThatBreaksInMidLineGoesOnWhereItWas) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c1"));
  Until("+c1");
  const Instant before = Now();
  api_.BreakWatches();
  EXPECT_THAT(Until("trouble"), ElementsAre("trouble"));
  api_.Put(kConfigMaps, Map("c2"));
  const WatchEvent event = NextChange();
  EXPECT_EQ(Word(event), "+c2");
  ASSERT_TRUE(event.blind_since.has_value());
  EXPECT_LT(*event.blind_since, event.arrived);
  EXPECT_GT(*event.blind_since, before - kPatience);
  EXPECT_EQ(watcher_->counts().lists, 1U);
  EXPECT_EQ(watcher_->counts().breaks, 1U);
}

TEST_P(KubeWatch, AStreamThatEndsInTimeIsNoTrouble) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.EndWatches();
  api_.Put(kConfigMaps, Map("c1"));
  EXPECT_THAT(Until("+c1"), ElementsAre("+c1"));
  EXPECT_EQ(watcher_->counts().lists, 1U);
  EXPECT_EQ(watcher_->counts().breaks, 0U);
}

TEST_P(KubeWatch, AnExpiredVersionIsAnsweredByANewList) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c1"));
  Until("+c1");
  api_.Add({.kind = Fault::kExpired, .verb = "watch"});
  api_.EndWatches();
  const std::vector<std::string> words = Until("synced");
  EXPECT_THAT(words, ElementsAre("trouble", "listing", "=c1", "synced"));
  EXPECT_EQ(watcher_->counts().lists, 2U);
}

TEST_P(KubeWatch, WhatANewListShowsHasAnInterval) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c1"));
  Until("+c1");
  api_.Add({.kind = Fault::kExpired, .verb = "watch"});
  api_.BreakWatches();
  std::optional<Instant> broken;
  for (;;) {
    const WatchEvent event = Next();
    // The stream that says that the version has expired has shown nothing, so it ends no interval.
    if (event.kind == Kind::kTrouble && !broken) broken = event.arrived;
    if (event.kind == Kind::kListed || event.kind == Kind::kSynced) {
      ASSERT_TRUE(event.blind_since.has_value()) << Word(event);
      EXPECT_LT(*event.blind_since, event.arrived);
      ASSERT_TRUE(broken);
      EXPECT_LE(*event.blind_since, *broken);
    }
    if (event.kind == Kind::kSynced) break;
  }
}

TEST_P(KubeWatch, AStreamThatToldNothingProvesNothing) {
  WatchOptions options = Options();
  options.first_wait = std::chrono::milliseconds(200);  // time for a change in the gap
  options.longest_wait = std::chrono::milliseconds(200);
  Start(options);
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c0"));
  Until("+c0");
  api_.Add({.kind = Fault::kEndAtOnce, .verb = "watch"});
  api_.BreakWatches();
  Until("trouble");
  const Instant happened = Now();
  api_.Put(kConfigMaps, Map("c1"));
  WatchEvent event = NextChange();
  while (Word(event) != "=c1") event = NextChange();
  ASSERT_TRUE(event.blind_since.has_value());
  EXPECT_LE(*event.blind_since, happened);
}

TEST_P(KubeWatch, OnceItHasCaughtUpAPauseIsBlindSinceThePauseOnly) {
  WatchOptions options = Options();
  options.max_queued = 1000;
  Start(options);
  Until("synced");
  AwaitWatch();
  api_.BreakWatches();
  Until("trouble");
  Instant exact{};
  for (int i = 0; exact == Instant{}; ++i) {  // until the gap is over
    AwaitWatch();
    api_.Put(kConfigMaps, Map("c" + std::to_string(i)));
    const WatchEvent event = NextChange();
    if (!event.blind_since) exact = event.arrived;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Json big = Map("big");
  big["data"]["k"] = std::string(5000, 'x');
  for (int i = 0; i < 4; ++i) {
    big["metadata"]["name"] = "big" + std::to_string(i);
    api_.Put(kConfigMaps, big);
  }
  const Instant end = Now() + kPatience;
  WatchEvent event = NextChange();
  while (!event.blind_since && Now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the reader waits
    big["data"]["v"] = std::to_string(Now().time_since_epoch().count());
    api_.Put(kConfigMaps, big);
    event = NextChange();
  }
  ASSERT_TRUE(event.blind_since.has_value());
  EXPECT_GE(*event.blind_since, exact);
}

TEST_P(KubeWatch, ABookmarkEndsAGap) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.BreakWatches();
  Until("trouble");
  AwaitWatch();
  api_.Bookmark();
  while (Next().kind != Kind::kBookmark) {
  }
  api_.Put(kConfigMaps, Map("c1"));
  EXPECT_EQ(NextChange().blind_since, std::nullopt);
}

TEST_P(KubeWatch, ALongListIsNoReasonToListAgainAtOnce) {
  if (GetParam()) GTEST_SKIP() << "there is no call for the list alone";
  api_.Add({.kind = Fault::kSlow,
            .verb = "list",
            .times = 100,
            .delay = std::chrono::milliseconds(1100)});
  api_.Add({.kind = Fault::kEndAtOnce, .verb = "watch", .times = 100});
  WatchOptions options = Options();
  options.first_wait = std::chrono::seconds(20);
  options.longest_wait = std::chrono::seconds(20);
  Start(options);
  Until("synced");
  EXPECT_FALSE(watcher_->Next(Now() + std::chrono::milliseconds(500)).has_value());
}

TEST_P(KubeWatch, TheFirstListHasNoBeginning) {
  api_.Put(kConfigMaps, Map("c1"));
  Start();
  for (WatchEvent event; event.kind != Kind::kSynced;) {
    event = Next();
    EXPECT_EQ(event.blind_since, std::nullopt);
  }
}

TEST_P(KubeWatch, ChangesWhileNobodyWatchesComeLater) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c0"));
  Until("+c0");
  api_.Add({.kind = Fault::kClose, .verb = "watch", .times = 4});
  api_.BreakWatches();
  api_.Put(kConfigMaps, Map("c1"));
  api_.Remove(kConfigMaps, {"a", "c1"});
  const auto words = Until("-c1");
  EXPECT_EQ(std::count(words.begin(), words.end(), "+c1"), 1);
  EXPECT_EQ(watcher_->counts().lists, 1U);
}

TEST_P(KubeWatch, DoubledEventsComeTwice) {
  api_.Add({.kind = Fault::kDouble, .verb = "watch"});
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c1"));
  const auto words = Until("+c1");
  EXPECT_EQ(words.back(), "+c1");
  EXPECT_THAT(Until("+c1"), ElementsAre("+c1"));
}

TEST_P(KubeWatch, AnEventCutInTwoIsNotTold) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c0"));
  Until("+c0");
  api_.Add({.kind = Fault::kBreakLine, .verb = "watch"});
  api_.EndWatches();
  AwaitStreams(2);
  api_.Put(kConfigMaps, Map("c1"));
  EXPECT_THAT(Until("+c1"), ElementsAre("trouble", "+c1"));
}

TEST_P(KubeWatch, StreamsThatEndAtOnceAreTriedWithBackOff) {
  Start();
  Until("synced");
  AwaitWatch();
  api_.Put(kConfigMaps, Map("c0"));
  Until("+c0");
  api_.Add({.kind = Fault::kEndAtOnce, .verb = "watch", .times = 3});
  api_.EndWatches();
  // Nobody knows whether a version that is answered so is still good, so there is a list.
  const auto words = Until("synced");
  EXPECT_EQ(words.back(), "synced");
  AwaitWatch();
  EXPECT_GE(watcher_->counts().streams, 4U);
}

TEST_P(KubeWatch, RefusalsAreTroubleAndTriedAgain) {
  api_.Add({.kind = Fault::kStatus, .plural = "configmaps", .times = 3, .status = 403});
  Start();
  for (int i = 0; i < 3; ++i) {
    WatchEvent event = Next();
    while (event.kind == Kind::kListing) event = Next();
    ASSERT_EQ(event.kind, Kind::kTrouble);
    EXPECT_EQ(event.trouble.code(), StatusCode::kPermissionDenied);
    EXPECT_EQ(HttpStatusOf(event.trouble), 403);
  }
  Until("synced");
}

TEST_P(KubeWatch, AVersionFromTheFutureIsWaitedFor) {
  api_.Add({.kind = Fault::kStatus,
            .plural = "configmaps",
            .status = 504,
            .body = R"({"kind":"Status","code":504,"reason":"Timeout",
                        "message":"Too large resource version: 9","details":{}})"});
  Start();
  const auto words = Until("synced");
  EXPECT_EQ(std::count(words.begin(), words.end(), "trouble"), 1);
}

TEST_P(KubeWatch, LinesThatAreNoEventsAreTrouble) {
  api_.Add({.kind = Fault::kWrongType, .verb = "watch"});
  Start();
  const auto words = Until("trouble");
  EXPECT_EQ(words.back(), "trouble");
}

TEST_P(KubeWatch, SilenceBeyondTheLimitIsABreak) {
  WatchOptions options = Options();
  options.longest_silence = std::chrono::milliseconds(50);
  Start(options);
  Until("synced");
  const auto words = Until("trouble");
  EXPECT_EQ(words.back(), "trouble");
  EXPECT_GE(watcher_->counts().breaks, 1U);
}

TEST_P(KubeWatch, AFullQueuePausesReadingAndMarksWhatWaited) {
  for (int i = 0; i < 50; ++i) api_.Put(kConfigMaps, Map("c" + std::to_string(100 + i)));
  WatchOptions options = Options();
  options.max_queued = 2000;
  Start(options);
  const Instant end = Now() + kPatience;
  while (watcher_->counts().pauses == 0 && Now() < end) Rest();
  EXPECT_EQ(watcher_->counts().pauses, 1U) << "it is told when it begins";
  Until("synced");
}

TEST_P(KubeWatch, WhatWaitsCountsWithAllItsBytes) {
  for (int i = 0; i < 20; ++i) {
    Json map = Map("c" + std::to_string(100 + i));
    map["data"]["text"] = std::string(10'000, 'x');
    api_.Put(kConfigMaps, map);
  }
  WatchOptions options = Options();
  options.max_queued = 50'000;
  Start(options);
  const auto told = [&] { return watcher_->counts().events; };
  Instant end = Now() + kPatience;
  while (told() < 5 && Now() < end) Rest();
  end = Now() + std::chrono::milliseconds(200);
  while (told() < 20 && Now() < end) Rest();
  EXPECT_LE(told(), 6U) << "with five of them the queue is full";
  EXPECT_EQ(Until("synced").size(), 22U);
}

TEST_P(KubeWatch, StopEndsAQuietStreamAtOnce) {
  Start();
  Until("synced");
  AwaitWatch();
  const Instant begin = Now();
  watcher_->Stop();
  while (watcher_->Next(Instant::max())) {
  }
  watcher_.reset();
  EXPECT_LT(Now() - begin, std::chrono::seconds(5));
}

TEST_P(KubeWatch, NextGivesUpAtItsDeadline) {
  Start();
  Until("synced");
  for (int i = 0; i < 100; ++i) {
    if (!watcher_->Next(Now() + std::chrono::milliseconds(10))) return;
  }
  ADD_FAILURE() << "events without end";
}

TEST(KubeWatchFallback, ServersWithoutInitialEventsAreListed) {
  KubeApi api;
  api.Put(kConfigMaps, Map("c1"));
  api.Add({.kind = Fault::kNoInitialEvents, .verb = "watch"});
  const auto watcher = Watcher::Start(api.access(), {kConfigMaps, "a"});
  std::vector<std::string> words;
  while (words.empty() || words.back() != "synced") {
    const auto event = watcher->Next(Now() + kPatience);
    ASSERT_TRUE(event.has_value());
    words.push_back(Word(*event));
  }
  EXPECT_THAT(words, ElementsAre("listing", "=c1", "synced"));
}

TEST(KubeWatchSlow, AReaderThatIsTooSlowIsClosedAndLosesNothing) {
  constexpr int kObjects = 100;
  KubeApi api({.slow_reader = std::chrono::milliseconds(100)});
  WatchOptions options;
  options.first_wait = std::chrono::milliseconds(1);
  options.max_queued = 1000;
  const auto watcher = Watcher::Start(api.access(), {kConfigMaps, "a"}, options);
  while (watcher->Next(Now() + kPatience)->kind != Kind::kSynced) {
  }
  ASSERT_TRUE(api.AwaitWatches(1, Now() + kPatience));
  Json big = Map("c");
  big["data"]["k"] = std::string(200'000, 'x');  // more in all than sockets keep
  for (int i = 0; i < kObjects; ++i) {
    big["metadata"]["name"] = "c" + std::to_string(1000 + i);
    api.Put(kConfigMaps, big);
  }
  ASSERT_TRUE(api.AwaitWatches(0, Now() + kPatience));
  std::set<std::string> seen;
  int blind = 0;
  while (seen.size() < kObjects) {
    const auto event = watcher->Next(Now() + kPatience);
    ASSERT_TRUE(event.has_value());
    if (event->kind == Kind::kAdded) seen.insert(NameOf(event->object).name);
    if (event->blind_since) ++blind;
  }
  // Most have waited somewhere. How many came before the first pause is a matter of luck.
  EXPECT_GT(blind, kObjects / 2);
  EXPECT_EQ(watcher->counts().lists, 1U);
  EXPECT_GT(watcher->counts().pauses, 0U);
}

}  // namespace
}  // namespace twofold::kube
