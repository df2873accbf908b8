// A server and callers on one loop, over loopback.

#include "lib/h2/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "lib/h2/client.h"
#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/loopback.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;

/// Sends each message back; ends when the caller does. Whoever sends one is of use.
class EchoEnd final : public End {
 public:
  explicit EchoEnd(Stream& stream) : stream_(stream) {}

 private:
  void OnMessage(std::string_view bytes) override {
    waiting_.emplace_back(bytes);
    stream_.SetOfUse();
    stream_.WantPull();
  }
  void OnHalfClosed() override { stream_.Finish(absl::OkStatus()); }
  void Pull(MessageWriter& out) override {
    for (const std::string& message : std::exchange(waiting_, {})) out.Add(message);
  }
  void OnEnd(const Status&, const Metadata&) override {}

  Stream& stream_;
  std::vector<std::string> waiting_;
};

Result<std::shared_ptr<End>> Echo(Stream& stream) {
  return std::shared_ptr<End>(std::make_shared<EchoEnd>(stream));
}

/// A peer that does what a test says, with a socket that blocks.
class BlockingPeer {
 public:
  /// Connects from `host`, an address of loopback.
  explicit BlockingPeer(std::uint16_t port, const char* host = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, host, &address.sin_addr), 1);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  void Send(std::string_view bytes) const {
    send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  [[nodiscard]] bool IsClosed() const {
    char byte = 0;
    const ssize_t got = recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  void Drop() { socket_ = Descriptor(); }

 private:
  Descriptor socket_;
};

class H2ServerTest : public ::testing::Test {
 protected:
  void Serve(const ServerLimits& limits = {}, const Session::Serve& serve = Echo,
             const Budgets& budgets = {}) {
    Loopback listener;
    port_ = listener.port;
    std::vector<Descriptor> listeners;
    listeners.push_back(std::move(listener.socket));
    ledger_ = std::make_unique<Ledger>(budgets);
    Server::Options options{.limits = limits,
                            .ledger = *ledger_,
                            .serve = [serve](Stream& stream, auto&) { return serve(stream); }};
    const auto note = [this](const std::string&, const Closing& closing) {
      causes_.push_back(closing.cause);
      frames_ = closing.frames;
    };
    options.keeps_frames = [this] { return keeps_frames_; };
    options.on_turned_away = note;
    options.on_broken_off = note;
    server_ = std::make_unique<Server>(loop_, std::move(listeners), std::move(options));
  }

  Client& Connect(const Limits& limits = {}) {
    auto client = std::make_unique<Client>(
        loop_,
        Client::Options{.limits = limits,
                        .on_news = [this](PeerNews news) { drains_ |= news == PeerNews::kDrains; },
                        .on_closed = [this](std::string_view why) { closed_.emplace_back(why); }});
    EXPECT_TRUE(client->Connect(ConnectingTo(port_), "server").ok());
    return *clients_.emplace_back(std::move(client));
  }

  static std::shared_ptr<RecordingEnd> Call(Client& client, const std::string& message) {
    auto end = std::make_shared<RecordingEnd>();
    const auto stream = client.Call({.path = "/test.Echo/Call"}, end);
    EXPECT_TRUE(stream.ok()) << stream.status();
    if (!stream.ok()) return end;
    end->stream = *stream;
    end->Send(message);
    return end;
  }

  /// A call of a new connection that has been answered, and goes on.
  std::shared_ptr<RecordingEnd> CallAnswered() {
    const auto end = Call(Connect(), "hello");
    EXPECT_TRUE(TurnUntil(loop_, [&] { return !end->messages.empty() || end->ended; }));
    EXPECT_FALSE(end->ended);
    return end;
  }

  std::vector<Cause> causes_;  // of the connections that were turned away or broken off
  std::string frames_;         // of the last one
  bool keeps_frames_ = false;
  Loop loop_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::string> closed_;
  bool drains_ = false;  // some server told a client so
};

TEST_F(H2ServerTest, CallsBegunBeforeTheConnectionIsThereAreAnswered) {
  Serve();
  const auto end = Call(Connect(), "hello");
  end->stream->HalfClose();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return end->ended.has_value(); }));
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  EXPECT_THAT(end->messages, ElementsAre("hello"));
  EXPECT_EQ(server_->counts().accepted, 1U);
}

