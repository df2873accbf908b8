#include "lib/process/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace twofold::process {
namespace {

using ::testing::ElementsAre;

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
