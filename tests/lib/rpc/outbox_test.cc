#include "lib/rpc/outbox.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"

namespace twofold::rpc {
namespace {

// A message as the outbox needs it.
struct Text {
  std::string text;
  void Clear() { text.clear(); }
};

using Box = Outbox<Text>;

bool AddTo(Box& box, const std::string& text, std::size_t bytes = 1) {
  return box.Add([&](Text& message) {
    message.text += text;
    return bytes;
  });
}

/// Parameter: whether the thread that pulls adds, or another one.
class OutboxTest : public ::testing::TestWithParam<bool> {
 protected:
  OutboxTest() {
    if (GetParam()) outbox_.Belong();
  }

  bool Add(const std::string& text, std::size_t bytes = 1) { return AddTo(outbox_, text, bytes); }
  /// The next message; empty: there is none.
  std::string Take() { return outbox_.Take() ? outbox_.Taken().text : ""; }

  Box outbox_;
};
INSTANTIATE_TEST_SUITE_P(Threads, OutboxTest, ::testing::Values(true, false),
                         [](const auto& test) { return test.param ? "Own" : "Another"; });

TEST_P(OutboxTest, NothingIsThereWhenNothingWasAdded) {
  EXPECT_FALSE(outbox_.Flush());
  EXPECT_TRUE(outbox_.empty());
  EXPECT_FALSE(outbox_.Take());
}

TEST_P(OutboxTest, WhatIsAddedUntilItIsTakenIsOneMessage) {
  Add("a");
  EXPECT_TRUE(outbox_.Flush());
  Add("b");
  (void)outbox_.Flush();
  EXPECT_EQ(outbox_.waiting_bytes(), 2u);
  EXPECT_FALSE(outbox_.empty());
  EXPECT_EQ(Take(), "ab");
  EXPECT_EQ(outbox_.waiting_bytes(), 0u);
  EXPECT_FALSE(outbox_.Take());
}

TEST_P(OutboxTest, AnEntryWithoutBytesIsAMessage) {
  Add("", 0);
  EXPECT_FALSE(outbox_.empty());
  EXPECT_TRUE(outbox_.Flush());
  EXPECT_TRUE(outbox_.Take());
  EXPECT_TRUE(outbox_.empty());
}

TEST(OutboxOfAnotherThreadTest, ATakeBetweenAddAndFlushDoesNotCutTheBatch) {
  Box outbox;
  AddTo(outbox, "a");
  EXPECT_FALSE(outbox.Take());
  AddTo(outbox, "b");
  ASSERT_TRUE(outbox.Flush());
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.Taken().text, "ab");
}

TEST(OutboxOfAnotherThreadTest, WhoPullsIsToldOnceUntilItHasLooked) {
  Box outbox;
  AddTo(outbox, "a");
  EXPECT_TRUE(outbox.Flush());
  AddTo(outbox, "b");
  EXPECT_FALSE(outbox.Flush());
  outbox.Pass();  // told, but there is no room
  AddTo(outbox, "c");
  EXPECT_TRUE(outbox.Flush());
  ASSERT_TRUE(outbox.Take());
  AddTo(outbox, "d");
  EXPECT_TRUE(outbox.Flush());
}

TEST(OutboxOfAnotherThreadTest, WhatComesLaterIsTakenLaterWhoeverAddsIt) {
  Box outbox;
  outbox.Belong();
  AddTo(outbox, "a");
  std::thread([&] { AddTo(outbox, "b"); }).join();
  AddTo(outbox, "c");
  EXPECT_EQ(outbox.waiting_bytes(), 3u);
  ASSERT_TRUE(outbox.Flush());
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.Taken().text, "a");
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.Taken().text, "bc");
  AddTo(outbox, "d");
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.Taken().text, "d");
}

TEST(OutboxNotesTest, NotesAreOfOneMessage) {
  Outbox<Text, std::string> outbox;
  outbox.Belong();
  const auto add = [&](std::size_t bytes) {
    outbox.Add([&](Text& message, std::string& notes) {
      message.text += "m";
      notes += "n";
      return bytes;
    });
  };
  add(1);
  add(kMessageBytes);
  add(1);
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.Taken().text, "mm");
  EXPECT_EQ(outbox.notes(), "nn");
  ASSERT_TRUE(outbox.Take());
  EXPECT_EQ(outbox.notes(), "n");
}

TEST(ReuseTest, AMessageIsReusedUnlessItWasLarge) {
  for (const auto& [bytes, kept] : {std::pair(kKeptBytes, true), {kKeptBytes + 1, false}}) {
    Text message{std::string(kKeptBytes, 'x')};
    Reuse(message, bytes);
    EXPECT_EQ(message.text, "");
    EXPECT_EQ(message.text.capacity() >= kKeptBytes, kept);
  }
}

TEST_P(OutboxTest, FullMessageIsFollowedByAnother) {
  for (int round = 0; round < 2; ++round) {
    Add("a", kMessageBytes);
    Add("b");
    EXPECT_TRUE(outbox_.Flush());
    EXPECT_EQ(Take(), "a");
    EXPECT_EQ(Take(), "b");
    EXPECT_FALSE(outbox_.Take());
  }
}

TEST_P(OutboxTest, WhatWasAddedBeforeItIsClosedCanBeTaken) {
  Add("a");
  EXPECT_FALSE(outbox_.closing());
  outbox_.Close();
  EXPECT_TRUE(outbox_.closing());
  EXPECT_FALSE(Add("b"));
  EXPECT_EQ(Take(), "a");
  EXPECT_TRUE(outbox_.empty());
}

TEST_P(OutboxTest, AbortDropsWhatWaits) {
  Add("a");
  outbox_.Abort();
  EXPECT_FALSE(Add("b"));
  EXPECT_TRUE(outbox_.empty());
  EXPECT_EQ(outbox_.waiting_bytes(), 0u);
}

TEST(OutboxOfManyThreadsTest, AllThatIsAddedIsTakenOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 10'000;
  Box outbox;
  outbox.Belong();
  Mutex mutex;
  Condition changed;
  int told = 0;
  const auto tell = [&] {
    const MutexLock lock(mutex);
    ++told;
    changed.NotifyOne();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        AddTo(outbox, "x");
        if (outbox.Flush()) tell();
      }
    });
  }
  // A call that is not told though something waits would let this wait for ever.
  std::size_t taken = 0;
  while (taken < std::size_t{kThreads} * kEach) {
    {
      const MutexLock lock(mutex);
      while (told == 0) changed.Wait(mutex);
      --told;
    }
    while (outbox.Take()) taken += outbox.Taken().text.size();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(outbox.waiting_bytes(), 0u);
}

}  // namespace
}  // namespace twofold::rpc
