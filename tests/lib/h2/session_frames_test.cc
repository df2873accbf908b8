// A session that serves, against frames made by hand.

#include <gmock/gmock.h>

#include <random>

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr int kInternal = 13;
constexpr int kUnimplemented = 12;
constexpr int kResourceExhausted = 8;

class SessionFramesTest : public ::testing::Test {
 protected:
  std::vector<SeenFrame> Give(std::string_view bytes) { return reader_.Read(server_.Give(bytes)); }
  std::vector<SeenFrame> Take() { return reader_.Read(server_.Take()); }

  ServingSession server_;
  FrameReader reader_;
};

TEST_F(SessionFramesTest, GreetingIsAnsweredWithSettingsAndLimits) {
  const auto frames = Give(Greeting());
  const SeenFrame* const settings = FindFrame(frames, NGHTTP2_SETTINGS);
  ASSERT_NE(settings, nullptr);
  bool acknowledged = false;
  for (const SeenFrame& frame : frames) {
    if (frame.type == NGHTTP2_SETTINGS) acknowledged |= frame.flags == NGHTTP2_FLAG_ACK;
  }
  EXPECT_TRUE(acknowledged);
  std::map<int, std::uint32_t> said;
  for (std::size_t at = 0; at < settings->payload.size(); at += 6) {
    said[settings->payload[at + 1]] = settings->Number(at + 2);
  }
  const Limits limits;
  EXPECT_EQ(said[NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS], limits.streams);
  EXPECT_EQ(said[NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE],
            static_cast<std::uint32_t>(limits.stream_window));
  EXPECT_EQ(said[NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE], limits.header_bytes);
}

TEST_F(SessionFramesTest, OtherProtocolsAreBrokenOff) {
  Give("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  EXPECT_FALSE(server_->broken().ok());
}

TEST_F(SessionFramesTest, CallMayComeByteByByte) {
  const std::string all = Greeting() + WholeCall(1);
  for (const char byte : all) server_.Give({&byte, 1});
  ASSERT_EQ(server_.calls(), 1U);
  EXPECT_THAT(server_.end().messages, ElementsAre("hello"));
  EXPECT_TRUE(server_.end().half_closed);
}

TEST_F(SessionFramesTest, HeadersMayGoOnInContinuation) {
  const std::string block = Http2Peer::Request("/test.Echo/Call", LongLiteral("x", "y"));
  Give(Greeting() + Frame(NGHTTP2_HEADERS, 0, 1, block.substr(0, 40)));
  Give(Frame(NGHTTP2_CONTINUATION, 0, 1, block.substr(40, 20)) +
       Frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, 1, block.substr(60)));
  ASSERT_EQ(server_.calls(), 1U);
  EXPECT_NE(Find(server_.end().stream->metadata(), "x"), nullptr);
  server_.Pass(seconds(11));
  EXPECT_TRUE(server_->broken().ok()) << "headers that have ended are not waited for";
}

