#include "backend/peers/call_set.h"

#include <gtest/gtest.h>

namespace twofold::backend {
namespace {

TEST(CallSet, LetsInNoMoreThanItHasPlacesFor) {
  CallSet calls(2);
  auto first = calls.Enter([] {});
  const auto second = calls.Enter([] {});
  EXPECT_TRUE(first && second);
  EXPECT_EQ(calls.Enter([] {}), nullptr);
  first.reset();
  EXPECT_NE(calls.Enter([] {}), nullptr);
}

TEST(CallSet, EndsThoseThatAreOpenAndLetsNobodyInAfterThat) {
  CallSet calls(9);
  int ended = 0;
  const auto open = calls.Enter([&] { ++ended; });
  calls.Enter([&] { ended += 100; });  // has left already
  calls.EndAll();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(calls.Enter([] {}), nullptr);
}

TEST(CallSet, PlaceMayLeaveWhenTheSetHasGone) {
  auto calls = std::make_unique<CallSet>(1);
  auto place = calls->Enter([] {});
  calls.reset();
  place.reset();
}

}  // namespace
}  // namespace twofold::backend