TEST_F(H2ServerTest, OldConnectionTakesNoMoreCallsAndEndsThoseThatGoOn) {
  ServerLimits limits;
  limits.connection.age = milliseconds(20);
  limits.connection.age_patience = milliseconds(20);
  Serve(limits);
  Client& client = Connect();
  const auto stays = Call(client, "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return drains_; }));
  EXPECT_FALSE(stays->ended.has_value());
  EXPECT_FALSE(client.Call({.path = "/test.Echo/Call"}, std::make_shared<RecordingEnd>()).ok());
  ASSERT_TRUE(TurnUntil(loop_, [&] { return stays->ended.has_value(); }));
  EXPECT_TRUE(absl::IsUnavailable(*stays->ended)) << *stays->ended;
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_THAT(causes_, ElementsAre(Cause::kTooOld));
  EXPECT_EQ(server_->counts().broken_off, 1U);
}

TEST_F(H2ServerTest, OldConnectionWhoseCallsEndInTimeEndsInOrder) {
  ServerLimits limits;
  limits.connection.age = milliseconds(20);
  Serve(limits);
  const auto end = Call(Connect(), "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return drains_; }));
  end->stream->HalfClose();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 0; }));
  EXPECT_THAT(causes_, Each(Cause::kInOrder));
  EXPECT_EQ(server_->counts().broken_off, 0U);
}

TEST(SpreadAgeTest, AgesAreATenthMoreOrLessAndNotAlike) {
  constexpr Duration kAge = seconds(1000);
  std::minstd_rand random;
  std::vector<Duration> ages(1000);
  for (Duration& each : ages) each = SpreadAge(kAge, random);
  const auto [least, most] = std::minmax_element(ages.begin(), ages.end());
  EXPECT_GE(*least, kAge * 9 / 10);
  EXPECT_LT(*least, kAge * 92 / 100);
  EXPECT_LE(*most, kAge * 11 / 10);
  EXPECT_GT(*most, kAge * 108 / 100);
  EXPECT_EQ(SpreadAge(Duration::zero(), random), Duration::zero()) << "for ever";
}

TEST_F(H2ServerTest, MegabytesPassThroughSlowSockets) {
  constexpr std::size_t kAll = 32 << 20;  // of a caller that sends all before it reads, too
  Serve({}, Echo, {.connection = kAll, .host = kAll, .all = kAll});
  const auto end = Call(Connect(), std::string(4 << 20, 'x'));
  for (int i = 0; i < 3; ++i) end->Send(std::string(4 << 20, 'y'));
  end->stream->HalfClose();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return end->ended.has_value(); }));
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  EXPECT_EQ(end->messages.size(), 4U);
}

TEST_F(H2ServerTest, ManyConnectionsAreServedAtOnce) {
  Serve();
  std::vector<std::shared_ptr<RecordingEnd>> ends;
  for (int i = 0; i < 200; ++i) ends.push_back(Call(Connect(), std::to_string(i)));
  ASSERT_TRUE(TurnUntil(loop_, [&] {
    return std::all_of(ends.begin(), ends.end(),
                       [](const auto& end) { return !end->messages.empty(); });
  }));
  EXPECT_EQ(server_->connections(), 200U);
  clients_.clear();
  EXPECT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 0; }));
  EXPECT_EQ(ledger_->held(), 0U);
}

TEST_F(H2ServerTest, NobodyListensIsToldInWords) {
  Serve();
  server_.reset();
  const auto end = Call(Connect(), "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return end->ended.has_value(); }));
  EXPECT_EQ(*end->ended, absl::UnavailableError("Connection refused"));
  EXPECT_THAT(closed_, ElementsAre("Connection refused"));
}

TEST_F(H2ServerTest, ClientMayConnectAgain) {
  Serve();
  Client& client = Connect();
  const auto first = Call(client, "one");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !first->messages.empty(); }));
  const std::uint16_t port = port_;
  server_.reset();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return first->ended.has_value(); }));
  EXPECT_TRUE(absl::IsUnavailable(*first->ended));
  EXPECT_TRUE(absl::IsUnavailable(client.Call({.path = "/x/y"}, first).status()));
  Serve();
  EXPECT_NE(port_, 0);
  ASSERT_TRUE(client.Connect(ConnectingTo(port_), "server").ok());
  const auto second = Call(client, "two");
  EXPECT_TRUE(TurnUntil(loop_, [&] { return !second->messages.empty(); })) << port;
}

