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

TEST_F(LogFileTest, FollowedItBeginsWithTheLastLinesAndGoesOn) {
  std::ofstream writer(path_, std::ios::app);
  writer << "1\n2\n3\n" << std::flush;
  FollowedLog log(path_, 2);
  EXPECT_EQ(log.Next(), "2\n3\n");
  EXPECT_EQ(log.Next(), "");
  writer << "4\n5" << std::flush;
  EXPECT_EQ(log.Next(), "4\n");
  writer << "5\n" << std::flush;
  EXPECT_EQ(log.Next(), "55\n");
}

TEST_F(LogFileTest, FollowedNothingIsLostWhenItIsMovedAside) {
  std::ofstream writer(path_, std::ios::app);
  writer << std::string(100, 'a') << "\n" << std::flush;
  FollowedLog log(path_, 1);
  EXPECT_EQ(log.Next().size(), 101U);
  writer << "before\n" << std::flush;
  BoundLog(path_, 100);
  writer << "after\n" << std::flush;
  EXPECT_EQ(log.Next(), "before\nafter\n");
}

TEST_F(LogFileTest, FollowedAnotherFileInItsPlaceIsReadFromItsStart) {
  std::ofstream(path_) << "old\n";
  FollowedLog log(path_, 1);
  EXPECT_EQ(log.Next(), "old\n");
  std::ofstream(path_ + ".new") << "a new file, longer than the old one\n";
  fs::rename(path_ + ".new", path_);
  EXPECT_EQ(log.Next(), "a new file, longer than the old one\n");
}

TEST_F(LogFileTest, FollowedBeforeItIsThereAndWithoutLineEnds) {
  FollowedLog log(path_, 5);
  EXPECT_EQ(log.Next(), "");
  std::ofstream(path_) << std::string(100'000, 'x');
  EXPECT_EQ(log.Next().size(), 100'000U);
}

TEST_F(LogFileTest, FollowedMoreThanOnePieceComesInOrder) {
  std::ofstream writer(path_, std::ios::app);
  writer << "0\n" << std::flush;
  FollowedLog log(path_, 1);
  ASSERT_EQ(log.Next(), "0\n");
  std::string written;
  for (int i = 0; i < 300'000; ++i) written += std::to_string(i) + "\n";
  writer << written << std::flush;
  std::string read;
  for (std::string text; !(text = log.Next()).empty();) read += text;
  EXPECT_EQ(read, written);
}

}  // namespace
}  // namespace twofold::local