TEST_F(SessionFramesTest, HeadersWithoutAnEndAreNotWaitedForLong) {
  Give(Greeting() + Frame(NGHTTP2_HEADERS, 0, 1, Http2Peer::Request("/x/y")));
  server_.Pass(milliseconds(9'999));
  EXPECT_TRUE(server_->broken().ok());
  Give(Frame(NGHTTP2_CONTINUATION, 0, 1));
  server_.Pass(milliseconds(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(server_->broken()));
}

TEST_F(SessionFramesTest, OthersThanGrpcAreAnsweredInHttp) {
  const std::string get = Http2Peer::Literal(":method", "GET") +
                          Http2Peer::Literal(":scheme", "http") + Http2Peer::Literal(":path", "/") +
                          Http2Peer::Literal(":authority", "x");
  const std::string post =
      Http2Peer::Literal(":method", "POST") + Http2Peer::Literal(":scheme", "http") +
      Http2Peer::Literal(":path", "/") + Http2Peer::Literal(":authority", "x") +
      Http2Peer::Literal("content-type", "application/grpc-web");
  const auto frames = Give(Greeting() + Frame(NGHTTP2_HEADERS, 5, 1, get) +
                           Frame(NGHTTP2_HEADERS, 4, 3, post) + Frame(NGHTTP2_DATA, 1, 3, "x"));
  std::vector<std::string> statuses;
  for (const SeenFrame& frame : frames) {
    if (const auto* status = Find(frame.headers, ":status")) statuses.push_back(*status);
  }
  EXPECT_THAT(statuses, ElementsAre("405", "415"));
  EXPECT_EQ(server_.calls(), 0U);
  EXPECT_EQ(server_->streams(), 0U);
}

TEST_F(SessionFramesTest, AnyKindOfGrpcIsServed) {
  std::string bytes = Greeting();
  std::uint32_t stream = 1;
  for (const char* type : {"application/grpc", "application/grpc+proto", "application/grpc;x=y"}) {
    bytes += Frame(NGHTTP2_HEADERS, 4, stream,
                   Http2Peer::Literal(":method", "POST") + Http2Peer::Literal(":scheme", "http") +
                       Http2Peer::Literal(":path", "/x/y") + Http2Peer::Literal(":authority", "x") +
                       Http2Peer::Literal("content-type", type));
    stream += 2;
  }
  Give(bytes);
  EXPECT_EQ(server_.calls(), 3U);
}

TEST_F(SessionFramesTest, DeadlinesAreThoseOfTheHeader) {
  const auto call = [](std::uint32_t stream, const char* timeout) {
    return CallHeaders(stream, Http2Peer::Literal("grpc-timeout", timeout));
  };
  Give(Greeting() + call(1, "1n") + call(3, "99999999H") + call(5, "2S"));
  ASSERT_EQ(server_.calls(), 3U);
  EXPECT_FALSE(server_.end(1).stream->deadline());
  server_.Pass(milliseconds(1));
  EXPECT_EQ(StatusIn(Take(), 1), 4);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*server_.end(0).ended));
  server_.Pass(seconds(2));
  EXPECT_EQ(StatusIn(Take(), 5), 4);
  EXPECT_FALSE(server_.end(1).ended);
  for (const char* wrong : {"", "100000000H", "1", "-1S"}) {
    static std::uint32_t stream = 7;
    EXPECT_EQ(StatusIn(Give(call(stream, wrong)), stream), kInternal) << wrong;
    stream += 2;
  }
}

TEST_F(SessionFramesTest, DeadlineEndsAnAnswerThatNobodyReads) {
  const std::string no_window = Http2Peer::Number(4, 2) + Http2Peer::Number(0);
  Give(Greeting(no_window) + CallHeaders(1, Http2Peer::Literal("grpc-timeout", "1S")));
  server_.end().Send("answer");
  Take();
  server_.Pass(seconds(1));
  EXPECT_EQ(ErrorIn(Take(), NGHTTP2_RST_STREAM), NGHTTP2_CANCEL);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*server_.end().ended));
}

TEST_F(SessionFramesTest, DeadlineOfABegunAnswerIsToldAsAStatus) {
  Give(Greeting() + CallHeaders(1, Http2Peer::Literal("grpc-timeout", "1S")));
  server_.end().Send("answer");
  Take();
  server_.Pass(seconds(1));
  const auto frames = Take();
  EXPECT_EQ(StatusIn(frames, 1), 4);
  EXPECT_EQ(ErrorIn(frames, NGHTTP2_RST_STREAM), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*server_.end().ended));
}

TEST_F(SessionFramesTest, CompressedMessagesAreRefused) {
  const auto frames =
      Give(Greeting() + CallHeaders(1) + Frame(NGHTTP2_DATA, 0, 1, Message("hello", true)));
  EXPECT_EQ(StatusIn(frames), kUnimplemented);
  EXPECT_TRUE(absl::IsUnimplemented(*server_.end().ended));
  EXPECT_TRUE(server_.end().messages.empty());
}

TEST_F(SessionFramesTest, MessageThatIsCutOffEndsTheCall) {
  const std::string message = Message("hello");
  for (std::size_t size = 1; size < message.size(); ++size) {
    ServingSession server;
    FrameReader reader;
    const auto frames = reader.Read(
        server.Give(Greeting() + CallHeaders(1) +
                    Frame(NGHTTP2_DATA, 1, 1, std::string_view(message).substr(0, size))));
    EXPECT_EQ(StatusIn(frames), kInternal) << size;
    EXPECT_FALSE(server.end().half_closed);
  }
}