TEST_F(H2ServerTest, ConnectionsBeyondALimitAreClosedAtOnce) {
  ServerLimits limits;
  limits.of_host = 2;
  Serve(limits);
  const auto one = CallAnswered();
  const auto two = CallAnswered();
  const BlockingPeer three(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return three.IsClosed(); }));
  EXPECT_FALSE(one->ended);
  EXPECT_FALSE(two->ended);
  EXPECT_EQ(server_->counts().turned_away, 1U);
  EXPECT_THAT(causes_, ElementsAre(Cause::kTooMany));
  clients_.pop_back();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 1; }));
  const BlockingPeer four(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 2; }));
  EXPECT_FALSE(four.IsClosed());
}

TEST_F(H2ServerTest, AHostThatSaysNothingKeepsNeitherAnotherOutNorItself) {
  ServerLimits limits;
  limits.connections = 10;
  limits.of_host = 8;
  Serve(limits);
  const auto before = CallAnswered();
  std::vector<std::unique_ptr<BlockingPeer>> silent;
  const auto fill = [&](const char* host) {
    for (int i = 0; i < 30; ++i) silent.push_back(std::make_unique<BlockingPeer>(port_, host));
    ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().accepted > silent.size(); }));
  };
  fill("127.0.0.2");
  const auto of_another = CallAnswered();
  fill("127.0.0.1");
  const auto of_itself = CallAnswered();
  for (const auto& works : {before, of_another, of_itself}) EXPECT_FALSE(works->ended);
  for (int i = 0; i < 3; ++i) loop_.Turn(milliseconds(0));
  EXPECT_LE(server_->connections(), limits.connections);
  EXPECT_EQ(server_->counts().turned_away, 0U);
  EXPECT_THAT(causes_, Each(Cause::kMadeRoom));
}

TEST_F(H2ServerTest, WithoutDescriptorsOneThatSaysNothingMakesRoom) {
  Serve();
  const BlockingPeer silent(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 1; }));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int reserve = dup(0);  // the new peer's own end gets this number
  ASSERT_GE(reserve, 0);
  const rlimit few{static_cast<rlim_t>(reserve) + 1, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  close(reserve);
  const BlockingPeer late(port_);
  const bool taken = TurnUntil(loop_, [&] { return server_->counts().accepted == 2; });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(taken);
  EXPECT_THAT(causes_, ElementsAre(Cause::kMadeRoom));
  EXPECT_EQ(server_->trouble(), 0);
}

/// Sends 64 MiB to whoever calls.
Result<std::shared_ptr<End>> Pour(Stream& stream) {
  auto end = std::make_shared<RecordingEnd>();
  end->stream = &stream;
  for (int i = 0; i < 64; ++i) end->Send(std::string(1 << 20, 'x'));
  return std::shared_ptr<End>(std::move(end));
}

/// A call whose windows take all that may come.
std::string CallThatTakesAll() {
  const std::string room = Http2Peer::Number(0x7fff0000 - 65'535);
  return Greeting(Http2Peer::Number(4, 2) + Http2Peer::Number(0x7fff0000)) +
         Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, room) + CallHeaders(1);
}

