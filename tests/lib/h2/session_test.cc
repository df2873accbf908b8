// A caller's session against one that serves, in memory: what both sides see of calls.

#include "lib/h2/session.h"

#include <gmock/gmock.h>

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// Answers when the caller has sent its last message.
void EchoAll(RecordingEnd& end) {
  end.on_half_closed = [&end] {
    for (const std::string& message : end.messages) end.Send("echo " + message);
    end.stream->Finish(absl::OkStatus(), {{"trailer", "last"}});
  };
}

TEST(SessionTest, UnaryCallIsAnswered) {
  SessionPair pair;
  pair.server().on_call = EchoAll;
  const auto end = pair.Call({.path = "/test.Echo/Call", .metadata = {{"token", "secret"}}});
  end->Send("hello");
  end->stream->HalfClose();
  pair.Carry();
  EXPECT_THAT(end->messages, ElementsAre("echo hello"));
  ASSERT_TRUE(end->ended);
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  EXPECT_THAT(end->trailers_came, ElementsAre(Pair("trailer", "last")));
  EXPECT_TRUE(pair.server().end().ended->ok());
  EXPECT_EQ(pair.caller().streams(), 0U);
  EXPECT_EQ(pair.server()->streams(), 0U);
}

TEST(SessionTest, CallerThatPausesAndCancelsInAMessageHearsTheEnd) {
  SessionPair pair;
  pair.server().on_call = [](RecordingEnd& end) {
    end.Send("one");
    end.Send("two");
    end.stream->Finish(absl::OkStatus());
  };
  const auto end = pair.Call();
  end->stream->Pause();
  pair.Carry();  // the call is over, its messages wait to be read
  ASSERT_FALSE(end->ended);
  end->on_message = [&] {
    end->stream->Pause();
    end->stream->Cancel();
  };
  end->stream->Resume();
  EXPECT_THAT(end->messages, ElementsAre("one"));
  EXPECT_TRUE(end->ended);
  EXPECT_EQ(pair.caller().streams(), 0U);
}

TEST(SessionTest, ServerMayUpdateWindowsForEachOfThousandsOfSmallMessages) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  std::string updates;
  for (int i = 0; i < 10'000; ++i)
    updates += Frame(NGHTTP2_WINDOW_UPDATE, 0, 1, Http2Peer::Number(6));
  EXPECT_TRUE(pair.caller().Receive(updates, pair.server().now()).ok());
  EXPECT_FALSE(end->ended);
}

TEST(SessionTest, ServiceSeesPathAndMetadataAndDeadline) {
  SessionPair pair;
  std::string path;
  Metadata metadata;
  std::optional<Instant> deadline;
  pair.server().on_call = [&](RecordingEnd& end) {
    path = end.stream->path();
    metadata = end.stream->metadata();
    deadline = end.stream->deadline();
  };
  const Instant then = pair.server().now() + seconds(7);
  const auto end =
      pair.Call({.path = "/test.Echo/Call",
                 .metadata = {{"name", "value"}, {"bytes-bin", std::string("\0\xff", 2)}},
                 .deadline = then});
  pair.Carry();
  EXPECT_EQ(path, "/test.Echo/Call");
  EXPECT_THAT(metadata,
              ElementsAre(Pair("name", "value"), Pair("bytes-bin", std::string("\0\xff", 2))));
  EXPECT_EQ(deadline, then);
}

TEST(SessionTest, MessagesGoBothWaysWhileTheCallIsOpen) {
  SessionPair pair;
  const auto end = pair.Call();
  end->Send("one");
  pair.Carry();
  pair.server().end().Send("first");
  pair.Carry();
  end->Send("two");
  pair.server().end().Send("second");
  pair.Carry();
  EXPECT_THAT(pair.server().end().messages, ElementsAre("one", "two"));
  EXPECT_THAT(end->messages, ElementsAre("first", "second"));
  EXPECT_FALSE(end->ended);
}

TEST(SessionTest, WhatATurnMadeReadyGoesOutTogether) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  const int pulls = end->pulls;
  for (int i = 0; i < 100; ++i) end->Send(std::to_string(i));
  EXPECT_EQ(end->pulls, pulls) << "streams are pulled when output is collected";
  Outgoing out;
  pair.caller().Collect(out, pair.server().now());
  EXPECT_TRUE(end->to_send.empty());
  EXPECT_LT(out.bytes.size(), 100 * (kMessageHead + 2) + 20) << "one frame";
}

// A relay reads on when it hears that a message has left, and has the next one within that Pull.
TEST(SessionTest, WhatIsSaidWithinAPullThatAddsNothingGoesOut) {
  SessionPair pair;
  const auto end = pair.Call();
  end->Send("one");
  pair.Carry();
  RecordingEnd& server = pair.server().end();
  server.on_pull = [&] { server.Send("at last"); };
  server.stream->WantPull();
  pair.Carry();
  EXPECT_THAT(end->messages, ElementsAre("at last"));
}

