// A server of ours against peers that send what no library would.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/support/status_code_enum.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/memory.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "tests/fakes/callers_loop.h"
#include "tests/lib/rpc/ended_stream.h"
#include "tests/support/certificates.h"
#include "tests/support/http2_peer.h"
#include "tests/support/program.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::rpc {
namespace {

using std::chrono::milliseconds;
using testing::Authority;
using testing::Http2Peer;
using testing::KeyPair;

constexpr const char* kUnary = "/test.Echo/Unary";
constexpr const char* kStream = "/test.Echo/Stream";
constexpr const char* kOpen = "/test.Echo/Open";  // whoever calls, with or without a token
constexpr const char* kHealth = "/grpc.health.v1.Health/Check";
constexpr const char* kWatch = "/grpc.health.v1.Health/Watch";
constexpr const char* kReflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// A call that keeps its first message for as long as it goes on, as one does that passes it on to
/// somebody who does not take it.
class KeepingStream final : public ByteStream {
 private:
  void OnBegin() override { StartRead(); }
  void OnRead(std::string_view bytes) override { kept_ = bytes; }
  void OnReadEnd() override {}
  void Pull(h2::MessageWriter&) override {}
  void OnDone() override {}
  [[nodiscard]] std::size_t waiting_bytes() const override { return kept_.size(); }

  std::string kept_;
};

/// Takes jobs: a message that has to be parsed.
class Echo final : public Service {
 public:
  Echo() : Service("test.Echo") {
    Serve<v1::Job, v1::Job>("Unary", [this](const auto& job) {
      const MutexLock lock(mutex_);
      ++calls_[LoopOwner::Current()];
      return job;
    });
    Serve<v1::Job, v1::Job>("Open", [](const auto& job) { return job; });
    Serve<v1::Job, v1::Job>("Large", [](const auto& job) {
      v1::Job large = job;
      large.mutable_report()->set_output(std::string(200 << 10, 'x'));
      return large;
    });
    Serve("Stream", &Echo::Stream);
    Serve("Keep", &Echo::Keep);
  }

  /// Unary calls on each loop.
  std::map<const LoopOwner*, int> calls() {
    const MutexLock lock(mutex_);
    return calls_;
  }

 private:
  Result<std::shared_ptr<ByteStream>> Stream(const CallInfo&) { return EndedStream::Make(); }
  Result<std::shared_ptr<ByteStream>> Keep(const CallInfo&) {
    return std::make_shared<KeepingStream>();
  }

  Mutex mutex_;
  std::map<const LoopOwner*, int> calls_ ABSL_GUARDED_BY(mutex_);
};

/// How a server is set up, for tests of all ways.
struct Setting {
  bool tls = false;
  bool certificates = false;  // mutual TLS
  bool tokens = false;
};
const Setting kSettings[] = {{},           {false, false, true}, {true}, {true, false, true},
                             {true, true}, {true, true, true}};
std::string Name(const Setting& setting) {
  return std::string(setting.tls ? "TLS" : "plain text") +
         (setting.certificates ? ", certificates" : "") + (setting.tokens ? ", tokens" : "");
}

class ServerTest : public ::testing::Test {
 protected:
  void Serve(const Setting& setting = {}, std::uint32_t of_host = 0, std::uint64_t memory = 0,
             std::size_t loops = 1) {
    security::ServerOptions options;
    const KeyPair keys = authority_.Issue("server");
    const auto file = [&](const char* name, const std::string& text) {
      testing::WriteFile(folder_ / name, text);
      return folder_ / name;
    };
    if (setting.tls) options.cert = file("crt", keys.cert);
    if (setting.tls) options.key = file("key", keys.key);
    if (setting.certificates) options.ca = file("ca", authority_.cert());
    if (setting.tokens) options.token_file = file("tokens", "admin root sixteen-and-more\n");
    auto security = security::Open(options);
    ASSERT_TRUE(security.ok()) << security.status();
    gate_ = std::make_shared<security::Gate>("test", security->tokens);
    const auto roles = [](std::string_view method) {
      return method == kOpen ? security::Roles::Open() : security::Roles{security::Role::kAdmin};
    };
    server_.reset();
    echo_ = std::make_unique<Echo>();
    auto server = Listen("127.0.0.1:0", {echo_.get()}, {*security, gate_, roles, of_host, {}, age_},
                         loops_ = MakeLoops(loops, memory));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    port_ = server_->address().port;
    const KeyPair peer = authority_.Issue("peer", false);
    tls_ = {peer.cert, peer.key};
    speaks_ = setting.tls ? &tls_ : nullptr;
  }