TEST_F(H2ServerTest, PeerThatReadsNothingHoldsABoundedAmount) {
  Serve({}, Pour);
  const BlockingPeer peer(port_);
  peer.Send(CallThatTakesAll());
  ASSERT_TRUE(TurnUntil(loop_, [&] { return ledger_->held() > 300'000; }));
  for (int i = 0; i < 20; ++i) loop_.Turn(milliseconds(1));
  // What was pulled for one write, and what the socket did not take of another; not all.
  EXPECT_LT(ledger_->held(), std::size_t{6} << 20);
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(H2ServerTest, PeerThatReadsNothingForLongIsLeft) {
  ServerLimits limits;
  limits.connection.unread = milliseconds(20);
  Serve(limits, Pour);
  const BlockingPeer peer(port_);
  peer.Send(CallThatTakesAll());
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
  EXPECT_EQ(ledger_->held(), 0U);
  EXPECT_THAT(causes_, ElementsAre(Cause::kUnread));
}

TEST_F(H2ServerTest, PeerWhoseCallsTakeLongIsServedInPieces) {
  constexpr std::uint32_t kCalls = 500;
  std::uint32_t slow = 0;
  Serve({}, [&slow](Stream& stream) {
    if (stream.path() == "/x/y") {
      ++slow;
      for (const Instant end = Now() + milliseconds(1); Now() < end;) continue;
    }
    return Echo(stream);
  });
  const BlockingPeer peer(port_);
  std::string calls = Greeting();
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    calls +=
        Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1 + 2 * i, Http2Peer::Request("/x/y"));
  }
  peer.Send(calls);
  const auto other = Call(Connect(), "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !other->messages.empty(); }));
  EXPECT_GT(slow, 0U);
  EXPECT_LT(slow, kCalls) << "the other one had to wait for all of them";
}

TEST_F(H2ServerTest, LargestHolderEndsWhenMemoryIsShort) {
  const auto serve = [](Stream& stream) -> Result<std::shared_ptr<End>> {
    const auto bytes = std::stoul(*Find(stream.metadata(), "hold"));
    stream.Hold(bytes);
    return Echo(stream);
  };
  Serve({}, serve, {.connection = 4 << 20, .host = 4 << 20, .all = 4 << 20});
  const auto hold = [&](const char* bytes) {
    const auto end = std::make_shared<RecordingEnd>();
    EXPECT_TRUE(Connect().Call({.path = "/x/y", .metadata = {{"hold", bytes}}}, end).ok());
    return end;
  };
  const auto small = hold("1000000");
  const auto large = hold("2500000");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return ledger_->held() > 3'500'000; }));
  const auto last = hold("1500000");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return large->ended.has_value(); }));
  EXPECT_TRUE(absl::IsUnavailable(*large->ended));
  EXPECT_FALSE(small->ended);
  EXPECT_FALSE(last->ended);
  EXPECT_THAT(causes_, ElementsAre(Cause::kMemory));
}

TEST_F(H2ServerTest, DrainLetsCallsEndAndThenSaysSo) {
  Serve();
  Client& client = Connect();
  const auto end = Call(client, "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !end->messages.empty(); }));
  bool drained = false;
  server_->Drain(seconds(30), [&] { drained = true; });
  ASSERT_TRUE(TurnUntil(loop_, [&] {
    const auto further = client.Call({.path = "/x/y"}, std::make_shared<RecordingEnd>());
    if (further.ok()) (*further)->HalfClose();
    return !further.ok();
  }));
  EXPECT_FALSE(drained);
  end->stream->HalfClose();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return drained && end->ended; }));
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(H2ServerTest, DrainBreaksOffWhatDoesNotEnd) {
  Serve();
  const auto end = Call(Connect(), "hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !end->messages.empty(); }));
  bool drained = false;
  server_->Drain(milliseconds(5), [&] { drained = true; });
  ASSERT_TRUE(TurnUntil(loop_, [&] { return drained && end->ended; }));
  EXPECT_TRUE(absl::IsUnavailable(*end->ended));
  EXPECT_THAT(causes_, ElementsAre(Cause::kShutdown));
}

TEST_F(H2ServerTest, DeadlinesPassWithoutAnyTraffic) {
  Serve();
  const auto end = std::make_shared<RecordingEnd>();
  ASSERT_TRUE(Connect().Call({.path = "/x/y", .deadline = Now() + milliseconds(20)}, end).ok());
  ASSERT_TRUE(TurnUntil(loop_, [&] { return end->ended.has_value(); }));
  EXPECT_TRUE(absl::IsDeadlineExceeded(*end->ended));
}

TEST_F(H2ServerTest, PeersThatDoNotGreetAreLeft) {
  ServerLimits limits;
  limits.connection.greeting = milliseconds(10);
  Serve(limits);
  std::vector<std::unique_ptr<BlockingPeer>> peers;
  for (int i = 0; i < 50; ++i) peers.push_back(std::make_unique<BlockingPeer>(port_));
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 50; }));
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_THAT(causes_, Each(Cause::kTooSlow));
}

