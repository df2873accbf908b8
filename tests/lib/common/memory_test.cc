#include "lib/common/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace twofold {
namespace {

namespace fs = std::filesystem;

class MemoryTest : public ::testing::Test {
 protected:
  MemoryTest() { fs::remove_all(root_); }
  ~MemoryTest() override { fs::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  /// For a process with these lines in /proc/self/cgroup.
  std::uint64_t Limit(const std::string& groups) {
    Write("membership", groups);
    return ControlGroupLimit(root_ / "membership", root_ / "fs");
  }

  const fs::path root_ = fs::path(::testing::TempDir()) / "memory_test";
};

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

TEST_F(MemoryTest, TheLeastLimitOfAGroupAndThoseAboveItCounts) {
  Write("fs/memory.max", "max");
  Write("fs/pods/memory.max", "1000");
  Write("fs/pods/one/memory.max", "2000");
  EXPECT_EQ(Limit("0::/pods/one"), 1000U);
  Write("fs/pods/one/memory.max", "500");
  EXPECT_EQ(Limit("0::/pods/one"), 500U);
}

TEST_F(MemoryTest, AContainerThatDoesNotSeeItsPathHasTheLimitOfItsRoot) {
  Write("fs/memory.max", "1073741824");
  EXPECT_EQ(Limit("0::/kubepods/of/the/host"), 1073741824U);
}

TEST_F(MemoryTest, VersionOneHasAFolderForMemory) {
  Write("fs/memory/a/memory.limit_in_bytes", "700");
  EXPECT_EQ(Limit("4:cpu,cpuacct:/a\n3:memory:/a\n0::/a"), 700U);
}

TEST_F(MemoryTest, WithoutALimitThereIsTheMachines) {
  EXPECT_EQ(Limit("0::/"), kNone);
  EXPECT_GT(MemoryLimit(), ResidentBytes());
  EXPECT_GT(ResidentBytes(), 1U << 20);
  ReturnFreeMemory();
}

}  // namespace
}  // namespace twofold