TEST_F(SessionFramesTest, MessagesMayBeSplitAnywhere) {
  const std::string messages = Message("one") + Message("") + Message("three");
  for (std::size_t size = 0; size <= messages.size(); ++size) {
    ServingSession server;
    server.Give(Greeting() + CallHeaders(1) + Frame(NGHTTP2_DATA, 0, 1, messages.substr(0, size)));
    server.Give(Frame(NGHTTP2_DATA, 1, 1, messages.substr(size)));
    EXPECT_THAT(server.end().messages, ElementsAre("one", "", "three")) << size;
    EXPECT_TRUE(server.end().half_closed);
  }
}

TEST_F(SessionFramesTest, BinaryMetadataIsDecodedOrRefused) {
  Give(Greeting() + CallHeaders(1, Http2Peer::Literal("a-bin", "AP8")));
  EXPECT_EQ(*Find(server_.end().stream->metadata(), "a-bin"), std::string("\0\xff", 2));
  EXPECT_EQ(StatusIn(Give(CallHeaders(3, Http2Peer::Literal("a-bin", "?"))), 3), kInternal);
}

TEST_F(SessionFramesTest, JoinedBinaryValuesAreTakenApart) {
  Give(Greeting() + CallHeaders(1, Http2Peer::Literal("a-bin", "YQ==,Yg,,Yw") +
                                       Http2Peer::Literal("a", "YQ==,Yg")));
  ASSERT_EQ(server_.calls(), 1U);
  EXPECT_THAT(server_.end().stream->metadata(),
              ElementsAre(Pair("a-bin", "a"), Pair("a-bin", "b"), Pair("a-bin", ""),
                          Pair("a-bin", "c"), Pair("a", "YQ==,Yg")));
}

TEST_F(SessionFramesTest, JoinedBinaryValuesOfAServerAreTakenApart) {
  SessionPair pair;
  const auto end = pair.Call();
  Outgoing out;
  pair.caller().Collect(out, pair.server().now());
  const std::string answer = LongLiteral(":status", "200") +
                             LongLiteral("content-type", "application/grpc") +
                             LongLiteral("grpc-status", "0") + LongLiteral("a-bin", "YQ==,Yg");
  const std::string frames = Frame(NGHTTP2_SETTINGS, 0, 0) + Frame(NGHTTP2_HEADERS, 5, 1, answer);
  ASSERT_TRUE(pair.caller().Receive(frames, pair.server().now()).ok());
  pair.caller().Collect(out, pair.server().now());  // its own end
  EXPECT_THAT(end->trailers_came, ElementsAre(Pair("a-bin", "a"), Pair("a-bin", "b")));
}

