// The end of a connection in order: GOAWAY twice, and what is under way meanwhile.

#include <gmock/gmock.h>

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kAnyStream = 0x7fffffff;

class SessionDrainTest : public ::testing::Test {
 protected:
  std::vector<SeenFrame> Give(std::string_view bytes) { return reader_.Read(server_.Give(bytes)); }
  std::vector<SeenFrame> Take() { return reader_.Read(server_.Take()); }

  /// Drains, and returns the answer to the PING that comes with the first GOAWAY.
  std::string Notice() {
    server_->Drain(server_.now());
    const auto frames = Take();
    const SeenFrame* const notice = FindFrame(frames, NGHTTP2_GOAWAY);
    EXPECT_TRUE(notice != nullptr && notice->Number() == kAnyStream);
    const SeenFrame* const ping = FindFrame(frames, NGHTTP2_PING);
    return ping == nullptr ? "" : Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, ping->payload);
  }

  ServingSession server_;
  FrameReader reader_;
};

TEST_F(SessionDrainTest, CallsThatWereUnderWayAreServed) {
  Give(Greeting() + CallHeaders(1));
  const std::string pong = Notice();
  const auto last = Give(WholeCall(3) + pong);  // sent before the caller knew
  EXPECT_EQ(server_.calls(), 2U);
  const SeenFrame* const goaway = FindFrame(last, NGHTTP2_GOAWAY);
  ASSERT_NE(goaway, nullptr);
  EXPECT_EQ(goaway->Number(), 3U) << "the last call that is served";
  Give(WholeCall(5));
  EXPECT_EQ(server_.calls(), 2U);
  EXPECT_FALSE(server_->over());
  for (const std::size_t i : {0U, 1U}) server_.end(i).stream->Finish(absl::OkStatus());
  EXPECT_EQ(StatusIn(Take(), 3), 0);
  EXPECT_TRUE(server_->over());
  EXPECT_TRUE(server_->broken().ok());
}

TEST_F(SessionDrainTest, PeerThatAnswersNoPingIsNotWaitedFor) {
  Give(Greeting() + CallHeaders(1));
  Notice();
  server_.Pass(milliseconds(999));
  EXPECT_EQ(FindFrame(Take(), NGHTTP2_GOAWAY), nullptr);
  server_.Pass(milliseconds(1));
  const auto frames = Take();
  ASSERT_NE(FindFrame(frames, NGHTTP2_GOAWAY), nullptr);
  EXPECT_EQ(FindFrame(frames, NGHTTP2_GOAWAY)->Number(), 1U);
}

TEST_F(SessionDrainTest, ConnectionWithoutCallsIsOverAtOnce) {
  Give(Greeting());
  const std::string pong = Notice();
  EXPECT_FALSE(server_->over());
  Give(pong);
  EXPECT_TRUE(server_->over());
}

TEST_F(SessionDrainTest, AnswerToAnotherPingIsNotTheLastCall) {
  Give(Greeting() + CallHeaders(1));
  Notice();
  EXPECT_EQ(FindFrame(Give(Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, "anything")), NGHTTP2_GOAWAY),
            nullptr);
}

TEST(SessionPairDrainTest, CallsOfBothSidesEndAndNoneIsLost) {
  SessionPair pair;
  const auto before = pair.Call();
  pair.Carry();
  const auto racing = pair.Call();  // begun, and not sent yet
  pair.server()->Drain(pair.server().now());
  pair.Carry();
  EXPECT_TRUE(pair.caller().drains());
  ASSERT_EQ(pair.server().calls(), 2U) << "it was sent before the notice came";
  EXPECT_TRUE(absl::IsUnavailable(*pair.Call()->ended)) << "to be tried elsewhere";
  for (const std::size_t i : {0U, 1U}) pair.server().end(i).stream->Finish(absl::OkStatus());
  pair.Carry();
  EXPECT_TRUE(before->ended->ok());
  EXPECT_TRUE(racing->ended->ok());
  EXPECT_TRUE(pair.server()->over());
  EXPECT_TRUE(pair.caller().over());
}

TEST(SessionPairDrainTest, CallerThatDrainsEndsWhenItsCallsHave) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  pair.caller().Drain(pair.server().now());
  EXPECT_TRUE(absl::IsUnavailable(*pair.Call()->ended));
  pair.Carry();
  EXPECT_FALSE(pair.caller().over());
  pair.server().end().Send("still there");
  pair.server().end().stream->Finish(absl::OkStatus());
  pair.Carry();
  EXPECT_TRUE(end->ended->ok());
  EXPECT_TRUE(pair.caller().over());
}

TEST(SessionPairDrainTest, CallBeyondTheLastOneMayBeTriedAgain) {
  SessionPair pair;
  pair.Carry();
  const auto end = pair.Call();
  Outgoing out;
  pair.caller().Collect(out, pair.server().now());  // it is on its way, and never arrives
  const std::string goaway =
      Frame(NGHTTP2_GOAWAY, 0, 0, Http2Peer::Number(0) + Http2Peer::Number(0));
  ASSERT_TRUE(pair.caller().Receive(goaway, pair.server().now()).ok());
  ASSERT_TRUE(end->ended);
  EXPECT_TRUE(absl::IsUnavailable(*end->ended)) << *end->ended;
}

}  // namespace
}  // namespace twofold::h2
