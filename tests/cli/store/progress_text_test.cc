#include <gtest/gtest.h>

#include "cli/command/command.h"
#include "cli/store/store.h"

namespace twofold::cli {
namespace {

using Phase = results::CopyProgress::Phase;

TEST(StatusOfCopy, ATableThatDiffersIsNamedAndIsExitCode1) {
  results::CopiedStore copied;
  copied.tables.resize(2);
  copied.tables[0].name = "job";
  copied.tables[1].name = "measured";
  EXPECT_EQ(ExitCode(StatusOfCopy(copied, "b.db")), 0);
  copied.tables[1].to.Add({});  // a row more
  const Status status = StatusOfCopy(copied, "b.db");
  EXPECT_EQ(ExitCode(status), 1);
  EXPECT_EQ(status.message(), "TO: b.db would differ from FROM in measured, so nothing was copied");
}

TEST(CopyProgressText, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(
      ProgressText(
          {.phase = Phase::kCopying, .table = "measured", .done = 1'200'000, .all = 5'000'000},
          std::chrono::seconds(10)),
      "copying measured: 1200000 of 5000000 rows (24 %), 120000 rows/s, 32 s left");
  EXPECT_EQ(ProgressText({.phase = Phase::kVerifying, .table = "job", .done = 4000, .all = 4000},
                         std::chrono::seconds(2)),
            "verifying job: 4000 of 4000 rows (100 %), 2000 rows/s, 0 s left");
}

TEST(CopyProgressText, FirstMomentHasNoRate) {
  EXPECT_EQ(ProgressText({.phase = Phase::kCopying, .table = "job", .done = 1, .all = 50},
                         std::chrono::milliseconds(1)),
            "copying job: 1 of 50 rows (2 %)");
}

}  // namespace
}  // namespace twofold::cli
