#include "cli/local/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace twofold::local {
namespace {

namespace fs = std::filesystem;

class LogFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    path_ = folder_ / "log";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("log_file_test." + std::to_string(getpid()));
  std::string path_;
};

TEST_F(LogFileTest, TailIsTheLastLines) {
  std::ofstream(path_) << "1\n2\n3\n";
  EXPECT_EQ(Tail(path_, 2).value(), "2\n3\n");
  EXPECT_EQ(Tail(path_, 3).value(), "1\n2\n3\n");
  EXPECT_EQ(Tail(path_, 9).value(), "1\n2\n3\n");
  EXPECT_EQ(Tail(path_, 0).value(), "");
}

TEST_F(LogFileTest, TailWithoutLineBreakAtTheEnd) {
  std::ofstream(path_) << "1\n2";
  EXPECT_EQ(Tail(path_, 1).value(), "2");
  EXPECT_EQ(Tail(path_, 2).value(), "1\n2");
}

TEST_F(LogFileTest, TailOfAnEmptyAndOfAMissingFile) {
  std::ofstream(path_).flush();
  EXPECT_EQ(Tail(path_, 5).value(), "");
  EXPECT_EQ(Tail(path_ + "x", 5).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LogFileTest, OverTheLimitIsMovedAsideAndTheWriterGoesOn) {
  std::ofstream writer(path_, std::ios::app);
  writer << std::string(101, 'a') << std::flush;
  BoundLog(path_, 100);
  EXPECT_EQ(fs::file_size(path_), 0U);
  EXPECT_EQ(fs::file_size(path_ + ".1"), 101U);
  writer << "b" << std::flush;
  EXPECT_EQ(Tail(path_, 1).value(), "b");
}

TEST_F(LogFileTest, AtTheLimitStays) {
  std::ofstream(path_) << std::string(100, 'a');
  BoundLog(path_, 100);
  EXPECT_EQ(fs::file_size(path_), 100U);
  EXPECT_FALSE(fs::exists(path_ + ".1"));
}

}  // namespace
}  // namespace twofold::local
