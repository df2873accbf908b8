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

TEST_F(StateFolderTest, AFolderThatCannotBeMadeIsNamedWithTheCause) {
  fs::create_directories(root_);
  std::ofstream(root_ / "file") << "";
  EXPECT_THAT(std::string(StateFolder(root_ / "file" / "state").Lock().status().message()),
              AllOf(HasSubstr("the folder " + (root_ / "file").string() + " cannot be made: "),
                    HasSubstr("Not a directory")));
}

TEST_F(StateFolderTest, TellsHowToTalkToTheSupervisor) {
  EXPECT_EQ(folder_.FindDoor().status().code(), absl::StatusCode::kNotFound);
  close(folder_.Lock().value());
  EXPECT_EQ(folder_.FindDoor().status().code(), absl::StatusCode::kNotFound);
  const std::string secret = folder_.WriteSecret().value();
  std::ofstream(folder_.SupervisorFile()) << R"({"pid": 1, "http": "127.0.0.1:1"})";
  const auto door = folder_.FindDoor();
  ASSERT_TRUE(door.ok()) << door.status();
  EXPECT_EQ(door->http, "127.0.0.1:1");
  EXPECT_EQ(door->secret, secret);
  close(folder_.Lock().value());
  EXPECT_NE(folder_.WriteSecret().value(), secret);
}

TEST_F(StateFolderTest, WhatOthersCouldHaveWrittenIsNotTrusted) {
  close(folder_.Lock().value());
  EXPECT_EQ(fs::status(folder_.dir()).permissions(), fs::perms::owner_all);
  ASSERT_TRUE(folder_.WriteSecret().ok());
  std::ofstream(folder_.SupervisorFile()) << R"({"http": "127.0.0.1:1"})";
  const auto refused = [this] { return absl::IsPermissionDenied(folder_.FindDoor().status()); };
  EXPECT_FALSE(refused());
  for (const fs::path& path : {fs::path(folder_.dir()), fs::path(folder_.SupervisorFile()),
                               fs::path(folder_.SecretFile())}) {
    for (const fs::perms who : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, who, fs::perm_options::add);
      EXPECT_TRUE(refused()) << path;
      fs::permissions(path, who, fs::perm_options::remove);
    }
    if (geteuid() != 0) continue;  // only root can give things away
    ASSERT_EQ(chown(path.c_str(), 1, 1), 0);
    EXPECT_TRUE(refused()) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  EXPECT_FALSE(refused());
}

TEST_F(StateFolderTest, AFolderThatOthersCanWriteToIsNotTaken) {
  close(folder_.Lock().value());
  fs::permissions(folder_.dir(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(absl::IsPermissionDenied(folder_.Lock().status()));
}

TEST_F(StateFolderTest, RemoveLeavesNothing) {
  close(folder_.Lock().value());
  ASSERT_TRUE(folder_.WriteSecret().ok());
  folder_.Remove();
  EXPECT_FALSE(fs::exists(folder_.dir()));
}

TEST_F(StateFolderTest, TheDatabaseGoesAlsoWhereItIsElsewhereButNoOtherFolder) {
  std::string made = std::string(StateFolder::kDatabaseElsewhere) + "XXXXXX";
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  for (const std::string& target : {made, (root_ / "precious").string()}) {
    fs::create_directories(target + "/data");
    close(folder_.Lock().value());
    fs::create_symlink(target, folder_.DatabaseDir());
    folder_.Remove();
    EXPECT_FALSE(fs::exists(folder_.dir()));
    EXPECT_EQ(fs::exists(target), target != made);
  }
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
