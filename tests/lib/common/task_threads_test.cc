#include "lib/common/task_threads.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace twofold {
namespace {

TEST(TaskThreads, OneDoesTasksInTheirOrder) {
  std::vector<int> done;
  std::promise<void> all;
  TaskThreads threads(1);
  for (int i = 0; i < 100; ++i) threads.Post([&, i] { done.push_back(i); });
  threads.Post([&] { all.set_value(); });
  all.get_future().wait();
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(TaskThreads, SeveralDoTasksAtOnce) {
  std::promise<void> first;
  std::promise<void> second;
  std::promise<void> both;
  TaskThreads threads(2);
  threads.Post([&] {
    first.set_value();
    second.get_future().wait();
    both.set_value();
  });
  threads.Post([&] {
    first.get_future().wait();
    second.set_value();
  });
  both.get_future().wait();
}

TEST(TaskThreads, SoManyWaitAndNoMoreAndStopDropsThem) {
  TaskThreads threads(1);
  std::promise<void> begun;
  std::promise<void> go_on;
  threads.Post([&] {
    begun.set_value();
    go_on.get_future().wait();
  });
  begun.get_future().wait();
  bool is_done = false;
  EXPECT_TRUE(threads.Post([&] { is_done = true; }, 1));
  EXPECT_FALSE(threads.Post([] {}, 1));
  std::thread stop([&] { threads.Stop(); });
  while (threads.Post([] {})) std::this_thread::yield();
  go_on.set_value();
  stop.join();
  EXPECT_FALSE(is_done);
}

}  // namespace
}  // namespace twofold
