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

/// Parameter: whether the stream's own thread adds, or another one.
class OutboxTest : public ::testing::TestWithParam<bool> {
 protected:
  OutboxTest() {
    if (GetParam()) outbox_.Belong();
  }

  bool Add(const std::string& text, std::size_t bytes = 1) { return AddTo(outbox_, text, bytes); }
  Next Flush() { return outbox_.Flush() ? outbox_.Advance() : Next::kNothing; }
  Next Close() {
    outbox_.Close();
    return outbox_.Advance();
  }

  Box outbox_;
};
INSTANTIATE_TEST_SUITE_P(Threads, OutboxTest, ::testing::Values(true, false),
                         [](const auto& test) { return test.param ? "Own" : "Another"; });

TEST_P(OutboxTest, NothingToWriteWhenNothingWasAdded) { EXPECT_EQ(Flush(), Next::kNothing); }

TEST_P(OutboxTest, WhatIsAddedDuringAWriteGoesIntoOneMessage) {
  Add("a");
  ASSERT_EQ(Flush(), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "a");
  Add("b");
  EXPECT_EQ(Flush(), Next::kNothing);
  Add("c");
  EXPECT_EQ(Flush(), Next::kNothing);
  EXPECT_EQ(outbox_.Writing().text, "a");
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "bc");
  EXPECT_EQ(outbox_.EndWrite(true), Next::kNothing);
}

TEST(OutboxOfAnotherThreadTest, AWriteThatEndsBetweenAddAndFlushDoesNotCutTheBatch) {
  Box outbox;
  AddTo(outbox, "a");
  ASSERT_TRUE(outbox.Flush());
  ASSERT_EQ(outbox.Advance(), Next::kWrite);
  AddTo(outbox, "b");
  EXPECT_EQ(outbox.EndWrite(true), Next::kNothing);
  AddTo(outbox, "c");
  ASSERT_TRUE(outbox.Flush());
  ASSERT_EQ(outbox.Advance(), Next::kWrite);
  EXPECT_EQ(outbox.Writing().text, "bc");
}

TEST(OutboxOfAnotherThreadTest, TheOwnThreadIsToldOnceUntilItHasLooked) {
  Box outbox;
  AddTo(outbox, "a");
  EXPECT_TRUE(outbox.Flush());
  AddTo(outbox, "b");
  EXPECT_FALSE(outbox.Flush());
  ASSERT_EQ(outbox.Advance(), Next::kWrite);
  for (int i = 0; i < 2; ++i) {
    AddTo(outbox, "c");
    EXPECT_TRUE(outbox.Flush());
    EXPECT_EQ(outbox.Advance(), Next::kNothing);  // behind the write
  }
  ASSERT_EQ(outbox.EndWrite(true), Next::kWrite);
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
  ASSERT_EQ(outbox.Advance(), Next::kWrite);
  EXPECT_EQ(outbox.Writing().text, "a");
  AddTo(outbox, "d");
  EXPECT_FALSE(outbox.Flush());
  ASSERT_EQ(outbox.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox.Writing().text, "bcd");
  AddTo(outbox, "e");
  ASSERT_EQ(outbox.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox.Writing().text, "e");
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
  ASSERT_EQ(outbox.Advance(), Next::kWrite);
  EXPECT_EQ(outbox.Writing().text, "mm");
  EXPECT_EQ(outbox.notes(), "nn");
  ASSERT_EQ(outbox.EndWrite(true), Next::kWrite);
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
    ASSERT_EQ(Flush(), Next::kWrite);
    EXPECT_EQ(outbox_.Writing().text, "a");
    ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
    EXPECT_EQ(outbox_.Writing().text, "b");
    ASSERT_EQ(outbox_.EndWrite(true), Next::kNothing);
  }
}

TEST_P(OutboxTest, CloseFinishesOnceAfterTheLastWrite) {
  Add("a");
  ASSERT_EQ(Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(Close(), Next::kNothing);
  EXPECT_FALSE(Add("c"));
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "b");
  EXPECT_EQ(outbox_.EndWrite(true), Next::kFinish);
  EXPECT_EQ(Close(), Next::kNothing);
  EXPECT_EQ(outbox_.Abort(), Next::kNothing);
}

TEST_P(OutboxTest, AbortDropsWhatWaits) {
  Add("a");
  EXPECT_EQ(outbox_.Abort(), Next::kFinish);
  EXPECT_FALSE(Add("b"));
}

TEST_P(OutboxTest, AbortDuringAWriteFinishesWhenTheWriteEnds) {
  Add("a");
  ASSERT_EQ(Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.Abort(), Next::kNothing);
  EXPECT_EQ(outbox_.EndWrite(false), Next::kFinish);
}

TEST_P(OutboxTest, FailedWriteFinishes) {
  Add("a");
  ASSERT_EQ(Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.EndWrite(false), Next::kFinish);
  EXPECT_FALSE(Add("c"));
}

TEST_P(OutboxTest, InputIsHeldWhileTooMuchWaitsAndResumedOnce) {
  Add("a", 1);
  ASSERT_EQ(Flush(), Next::kWrite);
  EXPECT_FALSE(outbox_.HoldInput(100));
  Add("b", 101);
  EXPECT_EQ(Flush(), Next::kNothing);
  EXPECT_TRUE(outbox_.HoldInput(100));
  EXPECT_FALSE(outbox_.ResumeInput());
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_TRUE(outbox_.ResumeInput());
  EXPECT_FALSE(outbox_.ResumeInput());
}

TEST(OutboxOfManyThreadsTest, AllThatIsAddedIsWrittenOnce) {
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
  std::size_t written = 0;
  while (written < std::size_t{kThreads} * kEach) {
    {
      const MutexLock lock(mutex);
      while (told == 0) changed.Wait(mutex);
      --told;
    }
    for (Next next = outbox.Advance(); next == Next::kWrite; next = outbox.EndWrite(true)) {
      written += outbox.Writing().text.size();
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(outbox.waiting_bytes(), 0u);
}

}  // namespace
}  // namespace twofold::rpc
