#include "lib/common/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace twofold {
namespace {

TEST(Descriptors, TheSoftLimitIsRaisedToTheHardOneAndChildrenGetItBack) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlim_t hard = limit.rlim_max;
  limit.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(RaiseDescriptorLimit(), hard);
  EXPECT_EQ(DescriptorLimit(), hard);
  RestoreDescriptorLimitInChild();
  EXPECT_EQ(DescriptorLimit(), 200U);
}

}  // namespace
}  // namespace twofold
