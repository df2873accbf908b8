#include "lib/process/spawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/backend/temp_dir.h"

namespace twofold::process {
namespace {

using ::testing::HasSubstr;

using backend::TempDir;

// Waits for the program, and returns its exit code.
int Reap(const Child& child) {
  int status = 0;
  waitpid(child.pid, &status, 0);
  return ExitOf(status).code;
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

TEST(Spawn, WhatIsNoProgramIsToldAndLeavesNoChild) {
  const auto child = Spawn({.argv = {"/no/such/program"}});
  EXPECT_EQ(child.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(child.status().message()), HasSubstr("/no/such/program"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Spawn, OtherDescriptorsOfOursAreClosed) {
  const int leaked = dup(STDERR_FILENO);  // without O_CLOEXEC, as libraries open them
  const Child child = Spawn({.argv = {"/bin/sh", "-c", "ls /proc/$$/fd"}}).value();
  EXPECT_EQ(Reap(child), 0);
  EXPECT_EQ(Drain(child.output), "0\n1\n2\n");
  close(leaked);
}

TEST(Spawn, OnlyOurOwnProgramsInheritEverything) {
  setenv("TWOFOLD_TEST", "secret", 1);
  const std::vector<std::string> argv = {"/bin/sh", "-c", "echo \"$TWOFOLD_TEST\""};
  const Child of_a_job = Spawn({.argv = argv}).value();
  EXPECT_EQ(Reap(of_a_job), 0);
  EXPECT_EQ(Drain(of_a_job.output), "\n");
  const Child ours = Spawn({.argv = argv, .is_ours = true}).value();
  EXPECT_EQ(Reap(ours), 0);
  EXPECT_EQ(Drain(ours.output), "secret\n");
  unsetenv("TWOFOLD_TEST");
}

TEST(Poll, TellsHowTheChildEndedOnce) {
  const Child child = Spawn({.argv = {"/bin/sleep", "100"}, .null_out = true}).value();
  EXPECT_FALSE(Poll(child.pid).has_value());
  kill(child.pid, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT);
  const auto exit = Poll(child.pid);
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(Describe(*exit), "killed by signal 9 (Killed)");
  EXPECT_FALSE(Poll(child.pid).has_value());
}

TEST(Describe, SaysTheCode) { EXPECT_EQ(Describe({.code = 2}), "exit code 2"); }

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
}  // namespace twofold::process