TEST(SessionTest, StatusGoesAloneIfThereIsNoMessage) {
  SessionPair pair;
  pair.server().on_call = [](RecordingEnd& end) {
    end.stream->Finish(absl::NotFoundError("no 100 % \xc3\xa4\n"), {{"why-bin", "\x01"}});
  };
  const auto end = pair.Call();
  pair.Carry();
  ASSERT_TRUE(end->ended);
  EXPECT_EQ(end->ended->code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(end->ended->message(), "no 100 % \xc3\xa4\n");
  EXPECT_THAT(end->trailers_came, ElementsAre(Pair("why-bin", "\x01")));
  EXPECT_EQ(pair.server()->streams(), 0U) << "the stream is not kept for the rest of the request";
}

TEST(SessionTest, RefusedCallHasTheStatusOfTheRefusal) {
  SessionPair pair;
  pair.server().serve = [](Stream&) { return absl::UnauthenticatedError("no token"); };
  const auto end = pair.Call();
  end->Send("hello");
  pair.Carry();
  ASSERT_TRUE(end->ended);
  EXPECT_EQ(*end->ended, absl::UnauthenticatedError("no token"));
}

TEST(SessionTest, StatusOvertakesWhatTheCallerStillSends) {
  Limits small;
  small.stream_window = 100;
  SessionPair pair({}, small);
  pair.server().on_call = [](RecordingEnd& end) { end.stream->Pause(); };
  const auto end = pair.Call();
  end->Send(std::string(10'000, 'x'));
  pair.Carry();
  pair.server().end().stream->Finish(absl::AbortedError("enough"));
  pair.Carry();
  ASSERT_TRUE(end->ended);
  EXPECT_EQ(*end->ended, absl::AbortedError("enough"));
  EXPECT_TRUE(pair.server().end().ended->ok());
  EXPECT_EQ(pair.caller().streams(), 0U);
}

TEST(SessionTest, CallerThatCancelsIsSeenByTheService) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  end->stream->Cancel();
  pair.Carry();
  EXPECT_TRUE(absl::IsCancelled(*end->ended));
  EXPECT_TRUE(absl::IsCancelled(*pair.server().end().ended));
}

TEST(SessionTest, CallCancelledBeforeItLeftEndsAndIsNotSeen) {
  SessionPair pair;
  const auto end = pair.Call();
  end->stream->Cancel(absl::AbortedError("not any more"));
  pair.Carry();
  EXPECT_EQ(*end->ended, absl::AbortedError("not any more"));
  EXPECT_EQ(pair.server().calls(), 0U);
}

TEST(SessionTest, ServiceThatCancelsIsSeenByTheCaller) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  pair.server().end().stream->Cancel(absl::DataLossError("mine"));
  pair.Carry();
  EXPECT_TRUE(absl::IsCancelled(*end->ended));
  EXPECT_TRUE(absl::IsDataLoss(*pair.server().end().ended));
}

TEST(SessionTest, DeadlineEndsTheCallOnBothSides) {
  SessionPair pair;
  const auto end = pair.Call({.path = "/x/y", .deadline = pair.server().now() + seconds(2)});
  pair.Carry();
  pair.Pass(milliseconds(1999));
  pair.Carry();
  EXPECT_FALSE(end->ended);
  pair.Pass(milliseconds(1));
  pair.Carry();
  EXPECT_TRUE(absl::IsDeadlineExceeded(*end->ended));
  EXPECT_TRUE(absl::IsDeadlineExceeded(*pair.server().end().ended));
}

TEST(SessionTest, CallThatWaitsForRoomEndsWhenItIsDueOrTakenBack) {
  Limits one;
  one.streams = 1;
  SessionPair pair({}, one);
  pair.Carry();  // the caller knows of the limit
  const auto first = pair.Call();
  const auto due = pair.Call({.path = "/x/y", .deadline = pair.server().now() + seconds(2)});
  const auto taken_back = pair.Call();
  pair.Carry();
  EXPECT_EQ(pair.server().calls(), 1U);
  taken_back->stream->Cancel();
  pair.Pass(seconds(2));
  pair.Carry();
  ASSERT_TRUE(due->ended);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*due->ended)) << *due->ended;
  ASSERT_TRUE(taken_back->ended);
  EXPECT_TRUE(absl::IsCancelled(*taken_back->ended)) << *taken_back->ended;
  EXPECT_FALSE(first->ended);
  const auto next = pair.Call();
  first->stream->Cancel();
  pair.Carry();
  EXPECT_EQ(pair.server().calls(), 2U) << "what has ended takes no room";
  EXPECT_FALSE(next->ended);
}

TEST(SessionTest, MessageTooLargeForThePeerIsNotSent) {
  Limits small;
  small.message_bytes = 1000;
  SessionPair pair(small, small);
  const auto end = pair.Call();
  end->Send(std::string(1001, 'x'));
  pair.Carry();
  EXPECT_TRUE(absl::IsResourceExhausted(*end->ended)) << *end->ended;

  pair.server().on_call = [](RecordingEnd& served) {
    served.Send(std::string(1000, 'x'));
    served.Send(std::string(1001, 'x'));
    served.stream->Finish(absl::OkStatus());
  };
  const auto second = pair.Call();
  pair.Carry();
  EXPECT_TRUE(absl::IsResourceExhausted(*second->ended)) << *second->ended;
  EXPECT_THAT(second->messages, ElementsAre(std::string(1000, 'x')));
}

