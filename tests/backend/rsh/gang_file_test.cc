#include "backend/rsh/gang_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/backend/rsh/rosters.h"
#include "tests/support/program.h"

namespace twofold::gang {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using google::protobuf::util::MessageDifferencer;

Gang Sample() {
  Gang gang;
  v1::GangRoster& roster = gang.roster;
  roster.set_job(18'446'744'073'709'551'615U);
  roster.set_attempt(2);
  roster.set_secret(std::string("\0\x7f\xff!", 4));
  AddPeer(roster, "node-a", "pod-0", "10.0.0.1", 0);
  AddPeer(roster, "node-b", "pod-1", "fd00::2", 65'535);
  return gang;
}

TEST(GangFile, IsReadAsItWasWritten) {
  Gang gang = Sample();
  const Gang plain = *FromJson(ToJson(gang));
  EXPECT_TRUE(MessageDifferencer::Equals(plain.roster, gang.roster));
  EXPECT_FALSE(plain.tls);
  gang.tls =
      security::ClientOptions{{"", "/etc/tls.crt", "/etc/tls.key", "/etc/ca.crt"}, "worker", ""};
  const auto tls = FromJson(ToJson(gang))->tls;
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->ca, "/etc/ca.crt");
  EXPECT_EQ(tls->cert, "/etc/tls.crt");
  EXPECT_EQ(tls->key, "/etc/tls.key");
  EXPECT_EQ(tls->server_name, "worker");
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
    path = (*held)->path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    const auto read = Read(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(MessageDifferencer::Equals(read->gang.roster, Sample().roster));
    close(read->descriptor);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(std::string(Read(path).status().message()), HasSubstr(path));
}

TEST(GangFile, LeftBehindItIsRemovedOnceItsWorkerIsGone) {
  const testing::TempDir folder;
  std::ofstream(folder / "twofold-other") << "not ours";
  const auto held = HeldGangFile::Write(folder / "", Sample()).value();
  EXPECT_EQ(RemoveLeft(folder / ""), 0U);
  const std::string left = folder / "twofold-gang-abcdef";
  std::filesystem::copy_file(held->path(), left);  // nobody holds this one
  EXPECT_EQ(RemoveLeft(folder / ""), 1U);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(Read(held->path()).ok());
  EXPECT_TRUE(std::filesystem::exists(folder / "twofold-other"));
  EXPECT_EQ(RemoveLeft("/no/such/folder"), 0U);
}

TEST(GangFile, ReaderWaitsUntilItsHolderLetsGo) {
  const testing::TempDir folder;
  auto held = HeldGangFile::Write(folder / "", Sample()).value();
  const auto read = Read(held->path());
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
