#include "backend/peers/exec_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

TEST(ExecRequest, WhatCannotBeStartedIsRefusedNamingTheField) {
  struct Case {
    const char* message;
    std::function<void(v1::ExecStart&)> spoil;
  };
  const std::string zero("a\0b", 3);
  for (const Case& bad : std::initializer_list<Case>{
           {"start.argv names no program", [](v1::ExecStart& start) { start.clear_argv(); }},
           {"start.argv names no program", [](v1::ExecStart& start) { start.set_argv(0, ""); }},
           {"start.argv has a zero", [&](v1::ExecStart& start) { start.add_argv(zero); }},
           {"start.environment", [](v1::ExecStart& start) { start.add_environment("NAME"); }},
           {"start.environment", [](v1::ExecStart& start) { start.add_environment("=x"); }},
           {"start.environment", [&](v1::ExecStart& start) { start.add_environment("A=" + zero); }},
           {"more than 8192",
            [](v1::ExecStart& start) {
              for (int i = 0; i < kMaxExecWords; ++i) start.add_argv("x");
            }},
           {"at most 524288",
            [](v1::ExecStart& start) { start.add_argv(std::string(kMaxExecBytes, 'x')); }}}) {
    v1::ExecStart start;
    start.add_argv("/bin/true");
    EXPECT_TRUE(CheckStart(start).ok());
    bad.spoil(start);
    EXPECT_THAT(std::string(CheckStart(start).message()), HasSubstr(bad.message));
  }
}

TEST(ExecRequest, ProgramIsLookedForInTheFoldersOfPathInTheirOrder) {
  EXPECT_EQ(*FindOnPath("/no/such", ""), "/no/such");
  EXPECT_EQ(*FindOnPath("sh", "/nowhere:.::/bin:/usr/bin"), "/bin/sh");
  EXPECT_THAT(std::string(FindOnPath("sh", "bin:").status().message()), HasSubstr("not found"));
  EXPECT_THAT(std::string(FindOnPath("./sh", "/bin").status().message()), HasSubstr("absolute"));
}

}  // namespace
}  // namespace twofold::backend