TEST_F(SessionFramesTest, JoinedBinaryValuesCountAsIfEachHadComeByItself) {
  Give(Greeting());
  const std::string thousand = LongLiteral("a-bin", std::string(999, ','));
  EXPECT_EQ(StatusIn(Give(CallHeaders(1, thousand))), kResourceExhausted);
  const std::string many = LongLiteral("a-bin", std::string(10'000, ','));
  EXPECT_EQ(ErrorIn(Give(CallHeaders(3, many)), NGHTTP2_GOAWAY), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(SessionFramesTest, TrailersOfTheCallerHalfClose) {
  Give(Greeting() + CallHeaders(1) + Frame(NGHTTP2_HEADERS, 5, 1, Http2Peer::Literal("x", "y")));
  EXPECT_TRUE(server_.end().half_closed);
}

TEST_F(SessionFramesTest, SecondHeadersWithoutAnEndResetTheCall) {
  const auto frames = Give(Greeting() + CallHeaders(1) +
                           Frame(NGHTTP2_HEADERS, 4, 1, Http2Peer::Literal("x", "y")));
  EXPECT_EQ(ErrorIn(frames, NGHTTP2_RST_STREAM), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_TRUE(absl::IsCancelled(*server_.end().ended));
}

TEST_F(SessionFramesTest, TooManyBytesOfMetadataEndTheCall) {
  const std::string big = LongLiteral("big", std::string(17'000, 'x'));
  const auto frames = Give(Greeting() + CallHeaders(1, big) + WholeCall(3));
  EXPECT_EQ(StatusIn(frames), kResourceExhausted);
  EXPECT_EQ(server_.calls(), 1U) << "others are served";
}

TEST_F(SessionFramesTest, ResetIsTakenAsCancelled) {
  Give(Greeting() + CallHeaders(1) + Frame(NGHTTP2_RST_STREAM, 0, 1, Http2Peer::Number(0)));
  EXPECT_TRUE(absl::IsCancelled(*server_.end().ended));
  EXPECT_EQ(server_->streams(), 0U);
}

TEST_F(SessionFramesTest, PaddingIsTakenAndItsWindowGivenBack) {
  std::string padded(1, '\xff');
  padded += Message(std::string(60'000, 'x'));
  padded.append(255, '\0');
  Give(Greeting() + CallHeaders(1));
  for (int i = 0; i < 1000; ++i) {  // far more than the windows
    Give(Frame(NGHTTP2_DATA, NGHTTP2_FLAG_PADDED, 1, padded));
    server_.end().messages.clear();
  }
  EXPECT_TRUE(server_->broken().ok()) << server_->broken();
  EXPECT_FALSE(server_.end().ended);
}

TEST_F(SessionFramesTest, PingIsAnswered) {
  const auto frames = Give(Greeting() + Frame(NGHTTP2_PING, 0, 0, "12345678"));
  const SeenFrame* const pong = FindFrame(frames, NGHTTP2_PING);
  ASSERT_NE(pong, nullptr);
  EXPECT_EQ(pong->flags, NGHTTP2_FLAG_ACK);
  EXPECT_EQ(pong->payload, "12345678");
}

TEST_F(SessionFramesTest, UnknownFramesAreIgnored) {
  Give(Greeting() + Frame(99, 0xff, 7, "whatever") + WholeCall(1));
  EXPECT_EQ(server_.calls(), 1U);
}

/// What breaks a connection, and with which code.
struct Breach {
  const char* name;
  std::string bytes;
  int code;
};

TEST_F(SessionFramesTest, BreachesEndTheConnectionWithTheirCode) {
  const std::string call = CallHeaders(1);
  const Breach breaches[] = {
      {"a frame too large", Http2Peer::Number((256 << 10) + 1, 3) + std::string(6, '\0'),
       NGHTTP2_FRAME_SIZE_ERROR},
      {"DATA of no stream", Frame(NGHTTP2_DATA, 0, 1, "x"), NGHTTP2_PROTOCOL_ERROR},
      {"an even stream", Frame(NGHTTP2_HEADERS, 4, 2, Http2Peer::Request("/x/y")),
       NGHTTP2_PROTOCOL_ERROR},
      {"DATA after the end", WholeCall(1) + Frame(NGHTTP2_DATA, 0, 1, "x"), NGHTTP2_STREAM_CLOSED},
      {"CONTINUATION alone", Frame(NGHTTP2_CONTINUATION, 4, 1), NGHTTP2_PROTOCOL_ERROR},
      {"headers that are interrupted",
       Frame(NGHTTP2_HEADERS, 0, 1) + Frame(NGHTTP2_PING, 0, 0, "12345678"),
       NGHTTP2_PROTOCOL_ERROR},
      {"HPACK that is none", Frame(NGHTTP2_HEADERS, 4, 1, "\xff\xff\xff\xff\xff\xff"),
       NGHTTP2_COMPRESSION_ERROR},
      {"PUSH_PROMISE", Frame(NGHTTP2_PUSH_PROMISE, 4, 1, Http2Peer::Number(2)),
       NGHTTP2_PROTOCOL_ERROR},
      {"a window beyond 2^31",
       call + Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, Http2Peer::Number(0x7fffffff)),
       NGHTTP2_FLOW_CONTROL_ERROR},
      {"PING of 7 bytes", Frame(NGHTTP2_PING, 0, 0, "1234567"), NGHTTP2_FRAME_SIZE_ERROR},
      {"a window beyond its end",
       Frame(NGHTTP2_SETTINGS, 0, 0, Http2Peer::Number(4, 2) + Http2Peer::Number(0x80000000)),
       NGHTTP2_FLOW_CONTROL_ERROR}};
  for (const Breach& breach : breaches) {
    ServingSession server;
    FrameReader reader;
    const auto frames = reader.Read(server.Give(Greeting() + breach.bytes));
    EXPECT_EQ(ErrorIn(frames, NGHTTP2_GOAWAY), breach.code) << breach.name;
    EXPECT_FALSE(server->broken().ok()) << breach.name;
  }
}

TEST_F(SessionFramesTest, OneTooLongValueIsABreach) {
  const std::string block = LongLiteral("x", std::string(65'537, 'y'));
  EXPECT_EQ(ErrorIn(Give(Greeting() + CallHeaders(1, block)), NGHTTP2_GOAWAY),
            NGHTTP2_COMPRESSION_ERROR);
}

TEST_F(SessionFramesTest, CallsBeyondTheLimitAreRefusedUntilThePeerKnowsIt) {
  const std::string two = CallHeaders(1) + CallHeaders(3);
  const std::string acknowledged = Frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0);
  const std::string greeting = Greeting().substr(0, Greeting().size() - acknowledged.size());
  ServingSession server({.streams = 2});
  FrameReader reader;
  const auto refused = reader.Read(server.Give(greeting + two + CallHeaders(5)));
  EXPECT_EQ(ErrorIn(refused, NGHTTP2_RST_STREAM), NGHTTP2_REFUSED_STREAM);
  EXPECT_EQ(server.calls(), 2U);
  EXPECT_TRUE(server->broken().ok());
  const auto broken = reader.Read(server.Give(acknowledged + CallHeaders(7)));
  EXPECT_EQ(ErrorIn(broken, NGHTTP2_GOAWAY), NGHTTP2_PROTOCOL_ERROR);
}

TEST_F(SessionFramesTest, BreachThatNghttp2DoesNotExplainIsNamedByItsCode) {
  Give(Greeting() + Frame(NGHTTP2_HEADERS, 4, 1, "\xff\xff\xff\xff\xff\xff"));
  EXPECT_EQ(server_->broken().message(), "the peer broke the protocol: COMPRESSION_ERROR");
}

TEST_F(SessionFramesTest, DataBeyondTheWindowIsABreach) {
  server_.on_call = [](RecordingEnd& end) { end.stream->Pause(); };
  Give(Greeting() + CallHeaders(1));
  std::vector<SeenFrame> frames;
  const std::string data = Frame(NGHTTP2_DATA, 0, 1, std::string(200'000, '\0'));
  int sent = 0;
  for (;
       sent < 100 && ErrorIn(frames, NGHTTP2_GOAWAY) < 0 && ErrorIn(frames, NGHTTP2_RST_STREAM) < 0;
       ++sent) {
    frames = Give(data);
  }
  EXPECT_EQ(sent, (4 << 20) / 200'000 + 1);
  EXPECT_LT(server_.held(), 9U << 20);
}

TEST_F(SessionFramesTest, ManyBreachesOfStreamsEndTheConnection) {
  Give(Greeting());
  std::uint32_t stream = 1;
  for (; server_->broken().ok() && stream < 2000; stream += 2) {
    Give(CallHeaders(stream) + Frame(NGHTTP2_HEADERS, 4, stream, Http2Peer::Literal("x", "y")));
  }
  EXPECT_EQ(stream, 2 * (Limits().glitches + 1) + 1);
}

TEST_F(SessionFramesTest, PeerThatDoesNotGreetIsLeft) {
  server_.Pass(milliseconds(9'999));
  EXPECT_TRUE(server_->broken().ok());
  server_.Pass(milliseconds(1));
  EXPECT_FALSE(server_->broken().ok());
}

TEST_F(SessionFramesTest, PeerThatAcknowledgesNoSettingsIsLeft) {
  Give(NGHTTP2_CLIENT_MAGIC + Frame(NGHTTP2_SETTINGS, 0, 0) + CallHeaders(1));
  EXPECT_EQ(server_.calls(), 1U);
  server_.Pass(seconds(10));
  EXPECT_FALSE(server_->broken().ok());
  EXPECT_EQ(ErrorIn(Take(), NGHTTP2_GOAWAY), NGHTTP2_SETTINGS_TIMEOUT);
}

TEST_F(SessionFramesTest, SilentPeerIsAskedForASignOfLife) {
  Give(Greeting() + CallHeaders(1));
  server_.Pass(seconds(29));
  EXPECT_EQ(FindFrame(Take(), NGHTTP2_PING), nullptr);
  server_.Pass(seconds(1));
  EXPECT_NE(FindFrame(Take(), NGHTTP2_PING), nullptr);
  server_.Pass(seconds(19));
  Give(Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, std::string(8, '\0')));
  server_.Pass(seconds(29));
  EXPECT_TRUE(server_->broken().ok()) << "it has given one";
  server_.Pass(seconds(1));
  server_.Pass(seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(server_->broken()));
}

TEST_F(SessionFramesTest, PeersThatFallSilentAtAboutTheSameTimeAreAskedTogether) {
  Give(Greeting() + CallHeaders(1));
  server_.Pass(milliseconds(10));
  Give(Frame(NGHTTP2_PING, 0, 0, "00000000"));
  const Instant due = server_->NextDue();
  EXPECT_GE(due, server_.now() + seconds(30));
  server_.Pass(milliseconds(200));
  Give(Frame(NGHTTP2_PING, 0, 0, "00000000"));
  EXPECT_EQ(server_->NextDue(), due);
}

TEST(SessionIdleTest, ConnectionWithoutCallsEnds) {
  Limits limits;
  limits.silence = {};
  limits.idle = seconds(60);
  ServingSession server(limits);
  FrameReader reader;
  server.Give(Greeting() + CallHeaders(1));
  server.Pass(hours(1));
  EXPECT_TRUE(server.Take().empty()) << "a call is open";
  server.Give(Frame(NGHTTP2_RST_STREAM, 0, 1, Http2Peer::Number(8)));
  server.Pass(seconds(59));
  EXPECT_TRUE(server.Take().empty());
  server.Pass(seconds(1));
  EXPECT_NE(FindFrame(reader.Read(server.Take()), NGHTTP2_GOAWAY), nullptr);
  server.Pass(seconds(1));
  server.Take();
  EXPECT_TRUE(server->over());
}

TEST(SessionMutationTest, NoBytesAreFatal) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string whole = Greeting() + WholeCall(1) + CallHeaders(3) +
                            Frame(NGHTTP2_DATA, 0, 3, Message("one")) +
                            Frame(NGHTTP2_WINDOW_UPDATE, 0, 3, Http2Peer::Number(1)) +
                            Frame(NGHTTP2_RST_STREAM, 0, 3, Http2Peer::Number(8));
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      const std::size_t at = 24 + random() % (bytes.size() - 24);
      bytes[at] = static_cast<char>(random());
    }
    ServingSession server;
    server.on_call = [](RecordingEnd& end) {
      end.on_half_closed = [&end] {
        end.Send("answer");
        end.stream->Finish(absl::OkStatus());
      };
    };
    server.Give(bytes);
    server.Pass(hours(1));
    server.Take();
  }
}

TEST(LastFramesTest, FramesOfBothDirectionsAreInWordsOldestFirst) {
  ServingSession server({}, {}, true);
  server.Give(Greeting());
  server.Give(CallHeaders(1));
  server.Give(Frame(NGHTTP2_HEADERS, 5, 3, Http2Peer::Literal("Upper", "x")));
  server.Give(Frame(NGHTTP2_PING, 0x40, 0, "12345678"));
  server.Give(Frame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, Message("hello")));
  server.Give(Frame(NGHTTP2_PRIORITY, 0, 5, Http2Peer::Number(0) + "x"));
  EXPECT_EQ(server->last_frames(),
            "in SETTINGS stream 0 0 bytes; in SETTINGS stream 0 0 bytes ACK; "
            "out SETTINGS stream 0 24 bytes; out SETTINGS stream 0 0 bytes ACK; "
            "out WINDOW_UPDATE stream 0 4 bytes; "
            "in HEADERS stream 1 109 bytes END_HEADERS; "
            "in HEADERS stream 3 9 bytes END_STREAM|END_HEADERS (invalid); "
            "out RST_STREAM stream 3 4 bytes; "
            "in PING stream 0 8 bytes; out PING stream 0 8 bytes ACK; "
            "in DATA stream 1 10 bytes END_STREAM; in PRIORITY stream 5 5 bytes");
}

TEST(LastFramesTest, OnlyTheLastOnesStay) {
  ServingSession server({}, {}, true);
  server.Give(Greeting());
  for (int i = 0; i < 100; ++i) server.Give(Frame(NGHTTP2_PING, 0, 0, "12345678"));
  std::string expected;
  for (int i = 0; i < 16; ++i) {
    if (i > 0) expected += "; ";
    expected += "in PING stream 0 8 bytes; out PING stream 0 8 bytes ACK";
  }
  EXPECT_EQ(server->last_frames(), expected);
}

TEST(LastFramesTest, NothingIsKeptUnlessItIsAskedFor) {
  ServingSession server;
  server.Give(Greeting());
  EXPECT_EQ(server->last_frames(), "");
}

}  // namespace
}  // namespace twofold::h2
