#include "cli/watch/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace twofold::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MATCHER_P2(Says, file, text, "") { return arg.file == file && arg.text == text; }

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "filesXXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  BenchmarkFiles Files(const std::string& path) {
    auto files = BenchmarkFiles::At(path);
    EXPECT_TRUE(files.ok()) << files.status();
    return *std::move(files);
  }
  BenchmarkFiles Files() { return Files(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  /// What two looks show of files that stay as they are.
  static Changes LookTwice(BenchmarkFiles& files) {
    Changes first = files.Look();
    EXPECT_THAT(first.versions, IsEmpty()) << "it may not be written whole";
    Changes second = files.Look();
    first.versions = std::move(second.versions);
    first.faults.insert(first.faults.end(), second.faults.begin(), second.faults.end());
    first.gone.insert(first.gone.end(), second.gone.begin(), second.gone.end());
    return first;
  }

  std::filesystem::path folder_;
};

TEST_F(FilesTest, AFileIsNewOnceAndAgainWhenItsTextChanges) {
  Write("b.yaml", "two");
  Write("a.yaml", "one");
  BenchmarkFiles files = Files();
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("a.yaml", "one"), Says("b.yaml", "two")));
  EXPECT_THAT(LookTwice(files).versions, IsEmpty());
  Write("b.yaml", "other");
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("b.yaml", "other")));
}

TEST_F(FilesTest, AFileThatIsTouchedOrReplacedByItsTextIsNotNew) {
  Write("a.yaml", "one");
  BenchmarkFiles files = Files();
  LookTwice(files);
  Write("new", "one");
  std::filesystem::rename(folder_ / "new", folder_ / "a.yaml");
  EXPECT_THAT(LookTwice(files).versions, IsEmpty());
}

TEST_F(FilesTest, AFileThatIsBeingWrittenIsNotReadYet) {
  BenchmarkFiles files = Files();
  for (const char* text : {"o", "on", "one"}) {
    Write("a.yaml", text);
    EXPECT_THAT(files.Look().versions, IsEmpty());
  }
  EXPECT_THAT(files.Look().versions, ElementsAre(Says("a.yaml", "one")));
}

TEST_F(FilesTest, OnlyNamesOfBenchmarksCount) {
  for (const char* name : {"a.txt", ".a.yaml", "yaml", ".yaml", "a.yaml~"}) Write(name, "no");
  for (const char* name : {"a.yaml", "b.yml", "c.json"}) Write(name, "yes");
  BenchmarkFiles files = Files();
  EXPECT_EQ(LookTwice(files).versions.size(), 3U);
}

// As the kubelet does it: a folder of links to ..data, which is a link to a folder with a time.
TEST_F(FilesTest, TheSwapOfAConfigMapShowsWhatIsNewAndWhatIsGone) {
  namespace fs = std::filesystem;
  const auto publish = [&](const std::string& time, const std::string& name,
                           const std::string& text) {
    fs::create_directory(folder_ / time);
    Write(time + "/" + name, text);
    fs::create_symlink(time, folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    if (!fs::is_symlink(folder_ / name)) {
      fs::create_symlink(fs::path("..data") / name, folder_ / name);
    }
  };
  publish("..2026_1", "a.yaml", "one");
  BenchmarkFiles files = Files();
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("a.yaml", "one")));
  publish("..2026_2", "a.yaml", "two");
  fs::remove_all(folder_ / "..2026_1");
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("a.yaml", "two")));
  publish("..2026_3", "b.yaml", "three");  // a.yaml is a link to nothing now
  const Changes changes = LookTwice(files);
  EXPECT_THAT(changes.gone, ElementsAre("a.yaml"));
  EXPECT_THAT(changes.versions, ElementsAre(Says("b.yaml", "three")));
}

TEST_F(FilesTest, AFileThatIsRemovedAndComesBackIsNewAgain) {
  Write("a.yaml", "one");
  BenchmarkFiles files = Files();
  LookTwice(files);
  std::filesystem::remove(folder_ / "a.yaml");
  EXPECT_THAT(files.Look().gone, ElementsAre("a.yaml"));
  EXPECT_THAT(files.Look().gone, IsEmpty());
  Write("a.yaml", "one");
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("a.yaml", "one")));
}

TEST_F(FilesTest, WhatCannotBeReadIsSaidOnce) {
  std::filesystem::create_directory(folder_ / "folder.yaml");
  mkfifo((folder_ / "pipe.yaml").c_str(), 0600);
  Write("huge.yaml", "");
  std::filesystem::resize_file(folder_ / "huge.yaml", 1 << 30);
  Write("ok.yaml", "one");
  BenchmarkFiles files = Files();
  const Changes changes = LookTwice(files);
  EXPECT_THAT(changes.faults,
              testing::UnorderedElementsAre(
                  HasSubstr("folder.yaml is no file"), HasSubstr("pipe.yaml is no file"),
                  "huge.yaml has 1073741824 bytes; a benchmark has at most 1048576"));
  EXPECT_THAT(changes.versions, ElementsAre(Says("ok.yaml", "one")));
  EXPECT_THAT(LookTwice(files).faults, IsEmpty());
  Write("huge.yaml", "small");
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("huge.yaml", "small")));
}

TEST_F(FilesTest, OfTooManyFilesTheFirstByNameAreLookedAt) {
  const std::size_t most = BenchmarkFiles::kMostFiles;
  for (std::size_t i = 0; i < most + 5; ++i) Write(std::to_string(10'000 + i) + ".yaml", "one");
  BenchmarkFiles files = Files();
  const Changes changes = LookTwice(files);
  EXPECT_EQ(changes.versions.size(), most);
  EXPECT_EQ(changes.versions.back().file, std::to_string(10'000 + most - 1) + ".yaml");
  EXPECT_THAT(changes.faults, ElementsAre(HasSubstr("more than 1000 benchmarks")));
  EXPECT_THAT(LookTwice(files).faults, IsEmpty());
}

TEST_F(FilesTest, OneFileMayHaveAnyName) {
  Write("bench", "one");
  Write("other.yaml", "two");
  BenchmarkFiles files = Files(folder_ / "bench");
  EXPECT_THAT(LookTwice(files).versions, ElementsAre(Says("bench", "one")));
  std::filesystem::remove(folder_ / "bench");
  EXPECT_THAT(LookTwice(files).gone, ElementsAre("bench"));
}

TEST_F(FilesTest, AFolderThatGoesIsSaidOnceAndWaitedFor) {
  const auto inner = folder_ / "inner";
  std::filesystem::create_directory(inner);
  Write("inner/a.yaml", "one");
  BenchmarkFiles files = Files(inner);
  LookTwice(files);
  std::filesystem::rename(inner, folder_ / "away");
  EXPECT_THAT(LookTwice(files).faults, ElementsAre(HasSubstr("No such file or directory")));
  std::filesystem::rename(folder_ / "away", inner);
  EXPECT_THAT(LookTwice(files).versions, IsEmpty()) << "it says what it said";
  EXPECT_FALSE(BenchmarkFiles::At(folder_ / "never").ok());
}

}  // namespace
}  // namespace twofold::cli
