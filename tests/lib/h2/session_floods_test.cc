// Floods by one peer: each ends the connection, or is served; none makes the session hold more than
// a bound. What a peer may send in all is bounded here by the count of writes; a session that holds
// on to each of them would not pass.

#include <gmock/gmock.h>

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

constexpr std::size_t kMiB = 1 << 20;

/// What a flood came to.
struct Outcome {
  std::size_t most_held = 0;
  std::size_t writes = 0;
  bool broken = false;
};

class SessionFloodTest : public ::testing::Test {
 protected:
  /// Services answer each call with `reply` bytes when it is half-closed.
  void Answer(std::size_t reply) {
    server_.on_call = [reply](RecordingEnd& end) {
      end.on_half_closed = [&end, reply] {
        end.Send(std::string(reply, 'r'));
        end.stream->Finish(absl::OkStatus());
      };
    };
  }

  /// Sends `write(i)` so many times, or until the session is broken; a millisecond each. Who does
  /// not read never collects what the session has to say.
  template <typename Write>
  Outcome Flood(std::size_t writes, bool reads, Write&& write) {
    Outcome outcome;
    server_.Give(Greeting());
    for (; outcome.writes < writes && server_->broken().ok(); ++outcome.writes) {
      const std::string bytes = write(outcome.writes);
      static_cast<void>(server_->Receive(bytes, server_.now()));
      if (reads) server_.Take();
      server_.Pass(std::chrono::milliseconds(1));
      outcome.most_held = std::max(outcome.most_held, server_.held());
    }
    server_.Take();  // nghttp2 may have ended the connection by itself
    outcome.broken = !server_->broken().ok();
    return outcome;
  }

  static std::string Repeat(std::string_view frame, int count) {
    std::string bytes;
    while (count-- > 0) bytes += frame;
    return bytes;
  }

  /// Calls, each followed by `then(stream)`.
  template <typename Then>
  std::string Calls(int count, Then&& then) {
    std::string bytes;
    for (; count > 0; --count, stream_ += 2) bytes += CallHeaders(stream_) + then(stream_);
    return bytes;
  }

  ServingSession server_;
  std::uint32_t stream_ = 1;
};

TEST_F(SessionFloodTest, RapidResets) {
  for (const bool reads : {false, true}) {
    SessionFloodTest_RapidResets_Test flood;
    const Outcome outcome = flood.Flood(1000, reads, [&](std::size_t) {
      return flood.Calls(500, [](std::uint32_t stream) {
        return Frame(NGHTTP2_RST_STREAM, 0, stream, Http2Peer::Number(NGHTTP2_CANCEL));
      });
    });
    EXPECT_TRUE(outcome.broken);
    EXPECT_LE(outcome.writes, 2U);
    EXPECT_LT(outcome.most_held, kMiB);
  }
}

