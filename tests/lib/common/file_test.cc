#include "lib/common/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace twofold {
namespace {

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "twofold-file-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string In(const std::string& name) const { return folder_ + "/" + name; }

  std::string Write(const std::string& text) {
    std::ofstream(In("file"), std::ios::binary) << text;
    return In("file");
  }

  std::string folder_;
};

TEST_F(FileTest, AllBytesOfAFileAreRead) {
  std::string text(200'000, 'x');
  text[70'000] = '\0';
  EXPECT_EQ(ReadFile(Write(text), text.size()).value(), text);
  EXPECT_EQ(ReadFile(Write(""), 10).value(), "");
}

TEST_F(FileTest, OneByteMoreThanAllowedIsRefusedWithTheLimit) {
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(Write("12345"), 4).status()));
  EXPECT_EQ(ReadFile(In("file"), 4).status().message(),
            "cannot read " + In("file") + ": it is longer than 4 bytes");
  Write(std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(ReadFile(In("file"), 1 << 20).status().message(),
            "cannot read " + In("file") + ": it is longer than 1 MiB");
}

TEST_F(FileTest, WhatIsNoFileIsRefused) {
  EXPECT_TRUE(absl::IsNotFound(ReadFile(In("none"), 10).status()));
  EXPECT_EQ(ReadFile(folder_, 10).status().message(),
            "cannot read " + folder_ + ": it is not a file");
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadFile("/dev/zero", 10, Readable::kFilesAndPipes).status()));
}

TEST_F(FileTest, APipeIsReadWhereItIsAllowed) {
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(In("pipe"), 10).status()));
  std::thread writer([&] { std::ofstream(In("pipe")) << "abc"; });
  EXPECT_EQ(ReadFile(In("pipe"), 10, Readable::kFilesAndPipes).value(), "abc");
  writer.join();
}

TEST_F(FileTest, AWrittenFileReplacesWhatWasThereAndLeavesNothingBesideIt) {
  Write("old and longer");
  ASSERT_TRUE(WriteFile(In("file"), "new").ok());
  EXPECT_EQ(ReadFile(In("file"), 10).value(), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, WhatWasThereStaysWhenTheNewCannotBeWritten) {
  Write("old");
  std::filesystem::create_directory(In("file.part"));
  EXPECT_EQ(WriteFile(In("file"), "new").message(),
            In("file") + " cannot be written: Is a directory");
  EXPECT_EQ(ReadFile(In("file"), 10).value(), "old");
}

TEST_F(FileTest, ALinkStaysAndItsFileIsWritten) {
  std::filesystem::create_symlink(Write("old"), In("link"));
  ASSERT_TRUE(WriteFile(In("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(In("link")));
  EXPECT_EQ(ReadFile(In("file"), 10).value(), "new");
}

TEST_F(FileTest, AFullDeviceIsSaidAndIsNoFolder) {
  EXPECT_EQ(WriteFile("/dev/full", "new").message(),
            "/dev/full cannot be written: No space left on device");
  EXPECT_EQ(WriteFile(folder_, "new").message(), folder_ + " cannot be written: Is a directory");
}

TEST_F(FileTest, WhetherAFileCanBeWrittenIsToldWithoutATrace) {
  EXPECT_TRUE(CheckWritable(In("file")).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  Write("old");
  EXPECT_TRUE(CheckWritable(In("file")).ok());
  EXPECT_EQ(ReadFile(In("file"), 10).value(), "old");
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(CheckWritable(In("pipe")).ok());  // and waits for no reader
  for (const std::string& path : {In("none/file"), folder_}) {
    EXPECT_EQ(CheckWritable(path), WriteFile(path, "new"));
  }
}

TEST_F(FileTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_EQ(WriteFile(In("none/file"), "new").message(),
            In("none/file") + " cannot be written: No such file or directory: the folder " +
                In("none") + " is not there");
}

}  // namespace
}  // namespace twofold
