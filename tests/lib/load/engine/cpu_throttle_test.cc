#include "lib/load/engine/cpu_throttle.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace twofold::load {
namespace {

class CpuThrottleTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "cgroupsXXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root = path;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  std::string Write(const std::string& folder) const {
    std::filesystem::create_directories(root + folder);
    std::ofstream(root + folder + "/cpu.stat") << "nr_throttled 3\nthrottled_usec 1500\n";
    return root + folder + "/cpu.stat";
  }

  std::string root;
};

TEST_F(CpuThrottleTest, FindsTheCgroupOfVersion2) {
  const std::string path = Write("/system.slice/x");
  EXPECT_EQ(CpuStatPath("0::/system.slice/x\n", root), path);
}

TEST_F(CpuThrottleTest, FindsTheCpuControllerOfVersion1) {
  const std::string path = Write("/cpu,cpuacct/docker/x");
  EXPECT_EQ(CpuStatPath("4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n", root), path);
}

TEST_F(CpuThrottleTest, InAContainerTheMountIsItsOwnCgroup) {
  const std::string path = Write("");
  EXPECT_EQ(CpuStatPath("0::/../../kubepods/pod1\n", root), path);
}

TEST_F(CpuThrottleTest, ReadsWhatIsThere) {
  const std::optional<CpuTime> cpu = CpuThrottle(Write("")).Read();
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->throttled, std::chrono::microseconds(1500));
  EXPECT_FALSE(CpuThrottle(root + "/nothing").Read());
  EXPECT_EQ(CpuStatPath("", root + "/nowhere"), "");
}

}  // namespace
}  // namespace twofold::load
