#include "frontend/services/reader_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "lib/common/task.h"

namespace twofold::frontend {
namespace {

struct Entered {
  Status status;
  std::thread::id thread;
};

Task<Entered> Enter(ReaderPool* pool) {
  const Status status = co_await OnPool(pool);
  co_return Entered{status, std::this_thread::get_id()};
}

TEST(OnPool, GoesOnOnAThreadOfThePoolHoweverQuickThatIs) {
  ReaderPool pool;
  for (int i = 0; i < 1000; ++i) {
    std::promise<Entered> promise;
    Start(Enter(&pool), [&](const Entered& entered) { promise.set_value(entered); });
    const Entered entered = promise.get_future().get();
    ASSERT_TRUE(entered.status.ok());
    ASSERT_NE(entered.thread, std::this_thread::get_id());
  }
}

TEST(OnPool, WithoutAPoolGoesOnWhereItIs) {
  Entered got;
  Start(Enter(nullptr), [&](const Entered& entered) { got = entered; });
  EXPECT_TRUE(got.status.ok());
  EXPECT_EQ(got.thread, std::this_thread::get_id());
}

TEST(OnPool, IsRefusedByAPoolThatHasStopped) {
  ReaderPool pool;
  pool.Stop();
  Entered got;
  Start(Enter(&pool), [&](const Entered& entered) { got = entered; });
  EXPECT_EQ(got.status, ReaderPool::Refusal());
}

TEST(OnPool, WhatWaitsWhenThePoolStopsGoesOnWithAnError) {
  ReaderPool pool(1);
  std::promise<void> begun;
  std::promise<void> go_on;
  ASSERT_TRUE(pool.Post([&] {
    begun.set_value();
    go_on.get_future().wait();
  }));
  begun.get_future().wait();
  std::promise<Entered> waiting;
  Start(Enter(&pool), [&](const Entered& entered) { waiting.set_value(entered); });
  std::thread stop([&] { pool.Stop(); });
  EXPECT_TRUE(
      absl::IsUnavailable(waiting.get_future().get().status));  // before the other has ended
  go_on.set_value();
  stop.join();
}

TEST(OnPool, IsAnsweredOnceWhenThePoolStopsMeanwhile) {
  for (int round = 0; round < 20; ++round) {
    ReaderPool pool;
    std::atomic<int> answers = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) Start(Enter(&pool), [&](const Entered&) { ++answers; });
      });
    }
    pool.Stop();
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(answers, 80);
  }
}

}  // namespace
}  // namespace twofold::frontend