TEST_F(SessionFloodTest, ResetsThatTheServerIsMadeToSend) {
  const Outcome outcome = Flood(1000, true, [&](std::size_t) {
    return Calls(100, [](std::uint32_t stream) {
      return Frame(NGHTTP2_WINDOW_UPDATE, 0, stream, Http2Peer::Number(0));
    });
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(outcome.writes, 3U);
  EXPECT_LT(outcome.most_held, kMiB);
}

TEST_F(SessionFloodTest, ContinuationWithoutEnd) {
  const Outcome outcome = Flood(1000, true, [&](std::size_t i) {
    const std::string many = Http2Peer::ManyHeaders();
    return i == 0 ? Frame(NGHTTP2_HEADERS, 0, 1, Http2Peer::Request("/x/y"))
                  : Frame(NGHTTP2_CONTINUATION, 0, 1, many);
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(outcome.writes, 20U);
  EXPECT_LT(outcome.most_held, kMiB);
}

TEST_F(SessionFloodTest, EmptyContinuations) {
  const Outcome outcome = Flood(1000, true, [&](std::size_t i) {
    return i == 0 ? Frame(NGHTTP2_HEADERS, 0, 1, Http2Peer::Request("/x/y"))
                  : Frame(NGHTTP2_CONTINUATION, 0, 1);
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(outcome.writes, 20U);
}

TEST_F(SessionFloodTest, ManyBytesOfHeadersACall) {
  std::string headers;
  for (int i = 0; i < 15; ++i) headers += LongLiteral("x", std::string(1000, 'y'));
  const Outcome outcome = Flood(1000, false, [&](std::size_t) {
    std::string bytes;
    for (int i = 0; i < 20; ++i, stream_ += 2) {
      bytes += Frame(NGHTTP2_HEADERS, 0, stream_, Http2Peer::Request("/x/y")) +
               Frame(NGHTTP2_CONTINUATION, 4, stream_, headers);
    }
    return bytes;
  });
  EXPECT_LT(outcome.most_held, 25 * kMiB);
}

TEST_F(SessionFloodTest, HpackBomb) {
  const std::string bomb = Http2Peer::Request("/x/y") + std::string(12'000, '\xbe');
  const Outcome outcome = Flood(1000, true, [&](std::size_t i) {
    const std::string block =
        i == 0 ? Http2Peer::Request("/x/y") + LongLiteral("x", std::string(3'900, 'y'), true)
               : bomb;
    stream_ += 2;
    return Frame(NGHTTP2_HEADERS, 5, stream_, block);
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(outcome.writes, 2U);
  EXPECT_LT(outcome.most_held, kMiB);
}

TEST_F(SessionFloodTest, SmallHpackBombs) {
  // Within what one call may have, and never read.
  const std::string bomb = Http2Peer::Request("/x/y") + std::string(3, '\xbe');
  const Outcome outcome = Flood(100, false, [&](std::size_t i) {
    std::string bytes;
    if (i == 0) {
      bytes = Frame(NGHTTP2_HEADERS, 4, stream_,
                    Http2Peer::Request("/x/y") + LongLiteral("x", std::string(3'900, 'y'), true));
    }
    for (int calls = 0; calls < 200; ++calls) {
      stream_ += 2;
      bytes += Frame(NGHTTP2_HEADERS, 4, stream_, bomb);
    }
    return bytes;
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LT(outcome.most_held, 25 * kMiB);
}

TEST_F(SessionFloodTest, HeaderWithoutEnd) {
  const Outcome outcome = Flood(1000, true, [&](std::size_t i) {
    const std::string literal =
        std::string("\x00\x01x", 3) + HpackNumber(1 << 28, 7, 0) + std::string(100, 'y');
    return i == 0 ? Frame(NGHTTP2_HEADERS, 0, 1, literal)
                  : Frame(NGHTTP2_CONTINUATION, 0, 1, std::string(16'000, 'y'));
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LT(outcome.most_held, kMiB);
}

TEST_F(SessionFloodTest, FramesThatBringNothingForward) {
  const std::string many_settings = [] {
    std::string entries;
    for (int i = 0; i < 2000; ++i) entries += Http2Peer::Number(999, 2) + Http2Peer::Number(1);
    return entries;
  }();
  const struct {
    const char* name;
    std::string frame;
    int count;
    Cause cause = Cause::kFlood;
  } floods[] = {
      {"SETTINGS", Frame(NGHTTP2_SETTINGS, 0, 0), 1000},
      {"acknowledged SETTINGS", Frame(NGHTTP2_SETTINGS, 1, 0), 1000, Cause::kProtocol},
      {"SETTINGS of 2 000 entries", Frame(NGHTTP2_SETTINGS, 0, 0, many_settings), 20},
      {"PING", Frame(NGHTTP2_PING, 0, 0, "12345678"), 1000},
      {"acknowledged PING", Frame(NGHTTP2_PING, 1, 0, "12345678"), 1000},
      {"PRIORITY", Frame(NGHTTP2_PRIORITY, 0, 9, Http2Peer::Number(0) + "x"), 1000},
      {"empty DATA", Frame(NGHTTP2_DATA, 0, 1), 1000},
      {"DATA of padding", Frame(NGHTTP2_DATA, 8, 1, "\xff" + std::string(255, '\0')), 1000},
      {"WINDOW_UPDATE", Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, Http2Peer::Number(1)), 1000},
      {"WINDOW_UPDATE of a call", Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, Http2Peer::Number(1)), 1000},
      {"resets of a call that is over", Frame(NGHTTP2_RST_STREAM, 0, 1, Http2Peer::Number(8)),
       1000}};
  for (const auto& one : floods) {
    for (const bool reads : {false, true}) {
      SCOPED_TRACE(std::string(one.name) + (reads ? ", read" : ", not read"));
      SessionFloodTest_FramesThatBringNothingForward_Test flood;
      const Outcome outcome = flood.Flood(1000, reads, [&](std::size_t i) {
        return (i == 0 ? CallHeaders(1) : "") + Repeat(one.frame, one.count);
      });
      EXPECT_TRUE(outcome.broken);
      EXPECT_EQ(flood.server_->cause(), one.cause);
      EXPECT_TRUE(!reads || outcome.writes <= 5) << outcome.writes;
      EXPECT_LT(outcome.most_held, kMiB);
    }
  }
}

TEST_F(SessionFloodTest, PeerIsToldThatItIsAFlood) {
  // In one write, so nghttp2's own bound of answers that wait comes first.
  const std::string pings = Repeat(Frame(NGHTTP2_PING, 0, 0, "12345678"), 5000);
  const auto frames = FrameReader().Read(server_.Give(Greeting() + pings));
  EXPECT_EQ(ErrorIn(frames, NGHTTP2_GOAWAY), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(server_->cause(), Cause::kFlood);
}

TEST_F(SessionFloodTest, UnknownFramesHoldNothing) {
  // nghttp2 drops them without a word.
  const std::string unknown = Repeat(Frame(77, 0, 0, "12345678"), 1000);
  EXPECT_LT(Flood(1000, false, [&](std::size_t) { return unknown; }).most_held, kMiB);
}

TEST_F(SessionFloodTest, ReadersMaySayWhatTheyTook) {
  // A peer that reads answers DATA with WINDOW_UPDATE: far more of them than others may send.
  server_.Give(Greeting() + CallHeaders(1));
  const std::string room = Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, Http2Peer::Number(1000)) +
                           Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, Http2Peer::Number(1000));
  for (int i = 0; i < 20'000 && server_->broken().ok(); ++i) {
    server_.end().Send(std::string(995, 'x'));
    server_.Take();
    server_.Give(room);
  }
  EXPECT_TRUE(server_->broken().ok()) << server_->broken();
}

TEST_F(SessionFloodTest, MessagesWithoutEnd) {
  const std::string begun = Http2Peer::Number(0, 1) + Http2Peer::Number(4 << 20);
  const Outcome outcome = Flood(1000, false, [&](std::size_t) {
    return Calls(1, [&](std::uint32_t stream) {
      return Frame(NGHTTP2_DATA, 0, stream, begun) +
             Repeat(Frame(NGHTTP2_DATA, 0, stream, std::string(164'000, 'x')), 4);
    });
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LT(outcome.most_held, 26 * kMiB);
}

TEST_F(SessionFloodTest, MessagesAnnouncedOnly) {
  const std::string begun = Http2Peer::Number(0, 1) + Http2Peer::Number(4 << 20);
  const Outcome outcome = Flood(100, true, [&](std::size_t) {
    return Calls(100, [&](std::uint32_t stream) { return Frame(NGHTTP2_DATA, 0, stream, begun); });
  });
  EXPECT_LT(outcome.most_held, 8 * kMiB) << "what is announced is not held";
}

TEST_F(SessionFloodTest, RepliesThatAreNotRead) {
  Answer(160'000);
  server_.Give(Greeting(Http2Peer::Number(4, 2) + Http2Peer::Number(0)));
  const Outcome outcome = Flood(100, true, [&](std::size_t) {
    return Calls(
        100, [](std::uint32_t stream) { return Frame(NGHTTP2_DATA, 1, stream, Message("hello")); });
  });
  EXPECT_LE(server_->streams(), Limits().streams);
  EXPECT_LT(outcome.most_held, 8 * kMiB);
}

TEST_F(SessionFloodTest, StreamsWithoutEnd) {
  const Outcome outcome =
      Flood(50, false, [&](std::size_t) { return Calls(500, [](std::uint32_t) { return ""; }); });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(server_.calls(), Limits().streams);
  EXPECT_LT(outcome.most_held, 8 * kMiB);
}

TEST_F(SessionFloodTest, CallsWhoseRepliesAreNotRead) {
  Answer(100);
  const Outcome outcome = Flood(50, false, [&](std::size_t) {
    return Calls(
        500, [](std::uint32_t stream) { return Frame(NGHTTP2_DATA, 1, stream, Message("hello")); });
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(server_.calls(), Limits().streams);
  EXPECT_LT(outcome.most_held, 8 * kMiB);
}

TEST_F(SessionFloodTest, CallsThatAreReadAreNoAttack) {
  Answer(100);
  const Outcome outcome = Flood(40, true, [&](std::size_t) {
    return Calls(500,
                 [](std::uint32_t stream) {
                   return Frame(NGHTTP2_DATA, 1, stream, Message("hello"));
                 }) +
           Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, Http2Peer::Number(60'000));
  });
  EXPECT_FALSE(outcome.broken) << server_->broken();
  EXPECT_EQ(server_.calls(), 20'000U);
  EXPECT_EQ(server_->streams(), 0U);
  EXPECT_LT(outcome.most_held, 4 * kMiB);
}

TEST_F(SessionFloodTest, EmptyMessagesByTheMillionHoldNothing) {
  std::size_t messages = 0;
  server_.on_call = [&](RecordingEnd& end) {
    end.on_message = [&] {
      ++messages;
      end.messages.clear();
    };
  };
  const std::string empty = Repeat(Message(""), 10'000);
  const Outcome outcome = Flood(100, true, [&](std::size_t i) {
    return (i == 0 ? CallHeaders(1) : "") + Frame(NGHTTP2_DATA, 0, 1, empty);
  });
  EXPECT_FALSE(outcome.broken) << server_->broken();
  EXPECT_EQ(messages, 1'000'000U);
  EXPECT_LT(outcome.most_held, kMiB);
}

TEST_F(SessionFloodTest, TrailersAgainAndAgain) {
  const Outcome outcome = Flood(1000, true, [&](std::size_t) {
    return Calls(20, [](std::uint32_t stream) {
      return Frame(NGHTTP2_HEADERS, 4, stream, Http2Peer::Literal("x", "y"));
    });
  });
  EXPECT_TRUE(outcome.broken);
  EXPECT_LE(outcome.writes, 6U);
}

TEST_F(SessionFloodTest, WholeOfMemoryGoesToNobody) {
  // A service may hold for its callers what it likes: it is charged to them.
  server_.on_call = [](RecordingEnd& end) { end.stream->Hold(kMiB); };
  const Outcome outcome =
      Flood(100, true, [&](std::size_t) { return Calls(1, [](std::uint32_t) { return ""; }); });
  EXPECT_TRUE(outcome.broken);
  EXPECT_EQ(server_.calls(), 24U);
}

}  // namespace
}  // namespace twofold::h2
