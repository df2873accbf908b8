#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <filesystem>

#include "backend/benchmark/host.h"
#include "backend/benchmark/work_folder.h"
#include "lib/process/environment.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

using backend::TempDir;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- Ports

TEST(Listening, ReadsTheTableOfTheKernel) {
  constexpr std::string_view kTable =
      "  sl  local_address rem_address   st tx_queue rx_queue\n"
      "   0: 00000000:1451 00000000:0000 0A 00000000:00000000\n"
      "   1: 0100007F:1452 0100007F:1451 01 00000000:00000000\n";
  EXPECT_TRUE(ListensIn(kTable, 5201));
  EXPECT_FALSE(ListensIn(kTable, 5202));  // it is connected, and does not listen
  EXPECT_FALSE(ListensIn("", 5201));
  EXPECT_FALSE(ListensIn("0: 1451 0 0A\n0: 00:1451 0\n", 5201));
}

TEST(Listening, SeesAListenerOfItsOwn) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, any, length), 0);
  ASSERT_EQ(getsockname(listener, any, &length), 0);
  const std::uint16_t port = ntohs(address.sin_port);
  EXPECT_FALSE(Listens(port));
  ASSERT_EQ(listen(listener, 1), 0);
  EXPECT_TRUE(Listens(port));
  close(listener);
}

// ---- Programs

std::string Program(const TempDir& dir, const std::string& name) {
  const std::string path = dir.Write(name, "#!/bin/sh\n");
  chmod(path.c_str(), 0755);
  return path;
}

TEST(FindProgram, LooksInItsFoldersThenOnThePath) {
  const TempDir first;
  const TempDir second;
  const std::string tool = Program(second, "tool");
  const std::vector<std::string> folders = {first.Path("")};
  const process::SearchPath where{folders, "relative:" + second.Path("")};
  EXPECT_EQ(process::FindProgram("tool", where).value(), second.Path("") + "/tool");
  first.Write("tool", "no program");
  std::filesystem::create_directory(first.Path("other"));
  EXPECT_EQ(process::FindProgram("tool", where).value(), second.Path("") + "/tool");
  Program(first, "tool");
  EXPECT_EQ(process::FindProgram("tool", where).value(), first.Path("") + "/tool");
  EXPECT_EQ(process::FindProgram("./made/here", where).value(), "./made/here");
}

TEST(FindProgram, SaysWhereItHasLooked) {
  const std::vector<std::string> folders = {"/opt/osu"};
  EXPECT_EQ(process::FindProgram("tool", {folders, "/no/such"}).status().message(),
            "tool is not installed: looked in /opt/osu, /no/such");
  EXPECT_EQ(process::FindProgram("tool", {{}, ""}).status().message(),
            "tool is not installed: looked in no folder, as PATH is empty");
}

TEST(Host, IsDescribed) {
  EXPECT_EQ(CpuModel("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\nmodel name\t: B\n"),
            "A CPU @ 2 GHz");
  EXPECT_EQ(CpuModel("Features: fp asimd\n"), "");
  v1::RankRecord record;
  DescribeHost(record);
  EXPECT_NE(record.kernel(), "");
  EXPECT_GT(record.cpus(), 0U);
}

// ---- Folders

std::vector<std::string> In(const TempDir& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.Path(""))) {
    names.push_back(entry.path().filename());
  }
  return names;
}

TEST(WorkFolder, HasThePlansFilesUntilItIsRemoved) {
  const TempDir parent;
  const TempDir volume;
  const auto folder = WorkFolder::Make(parent.Path("")).value();
  suite::RankPlan plan;
  plan.folders = {"in", volume.Path("job-1")};
  plan.files = {{"in/a.txt", "text"}, {volume.Path("job-1/b.txt"), "more"}};
  EXPECT_TRUE(folder->Fill(plan).ok());
  EXPECT_EQ(TempDir::Read(folder->run() + "/in/a.txt"), "text");
  EXPECT_EQ(TempDir::Read(volume.Path("job-1/b.txt")), "more");
  int rounds = 1;
  while (!folder->RemoveSome(2)) ++rounds;
  EXPECT_GT(rounds, 3);
  EXPECT_EQ(folder->failures(), "");
  EXPECT_THAT(In(parent), IsEmpty());
  EXPECT_THAT(In(volume), IsEmpty());
}

