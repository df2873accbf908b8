#include "lib/rpc/outbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace twofold::rpc {
namespace {

// A message as the outbox needs it.
struct Text {
  std::string text;
  void Clear() { text.clear(); }
};

class OutboxTest : public ::testing::Test {
 protected:
  bool Add(const std::string& text, std::size_t bytes = 1) {
    return outbox_.Add([&](Text& message) {
      message.text += text;
      return bytes;
    });
  }
  Outbox<Text> outbox_;
};

TEST_F(OutboxTest, NothingToWriteWhenNothingWasAdded) {
  EXPECT_EQ(outbox_.Flush(), Next::kNothing);
}

TEST_F(OutboxTest, WhatIsAddedDuringAWriteGoesIntoOneMessage) {
  Add("a");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "a");
  Add("b");
  EXPECT_EQ(outbox_.Flush(), Next::kNothing);
  Add("c");
  EXPECT_EQ(outbox_.Flush(), Next::kNothing);
  EXPECT_EQ(outbox_.Writing().text, "a");
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "bc");
  EXPECT_EQ(outbox_.EndWrite(true), Next::kNothing);
}

TEST_F(OutboxTest, AWriteThatEndsBetweenAddAndFlushDoesNotCutTheBatch) {
  Add("a");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.EndWrite(true), Next::kNothing);
  Add("c");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "bc");
}

TEST_F(OutboxTest, AMessageIsReusedUnlessItWasLarge) {
  for (const auto& [bytes, kept] : {std::pair(kKeptBytes, true), {kKeptBytes + 1, false}}) {
    Text message{std::string(kKeptBytes, 'x')};
    Reuse(message, bytes);
    EXPECT_EQ(message.text, "");
    EXPECT_EQ(message.text.capacity() >= kKeptBytes, kept);
  }
}

TEST_F(OutboxTest, FullMessageIsFollowedByAnother) {
  Add("a", Outbox<Text>::kMessageBytes);
  Add("b");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "a");
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "b");
}

TEST_F(OutboxTest, CloseFinishesOnceAfterTheLastWrite) {
  Add("a");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.Close(), Next::kNothing);
  EXPECT_FALSE(Add("c"));
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_EQ(outbox_.Writing().text, "b");
  EXPECT_EQ(outbox_.EndWrite(true), Next::kFinish);
  EXPECT_EQ(outbox_.Close(), Next::kNothing);
  EXPECT_EQ(outbox_.Abort(), Next::kNothing);
}

TEST_F(OutboxTest, AbortDropsWhatWaits) {
  Add("a");
  EXPECT_EQ(outbox_.Abort(), Next::kFinish);
  EXPECT_FALSE(Add("b"));
}

TEST_F(OutboxTest, AbortDuringAWriteFinishesWhenTheWriteEnds) {
  Add("a");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.Abort(), Next::kNothing);
  EXPECT_EQ(outbox_.EndWrite(false), Next::kFinish);
}

TEST_F(OutboxTest, FailedWriteFinishes) {
  Add("a");
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  Add("b");
  EXPECT_EQ(outbox_.EndWrite(false), Next::kFinish);
  EXPECT_FALSE(Add("c"));
}

TEST_F(OutboxTest, InputIsHeldWhileTooMuchWaitsAndResumedOnce) {
  Add("a", 1);
  ASSERT_EQ(outbox_.Flush(), Next::kWrite);
  EXPECT_FALSE(outbox_.HoldInput(100));
  Add("b", 101);
  EXPECT_EQ(outbox_.Flush(), Next::kNothing);
  EXPECT_TRUE(outbox_.HoldInput(100));
  EXPECT_FALSE(outbox_.ResumeInput());
  ASSERT_EQ(outbox_.EndWrite(true), Next::kWrite);
  EXPECT_TRUE(outbox_.ResumeInput());
  EXPECT_FALSE(outbox_.ResumeInput());
}

TEST_F(OutboxTest, AllThatManyThreadsAddIsWrittenOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 10'000;
  std::atomic<std::size_t> written = 0;
  // Whoever is told to write, writes at once, as many times as there is something.
  const auto write = [&](Next next) {
    for (; next == Next::kWrite; next = outbox_.EndWrite(true)) {
      written += outbox_.Writing().text.size();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        Add("x");
        write(outbox_.Flush());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  write(outbox_.Flush());
  EXPECT_EQ(written, std::size_t{kThreads} * kEach);
}

}  // namespace
}  // namespace twofold::rpc
