#include "cli/local/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lib/postgres/connection.h"
#include "lib/process/spawn.h"
#include "tests/cli/local/fake_programs.h"

namespace twofold::local {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DatabaseTest : public FakePrograms {
 protected:
  void Write(const std::string& text) const { std::ofstream(file_) << text; }

  const std::string file_ = root_ / "postmaster.pid";
};

TEST_F(DatabaseTest, ServesIfItsOwnPidFileSaysSo) {
  EXPECT_FALSE(DatabaseServes(file_, 17));
  const std::string rest = "/data\n1700000000\n5432\n/socket\n\n 12 34\n";
  Write("17\n" + rest);
  EXPECT_FALSE(DatabaseServes(file_, 17));
  Write("17\n" + rest + "starting\n");
  EXPECT_FALSE(DatabaseServes(file_, 17));
  Write("17\n" + rest + "ready   \n");
  EXPECT_TRUE(DatabaseServes(file_, 17));
  EXPECT_FALSE(DatabaseServes(file_, 1));
}

TEST_F(DatabaseTest, AFolderWhosePathIsTooLongForASocketIsRefused) {
  EXPECT_TRUE(CheckSocketFolder(std::string(93, 'x')).ok());
  const Status status = CheckSocketFolder(std::string(95, 'x'));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("give a --dir that is 2 bytes shorter"));
}

TEST_F(DatabaseTest, ServesAndLeavesNothing) {
  if (access("/usr/lib/postgresql", F_OK) != 0) GTEST_SKIP() << "no PostgreSQL";
  const auto spec = MakeDatabase(folder_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  std::vector<std::string> argv = {spec->program};
  argv.insert(argv.end(), spec->arguments.begin(), spec->arguments.end());
  const auto server = process::Spawn({.argv = argv, .null_in = true, .null_out = true});
  ASSERT_TRUE(server.ok()) << server.status();
  for (int look = 0; look < 1000 && !DatabaseServes(spec->pid_file, server->pid); ++look) {
    usleep(20'000);
  }
  const auto target = postgres::Target::Parse(spec->serves.at("store"));
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_TRUE(postgres::Connection::Open(*target, "SELECT 1").ok());
  kill(server->pid, spec->stop_signal);
  while (!process::Poll(server->pid)) usleep(20'000);
  const fs::path data = fs::path(spec->pid_file).parent_path();
  EXPECT_TRUE(fs::exists(data));
  folder_.Remove();
  EXPECT_FALSE(fs::exists(data.parent_path()));
}

}  // namespace
}  // namespace twofold::local
