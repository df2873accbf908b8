#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "lib/common/mutex.h"

namespace twofold::frontend {
namespace {

using queue::SubmitterId;

/// A client's stream that counts its messages: what was added between two flushes is one.
class Stream final : public Submitter {
 public:
  void OnAccepted(std::uint64_t /*tag*/, queue::JobId /*job*/) override {}
  void OnReply(const queue::Reply& /*reply*/, const WorkerIdentity* /*worker*/) override {
    const MutexLock lock(mutex_);
    ++waiting_;
  }
  void Flush() override {
    const MutexLock lock(mutex_);
    if (waiting_ > 0) messages_.push_back(std::exchange(waiting_, 0));
  }

  [[nodiscard]] std::vector<int> messages() const {
    const MutexLock lock(mutex_);
    return messages_;
  }

 private:
  mutable Mutex mutex_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<int> messages_ ABSL_GUARDED_BY(mutex_);
};

class TurnsTest : public ::testing::Test {
 protected:
  TurnsTest() { QueueHost::Turn(host_, Now()).AddSubmitter(kStream, stream_); }

  /// A job comes and ends, in a turn of its own.
  void RunJob() {
    QueueHost::Turn turn(host_, Now());
    turn.Cancel(turn.Submit(kStream, 0, std::make_shared<queue::JobOptions>(), "spec").job);
  }

  static constexpr SubmitterId kStream{1};
  QueueSet queues_{{{.name = "sleep"}}, {}, 1, nullptr};
  QueueHost& host_ = *queues_.all()[0];
  std::shared_ptr<Stream> stream_ = std::make_shared<Stream>();
};

TEST_F(TurnsTest, ATurnFlushesBeforeItReturnsIfNobodyElseFlushes) {
  RunJob();
  RunJob();
  EXPECT_EQ(stream_->messages(), (std::vector{1, 1}));
}

TEST_F(TurnsTest, WhatTurnsDecideWhileAnotherThreadFlushesLeavesInOneMessageByThatThread) {
  std::promise<void> flushing;
  std::promise<void> go_on;
  std::thread other([&] {
    QueueHost::Turn(host_, Now()).Then([&] {
      flushing.set_value();
      go_on.get_future().wait();
    });
  });
  flushing.get_future().wait();
  for (int i = 0; i < 3; ++i) RunJob();
  EXPECT_TRUE(stream_->messages().empty());
  go_on.set_value();
  other.join();
  EXPECT_EQ(stream_->messages(), (std::vector{3}));
}

TEST_F(TurnsTest, AFlushThatCausesTurnsWithoutEndFlushesAllOfThem) {
  int left = 1000;
  std::function<void()> again = [&] {
    if (--left > 0) QueueHost::Turn(host_, Now()).Then(again);
  };
  QueueHost::Turn(host_, Now()).Then(again);
  EXPECT_EQ(left, 0);
}

TEST_F(TurnsTest, JobsOfManyThreadsAreAllAnswered) {
  constexpr int kThreads = 4;
  constexpr int kJobs = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this] {
      for (int job = 0; job < kJobs; ++job) RunJob();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<int> messages = stream_->messages();
  EXPECT_EQ(std::accumulate(messages.begin(), messages.end(), 0), kThreads * kJobs);
}

}  // namespace
}  // namespace twofold::frontend
