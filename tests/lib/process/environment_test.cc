#include "lib/process/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace twofold::process {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

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

/// A folder that is the current one, with the PATH and the current folder as they were at the end.
class ProgramAsTypedTest : public ::testing::Test {
 protected:
  ProgramAsTypedTest() {
    here_ =
        std::filesystem::canonical(::testing::TempDir()) / ("typed-" + std::to_string(getpid()));
    std::filesystem::create_directories(here_ / "bin" / "folder");
    Write("bin/tool", std::filesystem::perms::owner_all);
    Write("bin/text", std::filesystem::perms::owner_read);
    std::filesystem::current_path(here_);
  }
  ~ProgramAsTypedTest() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(here_);
  }

  void Write(const std::string& name, std::filesystem::perms perms) const {
    std::ofstream(here_ / name) << "#!/bin/sh\n";
    std::filesystem::permissions(here_ / name, perms);
  }

  // The path, or what is wrong.
  static std::string Look(const std::string& word) {
    const auto found = ProgramAsTyped(word);
    return found.ok() ? *found : std::string(found.status().message());
  }

  const std::string path_ = std::getenv("PATH");
  const std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path here_;
};

TEST_F(ProgramAsTypedTest, APathIsOfTheCurrentFolderAndBecomesAbsolute) {
  EXPECT_EQ(Look("./bin/tool"), here_ / "bin/tool");
  EXPECT_EQ(Look("bin/./tool"), here_ / "bin/tool");
  EXPECT_EQ(Look("bin/../bin/tool"), here_ / "bin/../bin/tool");
  EXPECT_EQ(Look((here_ / "bin/tool").string()), here_ / "bin/tool");
}

TEST_F(ProgramAsTypedTest, ANameIsTheFirstProgramInPath) {
  setenv("PATH", ("/no/such:" + (here_ / "bin").string()).c_str(), 1);
  EXPECT_EQ(Look("tool"), here_ / "bin/tool");
  setenv("PATH", "bin:/usr/bin", 1);
  EXPECT_EQ(Look("tool"), here_ / "bin/tool");
  std::filesystem::current_path(here_ / "bin");
  setenv("PATH", "/usr/bin:", 1);  // an empty part is the current folder, as for a shell
  EXPECT_EQ(Look("tool"), here_ / "bin/tool");
}

TEST_F(ProgramAsTypedTest, SaysWhatItLookedForAndWhere) {
  setenv("PATH", "/no/such:/bin", 1);
  EXPECT_EQ(Look("no-tool"), "'no-tool' is not in PATH (/no/such:/bin)");
  setenv("PATH", (here_ / "bin").c_str(), 1);
  for (const char* name : {"folder", "text"}) EXPECT_THAT(Look(name), EndsWith("bin)")) << name;
  setenv("PATH", "", 1);
  EXPECT_EQ(Look("tool"), "'tool' is not in PATH (which is empty)");
  EXPECT_EQ(Look("./tool"), (here_ / "tool").string() + ": No such file or directory");
}

TEST_F(ProgramAsTypedTest, RefusesWhatCannotBeStarted) {
  EXPECT_EQ(Look("./bin/folder"), (here_ / "bin/folder").string() + ": is a directory");
  EXPECT_EQ(Look("bin/text"), (here_ / "bin/text").string() + ": is not executable");
}

TEST(Overlay, ReplacesAndAdds) {
  EXPECT_THAT(Overlay({"A=1", "B=2", "C"}, {"B=3", "C=4"}), ElementsAre("B=3", "C=4", "A=1"));
  setenv("TWOFOLD_TEST", "inherited", 1);
  EXPECT_EQ(ValueOf("TWOFOLD_TEST", {}), "inherited");
  EXPECT_EQ(ValueOf("TWOFOLD_TEST", {"TWOFOLD_TEST=ours"}), "ours");
  EXPECT_EQ(ValueOf("TWOFOLD_TEST", {"TWOFOLD_TEST"}), "");
  unsetenv("TWOFOLD_TEST");
  EXPECT_EQ(ValueOf("TWOFOLD_TEST", {"TWOFOLD_TEST2=x"}), "");
}

}  // namespace
}  // namespace twofold::process
