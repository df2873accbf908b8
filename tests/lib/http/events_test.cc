#include "lib/http/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/http/router.h"
#include "lib/http/server.h"
#include "tests/lib/http/peer.h"

namespace twofold::http {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kAskEvents = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

/// Each reader gets the number when it has changed, followed by so much padding.
struct Number {
  std::atomic<int> now = 1;
  std::atomic<int> taken = 0;  ///< the last that a reader was given
  std::size_t padding = 0;
};

class NumberSource final : public EventSource {
 public:
  explicit NumberSource(Number& number) : number_(number) {}

  std::vector<EventBytes> Next(Instant) override {
    const int now = number_.now;
    if (now == std::exchange(seen_, now)) return {};
    number_.taken = now;
    if (now < 0) throw std::runtime_error("oops");
    return {std::make_shared<const std::string>("data: " + std::to_string(now) + "\n\n" +
                                                std::string(number_.padding, '.'))};
  }

 private:
  Number& number_;
  int seen_ = 0;
};

/// GET / says "hello", GET /events streams the number.
std::unique_ptr<Server> Serve(Number& number, ServerOptions options = {}) {
  options.event_period = milliseconds(1);
  const auto handler = [&number](const Request& request) {
    if (request.path == "/") return PlainText(200, "hello");
    return Events(std::make_shared<NumberSource>(number));
  };
  return Server::Start({"127.0.0.1", 0}, handler, options).value();
}

Peer Reader(const Server& server) {
  Peer peer(server.port());
  peer.Send(kAskEvents);
  return peer;
}

bool Soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 10'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

TEST(Events, AStreamSaysWhatItIsAndHasNoLength) {
  Number number;
  const auto server = Serve(number);
  Peer peer = Reader(*server);
  const std::string head = peer.ReadHead();
  EXPECT_EQ(StatusOf(head), 200);
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(head, HasSubstr("X-Accel-Buffering: no\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
}

TEST(Events, AReaderGetsWhatThereIsAndThenWhatChanges) {
  Number number;
  const auto server = Serve(number);
  Peer peer = Reader(*server);
  peer.ReadHead();
  for (int i = 1; i <= 3; ++i) {
    number.now = i;
    EXPECT_EQ(peer.ReadUntil("\n\n"), "data: " + std::to_string(i) + "\n\n");
  }
}

TEST(Events, ASlowReaderSkipsToTheNewest) {
  Number number;
  number.padding = 32 << 20;  // more than the kernel holds
  const auto server = Serve(number);
  Peer peer = Reader(*server);
  ASSERT_TRUE(Soon([&] { return number.taken == 1; }));
  for (int i = 2; i <= 100; ++i) number.now = i;
  EXPECT_THAT(peer.ReadUntil("data: 1\n\n"), Not(IsEmpty()));
  const std::string then = peer.ReadUntil("data: 100\n\n");
  EXPECT_EQ(then.find("data:"), then.size() - std::string_view("data: 100\n\n").size());
  EXPECT_EQ(number.taken, 100);
}

TEST(Events, AReaderThatTakesNothingIsCutOff) {
  Number number;
  number.padding = 32 << 20;
  const auto server = Serve(number, {.send_timeout = milliseconds(50)});
  Peer peer = Reader(*server);
  ASSERT_TRUE(Soon([&] { return number.taken == 1; }));
  std::this_thread::sleep_for(milliseconds(200));  // it is the peer that has to be slow
  peer.ReadAll();
  EXPECT_TRUE(peer.closed());
}

TEST(Events, AHundredReadersGetTheSameBytesAndProbesAreServed) {
  Number number;
  const auto server = Serve(number, {.max_streams = 100});
  std::vector<Peer> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(Reader(*server));
  for (int round = 1; round <= 3; ++round) {
    number.now = round;
    for (Peer& reader : readers) {
      EXPECT_THAT(reader.ReadUntil("\n\n"), Not(IsEmpty()));
    }
    EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.0\r\n\r\n")), 200);
  }
}

TEST(Events, OneStreamTooManyIsToldToComeLaterUntilAnotherLeaves) {
  Number number;
  const auto server = Serve(number, {.max_streams = 2});
  Peer first = Reader(*server);
  first.ReadHead();
  {
    Peer second = Reader(*server);
    second.ReadHead();
    Peer third = Reader(*server);
    const std::string refused = third.ReadResponse();
    EXPECT_EQ(StatusOf(refused), 503);
    EXPECT_THAT(refused, HasSubstr("Retry-After"));
    third.Send(kGet);  // the connection is as good as before
    EXPECT_EQ(StatusOf(third.ReadResponse()), 200);
  }
  EXPECT_TRUE(Soon([&] { return StatusOf(Reader(*server).ReadHead()) == 200; }));
}

TEST(Events, AnErrorOfAnApiIsJsonWhoeverRefuses) {
  Number number;
  const auto stream = [&](const Request&) {
    return Events(std::make_shared<NumberSource>(number));
  };
  const auto server = Server::Start({"127.0.0.1", 0}, Router({{"GET", "/api/v1/stream", stream}}),
                                    {.max_body = 10, .max_streams = 0})
                          .value();
  const std::pair<const char*, const char*> cases[] = {
      {"GET /api/v1/nothing HTTP/1.0\r\n\r\n", R"({"error":"nothing at /api/v1/nothing"})"},
      {"POST /api/v1/a HTTP/1.0\r\nContent-Length: 11\r\n\r\n", R"({"error":"body is too long"})"},
      {"GET /api/v1/stream HTTP/1.0\r\n\r\n",
       R"({"error":"too many streams of events are open, try again later"})"}};
  for (const auto& [request, json] : cases) {
    const std::string answer = Ask(server->port(), request);
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(answer, EndsWith(std::string("\r\n\r\n") + json + "\n"));
  }
  EXPECT_THAT(Ask(server->port(), "GET /nothing HTTP/1.0\r\n\r\n"),
              EndsWith("\r\n\r\nnothing at /nothing\n"));
}

TEST(Events, AQuietStreamHasAHeartbeat) {
  Number number;
  const auto server = Serve(number, {.heartbeat = milliseconds(1)});
  Peer peer = Reader(*server);
  peer.ReadUntil("data: 1\n\n");
  EXPECT_EQ(peer.ReadUntil("\n\n"), ":\n\n");
  EXPECT_EQ(peer.ReadUntil("\n\n"), ":\n\n");
}

TEST(Events, StopEndsStreamsAtOnce) {
  Number number;
  const auto server =
      Serve(number, {.heartbeat = std::chrono::hours(1), .stop_grace = std::chrono::minutes(5)});
  Peer peer = Reader(*server);
  peer.ReadUntil("data: 1\n\n");
  const Instant begun = Now();
  server->Stop();
  EXPECT_LT(Now() - begun, std::chrono::seconds(30));
  peer.ReadAll();
  EXPECT_TRUE(peer.closed());
}

TEST(Events, StopEndsAStreamWhoseReaderIsSlow) {
  Number number;
  number.padding = 32 << 20;
  const auto server = Serve(
      number, {.send_timeout = std::chrono::minutes(5), .stop_grace = std::chrono::minutes(5)});
  Peer peer = Reader(*server);
  ASSERT_TRUE(Soon([&] { return number.taken == 1; }));
  const Instant begun = Now();
  server->Stop();
  EXPECT_LT(Now() - begun, std::chrono::seconds(30));
}

TEST(Events, ASourceThatThrowsEndsItsStreamOnly) {
  Number number;
  const auto server = Serve(number);
  Peer peer = Reader(*server);
  peer.ReadUntil("data: 1\n\n");
  number.now = -1;
  EXPECT_THAT(peer.ReadAll(), Not(HasSubstr("oops")));
  EXPECT_TRUE(peer.closed());
  number.now = 2;
  EXPECT_THAT(Reader(*server).ReadUntil("data: 2\n\n"), Not(IsEmpty()));
}

TEST(Events, HeadIsTheHeadAlone) {
  Number number;
  const auto server = Serve(number);
  Peer peer(server->port());
  peer.Send("HEAD /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(peer.ReadAll(), testing::EndsWith("\r\n\r\n"));
  EXPECT_EQ(number.taken, 0);
}

// ---- topics

constexpr Instant kStart{std::chrono::hours(1)};

struct Made {
  int times = 0;
  std::string data = "{}";

  std::shared_ptr<Topic> Make(Topic::Run run = {}) {
    const auto make = [this](Instant) {
      ++times;
      return std::optional(data);
    };
    return std::make_shared<Topic>("thing", make, std::move(run));
  }
};

std::string TextOf(const Topic::Event& event) { return event.bytes ? *event.bytes : ""; }

TEST(Topic, IsMadeOnceForAllReaders) {
  Made made;
  const auto topic = made.Make();
  const Topic::Event first = topic->Look(kStart);
  EXPECT_EQ(*first.bytes, "event: thing\ndata: {}\n\n");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(topic->Look(kStart + milliseconds(i)).bytes, first.bytes);
  }
  EXPECT_EQ(made.times, 1);
}

TEST(Topic, IsMadeTwiceASecondWhoeverReads) {
  Made made;
  const auto topic = made.Make();
  for (int i = 0; i < 1000; ++i) topic->Look(kStart + milliseconds(i));
  EXPECT_LE(made.times, 3);
  EXPECT_GE(made.times, 2);
}

TEST(Topic, TheSameDataIsNoNewEvent) {
  Made made;
  const auto topic = made.Make();
  const Topic::Event first = topic->Look(kStart);
  EXPECT_EQ(topic->Look(kStart + kEventPeriod).version, first.version);
  made.data = "[]";
  const Topic::Event second = topic->Look(kStart + 2 * kEventPeriod);
  EXPECT_EQ(second.version, first.version + 1);
  EXPECT_THAT(TextOf(second), HasSubstr("[]"));
}

TEST(Topic, ThatIsMadeElsewhereIsNotAskedForAgainMeanwhile) {
  Made made;
  std::vector<std::function<void()>> tasks;
  const auto topic = made.Make([&](std::function<void()> task) {
    tasks.push_back(std::move(task));
    return true;
  });
  EXPECT_EQ(topic->Look(kStart).version, 0U);
  EXPECT_EQ(topic->Look(kStart + std::chrono::hours(1)).version, 0U);
  ASSERT_EQ(tasks.size(), 1U);
  tasks.front()();
  EXPECT_EQ(topic->Look(kStart).version, 1U);
}

TEST(Topic, ThatFoundNoRoomIsTriedAgain) {
  Made made;
  bool has_room = false;
  const auto topic = made.Make([&](const std::function<void()>& task) {
    if (has_room) task();
    return has_room;
  });
  EXPECT_EQ(topic->Look(kStart).version, 0U);
  has_room = true;
  EXPECT_EQ(topic->Look(kStart + kEventPeriod).version, 1U);
}

TEST(Topic, ThatFailsKeepsItsLastEvent) {
  bool fails = false;
  const auto topic = std::make_shared<Topic>("thing", [&](Instant) -> std::optional<std::string> {
    if (fails) throw std::runtime_error("oops");
    return "{}";
  });
  const Topic::Event first = topic->Look(kStart);
  fails = true;
  EXPECT_EQ(topic->Look(kStart + kEventPeriod).bytes, first.bytes);
}

TEST(Topic, OfWhichNothingHasChangedSaysNothing) {
  const auto topic =
      std::make_shared<Topic>("thing", [](Instant) { return std::optional<std::string>(); });
  EXPECT_EQ(topic->Look(kStart).version, 0U);
  EXPECT_THAT(Events({topic}).events->Next(kStart), IsEmpty());
}

TEST(Topic, EachReaderGetsTheNewestOfEach) {
  Made made;
  const auto topic = made.Make();
  const auto early = Events({topic}).events;
  EXPECT_EQ(early->Next(kStart).size(), 1U);
  EXPECT_THAT(early->Next(kStart), IsEmpty());
  const auto late = Events({topic}).events;
  EXPECT_EQ(late->Next(kStart).size(), 1U);
}

}  // namespace
}  // namespace twofold::http
