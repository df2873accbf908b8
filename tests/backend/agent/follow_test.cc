#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "backend/agent/relays.h"
#include "tests/backend/agent/agent_fixture.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Heard = fakes::FakeWorkStream::Heard;

class FollowTest : public AgentTest {
 protected:
  // An agent whose programs are a shell text with $1 as a folder, the other end of its stream.
  std::shared_ptr<fakes::FakeWorkStream> Start(const std::string& text) {
    agent_.emplace(Options(), text, dir_.Path(""));
    const auto stream = frontend_.Accept();
    stream->Welcome();
    return stream;
  }

  static auto Printed(const std::string& end) {
    return [end](const Heard& heard) { return heard.output.ends_with(end); };
  }

  TempDir dir_;
  std::optional<RunningAgent> agent_;
};

// ---- Output

TEST_F(FollowTest, FirstTheEndOfWhatIsThereThenWhatComes) {
  const auto stream = Start(R"(cd "$1"; head -c 1000000 /dev/zero; echo old; touch printed
until [ -e more ]; do sleep 0.01; done; echo new; until [ -e end ]; do sleep 0.01; done)");
  stream->SendAssigns(1, 1);
  dir_.Await("printed");
  stream->SendFollow(1);
  // The tail, and what was still in the pipe.
  EXPECT_LE(stream->HearUntil(Printed("old\n")).output.size(), 4096u + 65'536u);
  stream->SendFollow(1);  // again: does not start over
  dir_.Write("more", "");
  EXPECT_THAT(stream->HearUntil(Printed("new\n")).output, EndsWith("old\nnew\n"));
  dir_.Write("end", "");
  EXPECT_EQ(stream->HearResults(1).output.find("old"), stream->HearResults(1).output.rfind("old"));
}

TEST_F(FollowTest, NobodyFollowsNothingIsSent) {
  const auto stream = Start("head -c 1000000 /dev/zero; echo end");
  stream->SendAssigns(1, 1);
  EXPECT_EQ(stream->HearResults(1).output, "");
}

TEST_F(FollowTest, UnfollowedAndEndedAttemptsAreNotHeard) {
  const auto stream = Start(R"(cd "$1"; [ -e second ] && echo unheard && exit
echo first; until [ -e go ]; do sleep 0.01; done; echo unheard)");
  stream->SendAssigns(1, 1);
  stream->SendFollow(1);
  stream->HearUntil(Printed("first\n"));
  stream->SendUnfollow(1);
  stream->SendFollow(99);  // of nobody
  stream->SendCancel(98);
  stream->SendAssigns(2, 1, {}, "no end");  // its result: all that has been read
  stream->HearResults(1);
  dir_.Write("go", "");
  stream->HearResults(2);
  stream->SendFollow(1);  // it has ended
  dir_.Write("second", "");
  stream->SendAssigns(3, 1);
  EXPECT_EQ(stream->HearResults(3).output, "first\n");
}

TEST_F(FollowTest, LastWordsComeBeforeTheResultOrWithIt) {
  const auto stream = Start("until [ -e $1/go ]; do sleep 0.01; done; echo last words");
  stream->SendAssigns(1, 1);
  stream->SendFollow(1);
  stream->SendAssigns(2, 1, {}, "no end");  // its result: all that has been read
  stream->HearResults(1);
  dir_.Write("go", "");
  EXPECT_EQ(stream->HearResults(2).output, "last words\n");
}

TEST_F(FollowTest, RankZeroIsFollowedFromItsStart) {
  const auto stream = Start("echo at work; until [ -e $1/end ]; do sleep 0.01; done");
  stream->SendMember(1, 0, 2);
  stream->HearReady(1);
  stream->SendFollow(1);
  stream->SendGo(1);
  stream->HearUntil(Printed("at work\n"));
}

TEST_F(FollowTest, NewStreamBeginsUnfollowed) {
  const auto first = Start("until [ -e $1/go ]; do sleep 0.01; done; echo unheard");
  first->SendAssigns(1, 1);
  first->SendFollow(1);
  first->SendAssigns(2, 1, {}, "no end");
  first->HearResults(1);
  Break(*first);
  const auto second = frontend_.Accept();
  second->Welcome();
  dir_.Write("go", "");
  EXPECT_EQ(second->HearResults(1).output, "");
}

TEST_F(FollowTest, SlowReaderMissesTheOldestAndIsToldHowMuch) {
  constexpr std::uint64_t kBytes = 64 << 20;
  const auto stream = Start(
      "until [ -e $1/go ]; do sleep 0.01; done; head -c 67108864 /dev/zero; "
      "touch $1/printed; until [ -e $1/end ]; do sleep 0.01; done; echo end");
  stream->SendAssigns(1, 1);
  stream->SendFollow(1);
  stream->SendAssigns(2, 1, {}, "no end");
  stream->HearResults(1);
  stream->Pause();
  dir_.Write("go", "");
  dir_.Await("printed");  // the job is not held up
  stream->Resume();
  dir_.Write("end", "");
  const Heard& heard = stream->HearResults(2);
  EXPECT_GT(heard.missed, 0u);
  EXPECT_EQ(heard.missed + heard.output.size(), kBytes + 4);
  EXPECT_THAT(heard.output.substr(heard.output.size() - 4), "end\n");
  EXPECT_LE(heard.largest_chunk, OutputRelay::kChunkBytes);
}

// ---- Progress

TEST_F(FollowTest, ProgressIsToldWithoutBeingAsked) {
  const auto stream = Start(
      "echo 0.25 a quarter >&$TWOFOLD_PROGRESS_FD; "
      "until [ -e $1/end ]; do sleep 0.01; done");
  stream->SendAssigns(1, 1);
  const auto& heard = stream->HearUntil([](const Heard& h) { return !h.progress.empty(); });
  EXPECT_EQ(heard.progress[0].job(), 1u);
  EXPECT_EQ(heard.progress[0].attempt(), 1u);
  EXPECT_EQ(heard.progress[0].fraction(), 0.25F);
  EXPECT_EQ(heard.progress[0].line(), "a quarter");
}

TEST(ProgressRelay, NewestOfAPeriodIsSentOnce) {
  boost::asio::io_context io;
  std::vector<std::pair<Instant, float>> sent;
  ProgressRelay relay(io, [&](const AttemptId&, const process::ProgressLine& line) {
    sent.emplace_back(Now(), line.fraction);
  });
  for (int i = 0; i <= 100; ++i) {
    relay.Update({1, 1}, {static_cast<float>(i) / 100, ""});
    io.poll();
  }
  relay.Update({2, 1}, {0.5F, ""});
  relay.Forget({2, 1});
  io.run();  // until there is no news
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[0].second, 0);
  EXPECT_EQ(sent[1].second, 1);
  EXPECT_GE(sent[1].first - sent[0].first, ProgressRelay::kPeriod);
}

TEST(OutputRelay, BusyStreamIsAskedAgainAndTheEndIsSentInAnyCase) {
  boost::asio::io_context io;
  bool ready = false;
  std::string sent;
  OutputRelay relay(io, {.ready = [&] { return ready; },
                         .send = [&](const AttemptId&,
                                     const OutputBacklog::Chunk& chunk) { sent += chunk.data; }});
  relay.Follow({1, 1});
  relay.Append({1, 1}, "a");
  EXPECT_EQ(sent, "");
  ready = true;
  io.run();  // until nothing waits
  EXPECT_EQ(sent, "a");
  ready = false;
  relay.Append({1, 1}, "b");
  relay.Finish({1, 1});
  EXPECT_EQ(sent, "ab");
  EXPECT_FALSE(relay.follows({1, 1}));
}

}  // namespace
}  // namespace twofold::backend
