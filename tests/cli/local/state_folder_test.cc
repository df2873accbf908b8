#include "cli/local/state_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace twofold::local {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class StateFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(root_); }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_ =
      fs::path(::testing::TempDir()) / ("state_folder_test." + std::to_string(getpid()));
  StateFolder folder_{root_ / "state"};
};

TEST_F(StateFolderTest, LockedAsLongAsItsFileIsOpen) {
  EXPECT_FALSE(folder_.Locked());
  const auto lock = folder_.Lock();
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_TRUE(folder_.Locked());
  const auto second = folder_.Lock();
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("twofold local down"));
  close(*lock);
  EXPECT_FALSE(folder_.Locked());
}

TEST_F(StateFolderTest, LockRemovesWhatADeadSupervisorLeft) {
  close(folder_.Lock().value());
  std::ofstream(folder_.SupervisorFile()) << "{}";
  std::ofstream(folder_.ReadyFile("x-0")) << "{}";
  close(folder_.Lock().value());
  EXPECT_FALSE(fs::exists(folder_.SupervisorFile()));
  EXPECT_FALSE(fs::exists(folder_.ReadyFile("x-0")));
  EXPECT_TRUE(fs::exists(folder_.LogsDir()));
}

TEST_F(StateFolderTest, AFolderOfSomebodyElseIsLeftAlone) {
  fs::create_directories(folder_.LogsDir());
  const auto lock = folder_.Lock();
  EXPECT_EQ(lock.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(fs::exists(folder_.LogsDir()));
}

TEST_F(StateFolderTest, RemoveLeavesNothing) {
  close(folder_.Lock().value());
  folder_.Remove();
  EXPECT_FALSE(fs::exists(folder_.dir()));
}

TEST_F(StateFolderTest, LogsThatStayAreThoseOfTheLastCluster) {
  const StateFolder folder(root_ / "state", StateFolder::Logs::kStay);
  close(folder.Lock().value());
  std::ofstream(folder.LogFile("x-0")) << "the end";
  std::ofstream(folder.ReadyFile("x-0")) << "{}";
  folder.Remove();
  EXPECT_TRUE(fs::exists(folder.LogFile("x-0")));
  EXPECT_FALSE(fs::exists(folder.ReadyFile("x-0")));
  EXPECT_FALSE(folder.Locked());
  close(folder.Lock().value());
  EXPECT_FALSE(fs::exists(folder.LogFile("x-0")));
}

TEST_F(StateFolderTest, WaitUnlockedSeesTheEndAlsoOfARemovedFolder) {
  const int lock = folder_.Lock().value();
  const int watch = folder_.WatchLock();
  folder_.Remove();
  EXPECT_FALSE(StateFolder::WaitUnlocked(dup(watch), Duration::zero()));
  close(lock);
  EXPECT_TRUE(StateFolder::WaitUnlocked(watch, Duration::zero()));
}

TEST_F(StateFolderTest, ReadyFileGivesItsAddresses) {
  const std::string path = root_ / "ready";
  EXPECT_EQ(ReadReadyFile(path).status().code(), absl::StatusCode::kNotFound);
  std::ofstream(path) << R"({"pid": 1, "http": "127.0.0.1:1", "client": "127.0.0.1:2"})";
  EXPECT_THAT(ReadReadyFile(path).value(),
              UnorderedElementsAre(Pair("http", "127.0.0.1:1"), Pair("client", "127.0.0.1:2")));
}

}  // namespace
}  // namespace twofold::local