TEST(WorkFolder, WhatIsSomebodyElsesIsLeftAlone) {
  const TempDir parent;
  const TempDir volume;
  volume.Write("kept", "text");
  const auto folder = WorkFolder::Make(parent.Path("")).value();
  suite::RankPlan plan;
  plan.folders = {volume.Path("")};
  EXPECT_THAT(std::string(folder->Fill(plan).message()), HasSubstr("File exists"));
  EXPECT_TRUE(folder->RemoveSome(INT_MAX));
  EXPECT_EQ(TempDir::Read(volume.Path("kept")), "text");
}

TEST(WorkFolder, AVolumeThatIsNotMountedIsAnError) {
  const TempDir parent;
  const auto folder = WorkFolder::Make(parent.Path("")).value();
  suite::RankPlan plan;
  plan.folders = {"/no/such/volume/job-1"};
  EXPECT_EQ(folder->Fill(plan).message(), "/no/such/volume/job-1: No such file or directory");
  EXPECT_TRUE(folder->RemoveSome(INT_MAX));
  EXPECT_FALSE(WorkFolder::Make("/no/such/volume").ok());
}

TEST(WorkFolder, LeftBehindItIsRemovedOnceItsProcessIsGone) {
  const TempDir parent;
  const TempDir volume;
  auto folder = WorkFolder::Make(parent.Path("")).value();
  suite::RankPlan plan;
  plan.folders = {volume.Path("job-1")};
  ASSERT_TRUE(folder->Fill(plan).ok());
  parent.Write("twofold-other", "not ours");
  EXPECT_EQ(RemoveLeftWorkFolders(parent.Path("")), 0U);
  EXPECT_FALSE(In(volume).empty());
  folder.reset();  // as the kernel does when the process dies
  EXPECT_EQ(RemoveLeftWorkFolders(parent.Path("")), 1U);
  EXPECT_THAT(In(volume), IsEmpty());
  EXPECT_THAT(In(parent), testing::ElementsAre("twofold-other"));
}

// ---- Processes

/// A child with this variable alone, in a session of its own.
pid_t StartDaemon(const std::string& marker) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    std::string variable = marker;
    char* const environment[] = {variable.data(), nullptr};
    execle("/bin/sleep", "sleep", "3600", nullptr, environment);
    _exit(127);
  }
  return child;
}

/// Whether the child has become what it is to be: until then its variables are ours.
void AwaitVariable(pid_t child, const std::string& marker) {
  const std::string path = "/proc/" + std::to_string(child) + "/environ";
  while (TempDir::Read(path).substr(0, marker.size()) != marker) usleep(1000);
}

TEST(Strays, WhatIsLeftOfAFoldersProgramsIsKilledBeforeItIsRemoved) {
  const TempDir parent;
  auto folder = WorkFolder::Make(parent.Path("")).value();
  const std::string marker = folder->marker();
  const pid_t child = StartDaemon(marker);
  AwaitVariable(child, marker);
  EXPECT_EQ(RemoveLeftWorkFolders(parent.Path("")), 0U);
  EXPECT_EQ(kill(child, 0), 0) << "its worker lives";
  folder.reset();  // as the kernel does when the process dies
  EXPECT_EQ(RemoveLeftWorkFolders(parent.Path("")), 1U);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_THAT(In(parent), IsEmpty());
}

TEST(Strays, ADaemonIsFoundByItsEnvironment) {
  const std::string marker = "TWOFOLD_WORK=" + TempDir().Path("marker");
  const pid_t child = StartDaemon(marker);
  EXPECT_EQ(KillMarked(marker + "-another"), 0U);
  while (KillMarked(marker) == 0) usleep(1000);  // until it has become a sleep
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(KillMarked(marker), 0U);
}

}  // namespace
}  // namespace twofold::backend
