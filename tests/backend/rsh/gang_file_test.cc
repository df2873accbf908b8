#include "backend/rsh/gang_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "tests/support/program.h"

namespace twofold::gang {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Gang Sample() {
  return {.job = 18'446'744'073'709'551'615U,
          .attempt = 2,
          .secret = std::string("\0\x7f\xff!", 4),
          .members = {{"node-a", "pod-0", "10.0.0.1", 0}, {"node-b", "pod-1", "fd00::2", 65'535}}};
}

TEST(GangFile, IsReadAsItWasWritten) {
  Gang gang = Sample();
  EXPECT_EQ(*FromJson(ToJson(gang)), gang);
  gang.tls = Tls{"/etc/ca.crt", "/etc/tls.crt", "/etc/tls.key", "worker"};
  EXPECT_EQ(*FromJson(ToJson(gang)), gang);
}

TEST(GangFile, TextThatIsNoGangIsRefusedAndNeverQuoted) {
  const std::string whole = ToJson(Sample());
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_FALSE(FromJson(whole.substr(0, size)).ok()) << size;
  }
  const Status missing = FromJson(R"({"job": 1, "attempt": 1, "secret": "00"})").status();
  EXPECT_THAT(std::string(missing.message()), HasSubstr("members"));
  const Status wrong = FromJson(R"({"job": "geheim", "attempt": 1})").status();
  EXPECT_THAT(std::string(wrong.message()), AllOf(HasSubstr("field"), Not(HasSubstr("geheim"))));
}

TEST(GangFile, IsForItsOwnerOnlyAndGoesWithItsHolder) {
  const testing::TempDir folder;
  std::string path;
  {
    const auto held = HeldGangFile::Write(folder / "", Sample());
    ASSERT_TRUE(held.ok()) << held.status();
    path = held->path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    const auto read = Read(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->gang, Sample());
    close(read->descriptor);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(std::string(Read(path).status().message()), HasSubstr(path));
}

TEST(GangFile, ReaderWaitsUntilItsHolderLetsGo) {
  const testing::TempDir folder;
  auto held = std::make_unique<Result<HeldGangFile>>(HeldGangFile::Write(folder / "", Sample()));
  const auto read = Read((*held)->path());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NE(flock(read->descriptor, LOCK_SH | LOCK_NB), 0);
  std::thread waits([&] { AwaitRelease(read->descriptor); });
  held.reset();
  waits.join();
  EXPECT_EQ(flock(read->descriptor, LOCK_SH | LOCK_NB), 0);
  close(read->descriptor);
}

TEST(GangFile, FolderThatCannotBeWrittenIsNamed) {
  EXPECT_THAT(std::string(HeldGangFile::Write("/proc/none", Sample()).status().message()),
              HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace twofold::gang