  [[nodiscard]] int Health() const { return testing::HealthStatus(port_, speaks_); }
  [[nodiscard]] std::string Token() const {
    return Http2Peer::Literal("authorization", "Bearer sixteen-and-more");
  }

  milliseconds age_{0};  // of the next server's connections
  testing::TempDir folder_;
  const Authority authority_;
  std::shared_ptr<security::Gate> gate_;
  std::unique_ptr<Echo> echo_;
  Loops loops_;
  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
  Http2Peer::Tls tls_;
  const Http2Peer::Tls* speaks_ = nullptr;  // what peers need to get in
};

// ---- unary calls

using Jobs = ClientStream<v1::Job, v1::Job>;

/// Sends so many requests to a unary method, and takes what comes.
Status SendRequests(std::uint16_t port, int requests, int* replies) {
  std::promise<Status> ended;
  const auto stream =
      std::make_shared<Jobs>([replies](const v1::Job&) { ++*replies; },
                             [&ended](const Status& status) { ended.set_value(status); });
  for (int i = 0; i < requests; ++i) {
    stream->Add([](v1::Job& job) {
      job.set_id(1);
      return std::size_t{1} << 20;  // a message of its own
    });
  }
  stream->Start(Channel::Connect(testing::CallersLoop(), "127.0.0.1:" + std::to_string(port), {}),
                {.path = kUnary});
  stream->Close();
  return ended.get_future().get();
}

TEST_F(ServerTest, UnaryCallTakesOneRequest) {
  Serve();
  int replies = 0;
  EXPECT_TRUE(SendRequests(port_, 1, &replies).ok());
  EXPECT_EQ(replies, 1);
  EXPECT_EQ(SendRequests(port_, 0, &replies),
            absl::InvalidArgumentError("the call has no request"));
  EXPECT_EQ(replies, 1);
  // The first may be answered before the second is there.
  static_cast<void>(SendRequests(port_, 3, &replies));
  EXPECT_LE(replies, 2);
}

// ---- headers

TEST_F(ServerTest, HeadersThatGrpcCannotShowEndACallAtMost) {
  for (const Setting& setting : kSettings) {
    Serve(setting);
    for (const char* name : {"grpclb_client_stats", "grpc-trace-bin", "grpc-tags-bin", "lb-token",
                             "lb-cost-bin", "endpoint-load-metrics-bin", "grpc-server-stats-bin",
                             "grpc-retry-pushback-ms", "grpc-previous-rpc-attempts", "host"}) {
      for (const char* path : {kUnary, kStream, kHealth}) {
        Http2Peer peer(port_, speaks_);
        ASSERT_TRUE(peer.Greet());
        ASSERT_TRUE(peer.Call(path, Http2Peer::Literal(name, "abc")));
        peer.ReadStatus();
      }
    }
    EXPECT_EQ(Health(), 0) << Name(setting);
  }
}

TEST_F(ServerTest, NoMethodIsCalledWithoutATokenAndHealthIsOpen) {
  Serve({.tokens = true});
  Http2Peer peer(port_);
  ASSERT_TRUE(peer.Greet());
  for (const char* path : {kUnary, kStream}) {
    ASSERT_TRUE(peer.Call(path));
    EXPECT_EQ(peer.ReadStatus(), grpc::StatusCode::UNAUTHENTICATED) << path;
    ASSERT_TRUE(peer.Call(path, Token()));
    EXPECT_EQ(peer.ReadStatus(), grpc::StatusCode::OK) << path;
  }
  EXPECT_EQ(gate_->denied(security::Reason::kNoToken), 2U);
  EXPECT_EQ(Health(), 0);
}

// ---- compressed messages

TEST_F(ServerTest, CompressedMessagesAreRefusedAndNeverParsed) {
  Serve();
  v1::Job job;
  job.set_queue("sleep");
  const std::string message = job.SerializeAsString();
  const struct {
    const char* what;
    std::string encoding;  // header; empty: none
    bool flagged;
    int status;
  } kCases[] = {
      {"plain", "", false, grpc::StatusCode::OK},
      {"named and compressed", "gzip", true, grpc::StatusCode::UNIMPLEMENTED},
      {"another way", "deflate", true, grpc::StatusCode::UNIMPLEMENTED},
      {"named only", "gzip", false, grpc::StatusCode::OK},
      {"identity", "identity", false, grpc::StatusCode::OK},
  };
  for (const auto& [what, encoding, flagged, status] : kCases) {
    for (const char* path : {kUnary, kHealth}) {
      Http2Peer peer(port_);
      ASSERT_TRUE(peer.Greet());
      const std::string header =
          encoding.empty() ? "" : Http2Peer::Literal("grpc-encoding", encoding);
      const bool health = path == kHealth;
      ASSERT_TRUE(peer.Call(path, header, health ? "" : message, flagged));
      EXPECT_EQ(peer.ReadStatus(), status) << what << " " << path;
    }
  }
}

// ---- connections

TEST_F(ServerTest, ConnectionsAreSpreadOverLoopsAndStay) {
  for (const Setting& setting : kSettings) {
    Serve(setting, 0, 0, 3);
    std::vector<std::unique_ptr<Http2Peer>> peers;
    for (int i = 0; i < 6; ++i) {
      peers.push_back(std::make_unique<Http2Peer>(port_, speaks_));
      ASSERT_TRUE(peers.back()->Greet());
    }
    for (int round = 0; round < 2; ++round) {
      for (const auto& peer : peers) {
        ASSERT_TRUE(peer->Call(kUnary, setting.tokens ? Token() : ""));
        ASSERT_EQ(peer->ReadStatus(), grpc::StatusCode::OK) << Name(setting);
      }
    }
    std::vector<int> calls;
    for (const auto& [loop, count] : echo_->calls()) calls.push_back(count);
    EXPECT_THAT(calls, ::testing::ElementsAre(4, 4, 4)) << Name(setting);
  }
}

TEST_F(ServerTest, AHostHasSoManyConnectionsAndNoMore) {
  Serve({}, 3, 0, 2);  // over all loops
  std::vector<std::unique_ptr<Http2Peer>> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(std::make_unique<Http2Peer>(port_));
    ASSERT_TRUE(peers.back()->Greet() && peers.back()->Call(kUnary));
    ASSERT_EQ(peers.back()->ReadStatus(), 0);
  }
  EXPECT_TRUE(Http2Peer(port_).IsClosed(milliseconds(20'000)));
  EXPECT_GE(gate_->denied(security::Reason::kTooMany), 1U);
  peers.pop_back();
  EXPECT_TRUE(testing::Await([&] { return Health() == 0; }));
  EXPECT_TRUE(peers.back()->Call(kHealth));
  EXPECT_EQ(peers.back()->ReadStatus(), 0);
}

TEST_F(ServerTest, OneThatSaysNothingMakesRoomOnWhicheverLoopItIs) {
  constexpr std::size_t kMost = 4;
  Serve({}, kMost, 0, 3);
  Http2Peer works(port_);
  ASSERT_TRUE(works.Greet() && works.Call(kUnary));
  ASSERT_EQ(works.ReadStatus(), 0);
  std::vector<std::unique_ptr<Http2Peer>> silent;
  for (std::size_t i = 0; i < 10 * kMost; ++i) silent.push_back(std::make_unique<Http2Peer>(port_));
  EXPECT_EQ(Health(), 0);
  const auto open = [&] {
    return std::count_if(silent.begin(), silent.end(),
                         [](const auto& peer) { return !peer->IsClosed(milliseconds(1)); });
  };
  EXPECT_TRUE(testing::Await([&] { return open() < static_cast<long>(kMost); }));
  for (const auto& loop : loops_) EXPECT_GT(loop->closed().of(h2::Cause::kMadeRoom), 0U);
  EXPECT_EQ(gate_->denied(security::Reason::kTooMany), 0U);
  ASSERT_TRUE(works.Call(kUnary));
  EXPECT_EQ(works.ReadStatus(), 0);
}

TEST_F(ServerTest, CallsThatEverybodyMayMakeAndThoseThatAreRefusedAreOfNoUse) {
  constexpr std::size_t kMost = 4;
  Serve({.tokens = true}, kMost);
  Http2Peer works(port_);
  ASSERT_TRUE(works.Greet() && works.Call(kUnary, Token()));
  ASSERT_EQ(works.ReadStatus(), 0);
  std::vector<std::unique_ptr<Http2Peer>> others;
  for (const char* const path : {kHealth, kWatch, kReflection, kOpen, kUnary, kStream}) {
    for (std::size_t i = 0; i < kMost; ++i) {
      auto& peer = others.emplace_back(std::make_unique<Http2Peer>(port_));
      ASSERT_TRUE(peer->Greet() && peer->Call(path));
      if (path == kWatch) continue;  // it goes on
      EXPECT_GE(peer->ReadStatus(), 0) << path << " is answered";
    }
    EXPECT_EQ(Health(), 0) << "a probe comes anew each time; beside " << path;
  }
  EXPECT_EQ(gate_->denied(security::Reason::kTooMany), 0U);
  ASSERT_TRUE(works.Call(kUnary, Token()));
  EXPECT_EQ(works.ReadStatus(), 0);
}

TEST_F(ServerTest, ConnectionsOfADoorEndWhenTheyAreOld) {
  age_ = milliseconds(50);
  Serve();
  Http2Peer peer(port_);
  ASSERT_TRUE(peer.Greet() && peer.Call(kHealth));
  ASSERT_EQ(peer.ReadStatus(), 0);
  EXPECT_TRUE(peer.IsClosed(milliseconds(20'000)));
  EXPECT_EQ(loops_[0]->closed().of(h2::Cause::kLost), 0U);
}

TEST_F(ServerTest, ConnectionsThatAreClosedCountOnTheirLoopByCause) {
  Serve({}, 0, 0, 2);
  const auto closed = [this](h2::Cause cause) {
    std::uint64_t all = 0;
    for (const auto& loop : loops_) all += loop->closed().of(cause);
    return all;
  };
  for (int i = 0; i < 3; ++i) {
    Http2Peer peer(port_);
    EXPECT_TRUE(peer.Send("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    EXPECT_TRUE(peer.IsClosed(milliseconds(20'000)));
  }
  EXPECT_TRUE(testing::Await([&] { return closed(h2::Cause::kProtocol) == 3; }));
  for (const auto& loop : loops_) EXPECT_GT(loop->closed().of(h2::Cause::kProtocol), 0U);
  Serve({}, 1);
  Http2Peer works(port_);
  ASSERT_TRUE(works.Greet() && works.Call(kUnary));
  ASSERT_EQ(works.ReadStatus(), 0);
  EXPECT_TRUE(Http2Peer(port_).IsClosed(milliseconds(20'000)));
  EXPECT_EQ(closed(h2::Cause::kTooMany), 1U);
  EXPECT_EQ(closed(h2::Cause::kLost), 0U);
}

TEST_F(ServerTest, OutOfDescriptorsItSaysSoPausesAndGoesOn) {
  Serve();
  ASSERT_EQ(Health(), 0);
  EXPECT_EQ(server_->trouble(), "");
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int reserve = dup(0);  // the peer's own end of the connection gets this number
  ASSERT_GE(reserve, 0);
  const rlimit few{static_cast<rlim_t>(reserve) + 1, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  close(reserve);
  Http2Peer late(port_);
  late.Greet();
  const bool noticed = testing::Await([&] { return !server_->trouble().empty(); });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(noticed);
  ASSERT_TRUE(late.Call(kHealth));
  EXPECT_EQ(late.ReadStatus(), 0);
  EXPECT_EQ(server_->trouble(), "");
}

TEST_F(ServerTest, ConnectionsThatSayNothingAreClosed) {
  Serve({.tls = true});
  EXPECT_TRUE(Http2Peer(port_).IsClosed(milliseconds(30'000)));
}

TEST_F(ServerTest, ConnectionsAreTakenWithTlsAndWithout) {
  for (const Setting& setting : kSettings) {
    Serve(setting);
    EXPECT_EQ(Health(), 0) << Name(setting);
  }
}

TEST_F(ServerTest, ItEndsWithConnectionsOpen) {
  for (const std::size_t loops : {1UL, 3UL}) {
    Serve({}, 0, 0, loops);
    std::vector<std::unique_ptr<Http2Peer>> idle;
    for (int i = 0; i < 4; ++i) {
      idle.push_back(std::make_unique<Http2Peer>(port_));
      ASSERT_TRUE(idle.back()->Greet() && idle.back()->Call(kHealth));
      ASSERT_EQ(idle.back()->ReadStatus(), 0);
    }
    server_->Shutdown(Duration(0));
    server_.reset();
    for (const auto& peer : idle) EXPECT_TRUE(peer->IsClosed(milliseconds(20'000)));
  }
}

// ---- floods

TEST_F(ServerTest, FloodsWithoutACertificateEndAtTheHandshake) {
  Serve({.tls = true, .certificates = true});
  ASSERT_EQ(Health(), 0);
  [[maybe_unused]] const std::uint64_t before = ResidentBytes();
  const Http2Peer::Tls nothing;
  for (int i = 0; i < 20; ++i) {
    Http2Peer peer(port_, &nothing);
    peer.Greet();
    std::uint32_t stream = 1;
    // What is sent before the server's refusal arrives goes nowhere.
    for (int part = 0; part < 50 && peer.Send(Http2Peer::Resets(kHealth, stream, 500)); ++part)
      stream += 1000;
    EXPECT_TRUE(peer.IsClosed(milliseconds(20'000)));
  }
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed for a while
  EXPECT_LT(ResidentBytes(), before + (32 << 20));
#endif
  EXPECT_EQ(Health(), 0);
}

TEST_F(ServerTest, HeadersWithoutEndEndTheirConnectionAndOthersStay) {
  Serve();
  Http2Peer quiet(port_);
  ASSERT_TRUE(quiet.Greet() && quiet.Call(kHealth));
  ASSERT_EQ(quiet.ReadStatus(), 0);

  const std::string more =
      Http2Peer::Frame(Http2Peer::kContinuation, 0, 1, Http2Peer::ManyHeaders());
  Http2Peer flood(port_);
  ASSERT_TRUE(flood.Greet());
  ASSERT_TRUE(flood.Send(Http2Peer::Frame(Http2Peer::kHeaders, 0, 1, Http2Peer::Request(kHealth))));
  constexpr int kMost = 1000;
  int frames = 0;
  while (frames < kMost && flood.Send(more)) ++frames;
  EXPECT_LT(frames, kMost) << "nobody has stopped it";

  EXPECT_TRUE(quiet.Call(kHealth));
  EXPECT_EQ(quiet.ReadStatus(), 0);
  EXPECT_EQ(Health(), 0);
}

TEST_F(ServerTest, RepliesThatArePutOffByAWindowOf0EndTheirConnectionAndOthersStay) {
  Serve({}, 0, 256 << 20);  // 24 MiB a connection
  Http2Peer quiet(port_);
  ASSERT_TRUE(quiet.Greet() && quiet.Call(kHealth));
  ASSERT_EQ(quiet.ReadStatus(), 0);

  Http2Peer flood(port_);
  const std::string no_window = Http2Peer::Number(4, 2) + Http2Peer::Number(0);
  ASSERT_TRUE(flood.Greet());
  ASSERT_TRUE(flood.Send(Http2Peer::Frame(Http2Peer::kSettings, 0, 0, no_window)));
  for (int i = 0; i < 200; ++i) flood.Call("/test.Echo/Large");
  EXPECT_TRUE(flood.IsClosed(milliseconds(20'000)));

  EXPECT_TRUE(quiet.Call(kHealth));
  EXPECT_EQ(quiet.ReadStatus(), 0);
}

TEST_F(ServerTest, MessagesThatServicesKeepEndTheirConnectionAndOthersStay) {
  Serve({}, 0, 256 << 20);  // 24 MiB a connection
  Http2Peer quiet(port_);
  ASSERT_TRUE(quiet.Greet() && quiet.Call(kHealth));
  ASSERT_EQ(quiet.ReadStatus(), 0);

  Http2Peer flood(port_);
  ASSERT_TRUE(flood.Greet());
  ASSERT_NE(flood.ReadFrame(), "");  // settings, which let frames be as large
  ASSERT_TRUE(flood.Send(Http2Peer::Frame(Http2Peer::kSettings, Http2Peer::kAck, 0, {})));
  const std::string message(200 << 10, 'x');
  for (int i = 0; i < 200; ++i) flood.Call("/test.Echo/Keep", {}, message);
  EXPECT_TRUE(flood.IsClosed(milliseconds(20'000)));

  EXPECT_TRUE(quiet.Call(kHealth));
  EXPECT_EQ(quiet.ReadStatus(), 0);
  EXPECT_EQ(loops_[0]->closed().of(h2::Cause::kMemory), 1U) << "counted once the socket is closed";
}

TEST_F(ServerTest, WhatPeersMakeItHoldHasABudget) {
  const h2::Budgets small = BudgetsOf(256 << 20);
  EXPECT_EQ(small.all, 96U << 20);
  EXPECT_EQ(small.host, 64U << 20);
  EXPECT_EQ(small.connection, 24U << 20);
  EXPECT_EQ(BudgetsOf(std::uint64_t{4} << 30).all, std::size_t{1536} << 20);
  EXPECT_GT(BudgetsOf(0).all, 0U);
  const h2::Budgets part = BudgetsOf(std::uint64_t{4} << 30, 4);
  EXPECT_EQ(part.all, 384U << 20);
  EXPECT_EQ(part.connection, 96U << 20);
  EXPECT_EQ(BudgetsOf(256 << 20, 4).all, 24U << 20) << "room for a connection";
}

}  // namespace
}  // namespace twofold::rpc
