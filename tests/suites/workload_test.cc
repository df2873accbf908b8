#include "suites/table/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FindWorkload, BuiltInOnesGoBeforePrograms) {
  EXPECT_THAT(*FindWorkload({"sleep", "0.1"}), ElementsAre("sleep", "0.1"));
  EXPECT_THAT(*FindWorkload({"fio", "{}"}), ElementsAre("fio", "{}"));
  EXPECT_THAT(*FindWorkload({"osu,mpi-pingpong"}), ElementsAre("osu,mpi-pingpong"));
  EXPECT_THAT(*FindWorkload({}), IsEmpty());
}

TEST(FindWorkload, ProgramsGetTheirPath) {
  EXPECT_THAT(*FindWorkload({"sh", "-c", "sleep 1"}),
              ElementsAre(HasSubstr("/sh"), "-c", "sleep 1"));
  EXPECT_THAT(*FindWorkload({"/bin/sh"}), ElementsAre("/bin/sh"));
}

TEST(FindWorkload, SaysWhereItHasLooked) {
  const auto error = [](const char* word) {
    return std::string(FindWorkload({word}).status().message());
  };
  EXPECT_EQ(error("/no/such"), "/no/such: No such file or directory");
  EXPECT_THAT(error("no-such"), HasSubstr("'no-such' is not in PATH (/"));
  EXPECT_THAT(error("no-such"), HasSubstr("), nor built in, as sleep, fio, "));
  EXPECT_THAT(error("osu,no-such"), HasSubstr("'osu,no-such' is not in PATH"));
  EXPECT_THAT(error(""), HasSubstr("'' is not in PATH"));
}

TEST(WithShell, WordsAreTheArgumentsOfTheLine) {
  EXPECT_THAT(WithShell("a | b \"$1\"", {"c", "d"}),
              ElementsAre("/bin/sh", "-c", "a | b \"$1\"", "sh", "c", "d"));
  EXPECT_THAT(WithShell("", {"c"}), ElementsAre("c"));
}

}  // namespace
}  // namespace twofold::suite
