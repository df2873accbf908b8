#include "cli/run/records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace twofold::run {
namespace {

class RecordsTest : public testing::Test {
 protected:
  RecordsTest() {
    std::string pattern = testing::TempDir() + "runsXXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~RecordsTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  const Record record_ = {"a-1",  "f.yaml", "kind: \"x\"\n\xc3\xa4", "fio", {"n1", "n2"},
                          {"n3"}, true};
};

TEST_F(RecordsTest, AreFoundAsTheyWere) {
  const Records records(folder_ / "below" / "it");
  ASSERT_TRUE(records.Create(record_).ok());
  const auto found = records.Find("a-1");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, record_);
}

TEST_F(RecordsTest, AnIdIsGivenOutOnce) {
  const Records records(folder_);
  ASSERT_TRUE(records.Create(record_).ok());
  Record other = record_;
  other.text = "other";
  EXPECT_TRUE(absl::IsAlreadyExists(records.Create(other)));
  EXPECT_EQ(records.Find("a-1")->text, record_.text);
  records.Remove("a-1");
  EXPECT_TRUE(records.Create(other).ok());
}

TEST_F(RecordsTest, NoneIsLeftHalfWritten) {
  const Records records(folder_);
  ASSERT_TRUE(records.Create(record_).ok());
  EXPECT_FALSE(records.Create(record_).ok());
  int files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(RecordsTest, WhatIsNotThereOrNoRecordIsSaid) {
  const Records records(folder_);
  EXPECT_TRUE(absl::IsNotFound(records.Find("b").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(records.Find("../b").status()));
  std::ofstream(folder_ / "b.json") << "{";
  EXPECT_TRUE(absl::IsDataLoss(records.Find("b").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Records("/dev/null/x").Create(record_)));
}

TEST_F(RecordsTest, OneAtATimeLooksAfterARun) {
  const Records records(folder_);
  EXPECT_TRUE(absl::IsNotFound(records.Lock("a-1").status()));
  ASSERT_TRUE(records.Create(record_).ok());
  {
    const auto lock = records.Lock("a-1");
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_TRUE(absl::IsFailedPrecondition(records.Lock("a-1").status()));
  }
  EXPECT_TRUE(records.Lock("a-1").ok());
}

}  // namespace
}  // namespace twofold::run