TEST(SessionTest, MessageTooLargeForUsEndsTheCall) {
  Limits small;
  small.message_bytes = 1000;
  {
    SessionPair pair({}, small);
    const auto end = pair.Call();
    end->Send(std::string(1001, 'x'));
    pair.Carry();
    EXPECT_TRUE(absl::IsResourceExhausted(*end->ended)) << *end->ended;
    EXPECT_TRUE(absl::IsResourceExhausted(*pair.server().end().ended));
  }
  SessionPair pair(small, {});
  const auto end = pair.Call();
  pair.Carry();
  pair.server().end().Send(std::string(1001, 'x'));
  pair.Carry();
  EXPECT_TRUE(absl::IsResourceExhausted(*end->ended)) << *end->ended;
  EXPECT_TRUE(absl::IsCancelled(*pair.server().end().ended));
}

TEST(SessionTest, PausedEndGetsMessagesWhenItResumes) {
  SessionPair pair;
  pair.server().on_call = [](RecordingEnd& end) {
    end.on_message = [&end] { end.stream->Pause(); };
  };
  const auto end = pair.Call();
  for (const char* message : {"one", "two", "three"}) end->Send(message);
  end->stream->HalfClose();
  pair.Carry();
  RecordingEnd& served = pair.server().end();
  EXPECT_THAT(served.messages, ElementsAre("one"));
  served.stream->Resume();
  EXPECT_THAT(served.messages, ElementsAre("one", "two"));
  EXPECT_FALSE(served.half_closed) << "what waits comes first";
  served.stream->Resume();
  served.stream->Resume();
  EXPECT_THAT(served.messages, ElementsAre("one", "two", "three"));
  EXPECT_TRUE(served.half_closed);
}

TEST(SessionTest, CallerReadsWhatCameBeforeTheStatus) {
  SessionPair pair;
  pair.server().on_call = [](RecordingEnd& end) {
    for (const char* message : {"one", "two"}) end.Send(message);
    end.stream->Finish(absl::OkStatus());
  };
  const auto end = pair.Call();
  end->on_message = [&end] { end->stream->Pause(); };
  end->stream->HalfClose();
  pair.Carry();
  EXPECT_THAT(end->messages, ElementsAre("one"));
  EXPECT_FALSE(end->ended);
  end->stream->Resume();
  EXPECT_THAT(end->messages, ElementsAre("one", "two"));
  EXPECT_FALSE(end->ended) << "it has not asked for the end";
  end->stream->Resume();
  ASSERT_TRUE(end->ended);
  EXPECT_TRUE(end->ended->ok());
}

TEST(SessionTest, ManyCallsShareAConnection) {
  SessionPair pair;
  pair.server().on_call = EchoAll;
  std::vector<std::shared_ptr<RecordingEnd>> ends;
  for (int i = 0; i < 3000; ++i) {  // more than are let in at once
    ends.push_back(pair.Call());
    ends.back()->Send(std::to_string(i));
    ends.back()->stream->HalfClose();
  }
  pair.Carry();
  int answered = 0;
  for (const auto& end : ends) answered += end->ended && end->ended->ok() ? 1 : 0;
  // Those that left before the server's limit was known may be refused, to be tried again.
  for (const auto& end : ends) {
    ASSERT_TRUE(end->ended);
    EXPECT_TRUE(end->ended->ok() || absl::IsUnavailable(*end->ended)) << *end->ended;
  }
  EXPECT_GE(answered, 1024);
}

TEST(SessionTest, ConnectionThatIsGoneEndsEachCall) {
  SessionPair pair;
  const auto end = pair.Call();
  pair.Carry();
  const std::shared_ptr<RecordingEnd> waiting = pair.Call();
  pair.caller().Close("connection refused");
  pair.server()->Close("gone");
  EXPECT_EQ(*end->ended, absl::UnavailableError("connection refused"));
  EXPECT_EQ(*waiting->ended, absl::UnavailableError("connection refused"));
  EXPECT_TRUE(absl::IsCancelled(*pair.server().end().ended));
}

TEST(SessionTest, BigMessagesPassBothWays) {
  SessionPair pair;
  pair.server().on_call = EchoAll;
  const auto end = pair.Call();
  const std::string big((4 << 20) - 100, 'b');
  for (int i = 0; i < 5; ++i) end->Send(big);
  end->stream->HalfClose();
  pair.Carry();
  ASSERT_TRUE(end->ended);
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  ASSERT_EQ(end->messages.size(), 5U);
  EXPECT_EQ(end->messages[4], "echo " + big);
}

TEST(SessionTest, RestingConnectionHoldsLittle) {
  SessionPair pair;
  const auto end = pair.Call();
  end->Send(std::string(1 << 20, 'x'));
  pair.Carry();
  pair.server().end().Send(std::string(1 << 20, 'x'));
  pair.Carry();
  EXPECT_LT(pair.server().held(), 65'000U);
  EXPECT_LT(pair.caller_held(), 65'000U);
}

}  // namespace
}  // namespace twofold::h2
