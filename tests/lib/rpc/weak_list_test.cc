#include "lib/rpc/weak_list.h"

#include <gtest/gtest.h>

#include "lib/common/instant.h"

namespace twofold::rpc {
namespace {

TEST(WeakListTest, ForgetsThoseThatAreGone) {
  WeakList<int> list;
  const auto stays = std::make_shared<int>(1);
  list.Add(stays);
  for (int i = 0; i < 10'000; ++i) list.Add(std::make_shared<int>(i));
  EXPECT_LE(list.size(), 40U);
  int found = 0;
  for (const auto& each : list.Take()) found += each.lock() == stays ? 1 : 0;
  EXPECT_EQ(found, 1);
  EXPECT_EQ(list.size(), 0U);
}

TEST(WeakListTest, ManyThatStayMakeNoFurtherOneDearer) {
  WeakList<int> list;
  const auto stays = std::make_shared<int>(1);
  const Instant begun = Now();
  for (int i = 0; i < 40'000; ++i) list.Add(stays);
  // To look at all of them each time takes ten seconds, not some milliseconds.
  EXPECT_LT(Now() - begun, std::chrono::seconds(2));
  EXPECT_EQ(list.size(), 40'000U);
}

}  // namespace
}  // namespace twofold::rpc
