// Flow control: what a peer that reads slowly makes a session hold, and what it is given.

#include <gmock/gmock.h>

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

std::string Window(std::uint32_t bytes) {
  return Http2Peer::Number(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 2) + Http2Peer::Number(bytes);
}

std::size_t DataBytes(const std::vector<SeenFrame>& frames) {
  std::size_t bytes = 0;
  for (const SeenFrame& frame : frames) {
    if (frame.type == NGHTTP2_DATA) bytes += frame.payload.size();
  }
  return bytes;
}

class SessionFlowTest : public ::testing::Test {
 protected:
  std::vector<SeenFrame> Give(std::string_view bytes) { return reader_.Read(server_.Give(bytes)); }
  std::vector<SeenFrame> Take() { return reader_.Read(server_.Take()); }
  static std::string Open(std::uint32_t stream, std::uint32_t bytes) {
    return Frame(NGHTTP2_WINDOW_UPDATE, 0, stream, Http2Peer::Number(bytes));
  }

  ServingSession server_;
  FrameReader reader_;
};

TEST_F(SessionFlowTest, NothingIsPulledForAPeerThatTakesNothing) {
  Give(Greeting(Window(0)) + CallHeaders(1));
  RecordingEnd& end = server_.end();
  const std::size_t before = server_.held();
  end.Send(std::string(1 << 20, 'x'));
  EXPECT_EQ(DataBytes(Take()), 0U);
  EXPECT_EQ(end.pulls, 0);
  EXPECT_LT(server_.held(), before + 2'000);
  EXPECT_EQ(DataBytes(Give(Open(1, 10))), 10U);
  EXPECT_EQ(end.pulls, 1);
  EXPECT_EQ(DataBytes(Give(Open(1, 7))), 7U);
  EXPECT_EQ(end.pulls, 1) << "what was pulled goes first";
}

TEST_F(SessionFlowTest, StatusFollowsTheLastByte) {
  Give(Greeting(Window(0)) + CallHeaders(1, {}, true));
  server_.end().Send("hello");
  server_.end().stream->Finish(absl::OkStatus());
  EXPECT_EQ(StatusIn(Take()), -1);
  EXPECT_EQ(StatusIn(Give(Open(1, 9))), -1);
  const auto frames = Give(Open(1, 1));
  EXPECT_EQ(DataBytes(frames), 1U);
  EXPECT_EQ(StatusIn(frames), 0);
  EXPECT_TRUE(server_.end().ended->ok());
}

TEST_F(SessionFlowTest, StatusAloneNeedsNoWindow) {
  Give(Greeting(Window(0)) + CallHeaders(1));
  server_.end().stream->Finish(absl::NotFoundError("no"));
  EXPECT_EQ(StatusIn(Take()), 5);
}

TEST_F(SessionFlowTest, SettingsMoveTheWindowsOfOpenCalls) {
  Give(Greeting(Window(0)) + CallHeaders(1));
  server_.end().Send(std::string(100, 'x'));
  EXPECT_EQ(DataBytes(Take()), 0U);
  EXPECT_EQ(DataBytes(Give(Frame(NGHTTP2_SETTINGS, 0, 0, Window(40)))), 40U);
  EXPECT_EQ(DataBytes(Give(Frame(NGHTTP2_SETTINGS, 0, 0, Window(30)))), 0U) << "10 too many";
  EXPECT_EQ(DataBytes(Give(Open(1, 10))), 0U);
  EXPECT_EQ(DataBytes(Give(Open(1, 65))), 65U);
}

TEST_F(SessionFlowTest, CallsShareTheWindowOfTheConnection) {
  std::string calls;
  for (std::uint32_t stream = 1; stream < 21; stream += 2) calls += CallHeaders(stream);
  Give(Greeting(Window(1 << 20)) + calls);
  for (std::size_t i = 0; i < 10; ++i) server_.end(i).Send(std::string(50'000, 'x'));
  EXPECT_EQ(DataBytes(Take()), 65'535U) << "HTTP/2's first window of a connection";
  EXPECT_EQ(DataBytes(Give(Open(0, 500'000))), 10 * 50'005 - 65'535U);
}

TEST_F(SessionFlowTest, PausedCallMakesTheCallerWait) {
  server_.on_call = [](RecordingEnd& end) { end.stream->Pause(); };
  Give(Greeting() + CallHeaders(1));
  const std::string data = Frame(NGHTTP2_DATA, 0, 1, Message(std::string(200'000, 'x')));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(FindFrame(Give(data), NGHTTP2_WINDOW_UPDATE), nullptr);
  EXPECT_TRUE(server_.end().messages.empty());
  server_.end().stream->Resume();
  EXPECT_EQ(server_.end().messages.size(), 20U);
  EXPECT_NE(FindFrame(Take(), NGHTTP2_WINDOW_UPDATE), nullptr);
}

TEST_F(SessionFlowTest, CallThatEndsUnreadGivesTheWindowOfTheConnectionBack) {
  server_.on_call = [](RecordingEnd& end) { end.stream->Pause(); };
  Give(Greeting());
  const std::string data = Frame(NGHTTP2_DATA, 0, 1, std::string(200'000, '\0'));
  for (std::uint32_t stream = 1; stream < 41; stream += 2) {  // 80 MB in all
    Give(CallHeaders(stream));
    for (int i = 0; i < 20; ++i) {
      Give(Frame(NGHTTP2_DATA, 0, stream, std::string(200'000, '\0')));
    }
    Give(Frame(NGHTTP2_RST_STREAM, 0, stream, Http2Peer::Number(8)));
    ASSERT_TRUE(server_->broken().ok()) << server_->broken() << " at " << stream;
  }
}

TEST_F(SessionFlowTest, WhatAServiceHoldsIsCharged) {
  Give(Greeting() + CallHeaders(1));
  const std::size_t before = server_.held();
  server_.end().stream->Hold(1'000'000);
  EXPECT_EQ(server_.held(), before + 1'000'000);
  server_.end().stream->Hold(10);
  EXPECT_EQ(server_.held(), before + 10);
  server_.end().stream->Hold(25 << 20);
  Give(Frame(NGHTTP2_PING, 0, 0, "12345678"));
  EXPECT_TRUE(absl::IsResourceExhausted(server_->broken()));
}

TEST_F(SessionFlowTest, CollectedBytesAreBounded) {
  Give(Greeting(Window(8 << 20)) + Open(0, 8 << 20) + CallHeaders(1));
  server_.end().Send(std::string(4 << 20, 'x'));
  const std::size_t frame = Limits().sent_frame_bytes + 100;
  Outgoing out;
  EXPECT_TRUE(server_->Collect(out, server_.now())) << "there is more";
  EXPECT_GE(out.bytes.size(), Limits().write_bytes_of_no_use);
  EXPECT_LT(out.bytes.size(), Limits().write_bytes_of_no_use + frame);
  out.bytes.clear();
  server_.end().stream->SetOfUse();
  EXPECT_TRUE(server_->Collect(out, server_.now()));
  EXPECT_GE(out.bytes.size(), Limits().write_bytes);
  EXPECT_LT(out.bytes.size(), Limits().write_bytes + frame);
  server_->Collect(out, server_.now());
  EXPECT_LT(out.bytes.size(), Limits().write_bytes + frame) << "it is full already";
}

}  // namespace
}  // namespace twofold::h2
