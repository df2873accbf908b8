#include "lib/rpc/loop_thread.h"

#include <gmock/gmock.h>

#include "tests/support/log_capture.h"

namespace twofold::rpc {
namespace {

using ::testing::ContainsRegex;

/// Returns when the turns in which `busy` and what came before it ran are over.
void TakeATurn(LoopThread& loop, Duration busy) {
  loop.Do([busy] {
    for (const Instant end = Now() + busy; Now() < end;) continue;
  });
  loop.Do([] {});  // in the next one
}

TEST(LoopThreadTest, ALongTurnIsLoggedWithWhatItDid) {
  LoopThread loop({});
  const testing::LogCapture log;
  TakeATurn(loop, std::chrono::milliseconds(60));
  EXPECT_THAT(log.text(),
              ContainsRegex("warning. a turn of the loop took [0-9]+ ms: [0-9]+ for "
                            "[0-9] sockets, [0-9]+ for tasks and timers, [0-9]+ to send"));
}

TEST(LoopThreadTest, ABusyLoopHidesNoLongTurnsOfAnother) {
  LoopThread one({});
  LoopThread other({});
  const testing::LogCapture log;
  TakeATurn(one, std::chrono::milliseconds(60));
  TakeATurn(other, std::chrono::milliseconds(60));
  const std::string text = log.text();
  const auto first = text.find("a turn of the loop took");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("a turn of the loop took", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace twofold::rpc
