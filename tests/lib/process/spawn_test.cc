#include "lib/process/spawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "lib/process/inherited.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Waits for the program, and returns its exit code.
int Reap(const Child& child) {
  int status = 0;
  waitpid(child.pid, &status, 0);
  return WEXITSTATUS(status);
}

// What is left in the pipe of a program that has ended. Closes it.
std::string Drain(int descriptor) {
  std::string all;
  std::array<char, 256> bytes;
  for (ssize_t got = 0; (got = read(descriptor, bytes.data(), bytes.size())) > 0;) {
    all.append(bytes.data(), static_cast<std::size_t>(got));
  }
  close(descriptor);
  return all;
}

std::string Content(std::FILE* file) {
  std::rewind(file);
  std::string all(256, '\0');
  all.resize(std::fread(all.data(), 1, all.size(), file));
  std::fclose(file);
  return all;
}

TEST(Spawn, StartsInTheDirectory) {
  const TempDir directory;
  directory.Write("here", "");
  const Child child = Spawn({.argv = {"/bin/ls"}, .directory = directory.Path("")}).value();
  EXPECT_EQ(Reap(child), 0);
  EXPECT_EQ(Drain(child.output), "here\n");
}

TEST(Spawn, ADirectoryThatIsNotThereIsNamed) {
  const auto child = Spawn({.argv = {"/bin/pwd"}, .directory = "/no/such/place"});
  EXPECT_THAT(std::string(child.status().message()), HasSubstr("/no/such/place"));
}

TEST(Inherited, ProgramsGetWhatTheyNeedAndNoSecrets) {
  const char* const ours[] = {"PATH=/bin",    "LC_ALL=C",        "UCX_TLS=tcp", "TWOFOLD_TOKEN=s",
                              "AWS_SECRET=s", "LC=no",           "PATHS=no",    "TWOFOLD_GANG=s",
                              "HOME=",        "LD_PRELOAD=x.so", "NO_EQUALS",   nullptr};
  const auto passed = Inherited(ours);
  EXPECT_THAT(std::vector<std::string>(passed.begin(), passed.end()),
              ElementsAre("PATH=/bin", "LC_ALL=C", "UCX_TLS=tcp", "HOME="));
}

TEST(Inherited, WhatIsAllowedComesAlongButTheToken) {
  AllowVariables({"AWS_*", "MINE", "TOKENS", "T*"});
  const char* const ours[] = {"AWS_SECRET=s",    "MINE=1",   "MINER=no",
                              "TWOFOLD_TOKEN=s", "TOKENS=1", nullptr};
  const auto passed = Inherited(ours);
  EXPECT_THAT(std::vector<std::string>(passed.begin(), passed.end()),
              ElementsAre("AWS_SECRET=s", "MINE=1", "TOKENS=1"));
  AllowVariables({});
}

TEST(Spawn, LentDescriptorsAreItsStandardOnes) {
  std::FILE* in = std::tmpfile();
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  std::fputs("asked\n", in);
  std::rewind(in);
  const Child child = Spawn({.argv = {"/bin/sh", "-c", "cat; echo loud >&2"},
                             .in = fileno(in),
                             .out = fileno(out),
                             .err = fileno(err)})
                          .value();
  EXPECT_EQ(child.output, -1);
  EXPECT_EQ(Reap(child), 0);
  EXPECT_EQ(Content(out), "asked\n");
  EXPECT_EQ(Content(err), "loud\n");
  std::fclose(in);
}

TEST(Spawn, WhatIsNotLentGoesToThePipe) {
  std::FILE* out = std::tmpfile();
  const Child child =
      Spawn({.argv = {"/bin/sh", "-c", "echo plain; echo loud >&2"}, .out = fileno(out)}).value();
  EXPECT_EQ(Reap(child), 0);
  EXPECT_EQ(Content(out), "plain\n");
  EXPECT_EQ(Drain(child.output), "loud\n");
}

}  // namespace
}  // namespace twofold::backend