TEST_F(H2ServerTest, WhoGoesDuringACallIsLostAndWhoGoesWithoutOneIsInOrder) {
  std::vector<std::shared_ptr<RecordingEnd>> ends;
  Serve({}, [&ends](Stream& stream) -> Result<std::shared_ptr<End>> {
    const auto& end = ends.emplace_back(std::make_shared<RecordingEnd>());
    end->stream = &stream;
    end->on_half_closed = [&stream] { stream.Finish(absl::OkStatus()); };
    return std::shared_ptr<End>(end);
  });
  BlockingPeer rests(port_);
  rests.Send(Greeting() + WholeCall(1));
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !ends.empty() && ends[0]->ended; }));
  BlockingPeer calls(port_);
  calls.Send(Greeting() + CallHeaders(1));
  ASSERT_TRUE(TurnUntil(loop_, [&] { return ends.size() == 2; }));
  BlockingPeer probes(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 3; }));
  for (BlockingPeer* const peer : {&probes, &rests, &calls}) {
    peer->Drop();
    const std::size_t left = server_->connections() - 1;
    ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == left; }));
  }
  EXPECT_THAT(causes_, ElementsAre(Cause::kInOrder, Cause::kInOrder, Cause::kLost));
  EXPECT_EQ(server_->counts().broken_off, 1U);
}

TEST_F(H2ServerTest, WhoSpeaksSomethingElseBreaksTheProtocol) {
  Serve();
  const BlockingPeer peer(port_);
  peer.Send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
  EXPECT_THAT(causes_, ElementsAre(Cause::kProtocol));
}

TEST_F(H2ServerTest, LastFramesOfABrokenConnectionAreToldIfTheyAreWantedWhenItBegins) {
  Serve();
  for (const bool kept : {false, true}) {
    keeps_frames_ = kept;
    const BlockingPeer peer(port_);
    peer.Send(Greeting() + Frame(NGHTTP2_PING, 0, 0, "12345678") + Frame(NGHTTP2_DATA, 0, 0));
    const std::uint64_t before = server_->counts().broken_off;
    ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off > before; }));
    EXPECT_EQ(causes_.back(), Cause::kProtocol);
    EXPECT_EQ(frames_.empty(), !kept);
  }
  EXPECT_THAT(frames_, ContainsRegex("; in PING stream 0 8 bytes; .*out GOAWAY stream 0 "));
}

TEST(ClosingTest, EachCauseIsCountedUnderANameOfItsOwn) {
  const std::set<std::string_view> names(kCauseNames.begin(), kCauseNames.end());
  EXPECT_EQ(names.size(), kCauseNames.size());
  EXPECT_EQ(kCauseNames[static_cast<std::size_t>(Cause::kUnread)], "unread");
  EXPECT_EQ(kCauseNames[static_cast<std::size_t>(Cause::kNoRoom)], "no_room");
  ClosingCounts counts;
  counts.Count(Cause::kFlood);
  counts.Count(Cause::kFlood);
  EXPECT_EQ(counts.of(Cause::kFlood), 2U);
  EXPECT_EQ(counts.of(Cause::kMemory), 0U);
}

TEST_F(H2ServerTest, HostsAreAddressesAndNetworksOfIPv6) {
  const auto host = [](int family, const char* text) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    void* const at = family == AF_INET
                         ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(address).sin_addr)
                         : &reinterpret_cast<sockaddr_in6&>(address).sin6_addr;
    EXPECT_EQ(inet_pton(family, text, at), 1);
    return HostOf(address);
  };
  EXPECT_EQ(host(AF_INET, "10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(host(AF_INET6, "::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(host(AF_INET6, "2001:db8:1:2:3:4:5:6"), host(AF_INET6, "2001:db8:1:2:ffff::1"));
  EXPECT_NE(host(AF_INET6, "2001:db8:1:2::1"), host(AF_INET6, "2001:db8:1:3::1"));
}

}  // namespace
}  // namespace twofold::h2
