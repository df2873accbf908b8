#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/lib/http/peer.h"
#include "tests/lib/http/test_server.h"

namespace twofold::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr std::size_t kMaxHead = 32768;
constexpr std::size_t kMaxBody = 1000;

std::string Times(std::size_t count, char c) { return std::string(count, c); }

std::string GetWith(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n";
}

/// A GET whose head has exactly `size` bytes.
std::string GetOfSize(std::size_t size) {
  const std::size_t rest = GetWith("X: \r\n").size();
  return GetWith("X: " + Times(size - rest, 'a') + "\r\n");
}

/// Six bytes each.
std::string Headers(std::size_t count) {
  std::string headers;
  for (; count > 0; --count) headers += "a: b\r\n";
  return headers;
}

std::string Post(const std::string& headers, const std::string& body) {
  return "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n" + body;
}

std::string PostOfSize(std::size_t size) {
  return Post("Content-Length: " + std::to_string(size) + "\r\n", Times(size, 'b'));
}

/// In chunks of ten bytes.
std::string PostInChunks(int chunks) {
  std::string body;
  for (int i = 0; i < chunks; ++i) body += "a\r\n0123456789\r\n";
  return Post("Transfer-Encoding: chunked\r\n", body + "0\r\n\r\n");
}

TEST(ServerLimits, EachRequestGetsTheStatusOfItsFault) {
  const struct {
    const char* what;
    int status;
    std::string request;
  } kCases[] = {
      {"head at the limit", 200, GetOfSize(kMaxHead)},
      {"head over the limit", 431, GetOfSize(kMaxHead + 1)},
      {"head without end", 431, "GET / HTTP/1.1\r\nX: " + Times(2 * kMaxHead, 'a')},
      {"bare head without end", 431, "GET / HTTP/1.1\nX: " + Times(2 * kMaxHead, 'a')},
      {"bare head over the limit", 431, "GET / HTTP/1.1\n" + Headers(kMaxHead / 6)},
      {"many short headers", 431, GetWith(Headers(kMaxHead / 6))},
      {"target over the limit", 431, "GET /" + Times(kMaxHead, 'a') + " HTTP/1.1\r\n\r\n"},
      {"body at the limit", 200, PostOfSize(kMaxBody)},
      {"body over the limit", 413, PostOfSize(kMaxBody + 1)},
      {"body far over the limit", 413, Post("Content-Length: 18446744073709551615\r\n", "")},
      {"chunks at the limit", 200, PostInChunks(kMaxBody / 10)},
      {"chunks over the limit", 413, PostInChunks(kMaxBody / 10 + 1)},
      {"GET with no bytes of body", 200, GetWith("Content-Length: 0\r\n")},
      {"GET with body", 400, GetWith("Content-Length: 1\r\n") + "x"},
      {"GET with long body", 400, GetWith("Content-Length: 1000000\r\n")},
      {"GET with chunks", 400, GetWith("Transfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {"HEAD with body", 400, "HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"},
      {"HTTP/2.0", 505, "GET / HTTP/2.0\r\nHost: x\r\n\r\n"},
      {"HTTP/1.2", 505, "GET / HTTP/1.2\r\nHost: x\r\n\r\n"},
      {"HTTP/0.9", 505, "GET / HTTP/0.9\r\n\r\n"},
      {"lower case http", 505, "GET / http/1.1\r\nHost: x\r\n\r\n"},
      {"no version", 400, "GET /\r\n\r\n"},
      {"no target", 400, "GET HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"no method", 400, " / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"no HTTP", 400, "\x16\x03\x01\x02hello\r\n\r\n"},
      {"space in a header's name", 400, GetWith("a b: c\r\n")},
      {"no colon in a header", 400, GetWith("abc\r\n")},
      {"control character in a value", 400, GetWith(std::string("a: b\0c\r\n", 8))},
      {"control character in the target", 400, "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"negative length", 400, Post("Content-Length: -1\r\n", "")},
      {"length that overflows", 400, Post("Content-Length: 99999999999999999999\r\n", "")},
      {"two lengths", 400, Post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab")},
      {"length and chunks", 400,
       Post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"unknown coding", 400, Post("Transfer-Encoding: zip\r\n", "")},
      {"bad chunk", 400, Post("Transfer-Encoding: chunked\r\n", "zz\r\n\r\n")},
      {"no Host", 400, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"},
      {"two Hosts", 400, GetWith("Host: y\r\n")},
      {"HTTP/1.0 needs no Host", 200, "GET / HTTP/1.0\r\n\r\n"},
      {"bad escape in the path", 400, "GET /%zz HTTP/1.0\r\n\r\n"},
      {"bad escape in the query", 400, "GET /?a=%4 HTTP/1.0\r\n\r\n"},
      {"query name twice", 400, "GET /?a=1&a=2 HTTP/1.0\r\n\r\n"},
      {"target without slash", 400, "GET x HTTP/1.0\r\n\r\n"},
      {"unknown path", 404, "GET /x HTTP/1.0\r\n\r\n"},
      {"unknown method", 405, "BREW / HTTP/1.0\r\n\r\n"},
  };
  const auto server = StartTestServer({.max_body = kMaxBody});
  for (const auto& [what, status, request] : kCases) {
    EXPECT_EQ(StatusOf(Ask(server->port(), request)), status) << what;
  }
}

TEST(ServerLimits, ManyShortHeadersAreTooManyHoweverTheyArrive) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send("GET / HTTP/1.1\r\n");
  for (std::size_t sent = 0; sent < kMaxHead; sent += 6) peer.Send(Headers(1));
  EXPECT_EQ(StatusOf(peer.ReadResponse()), 431);
}

TEST(ServerLimits, ARefusalIsPlainTextAndCloses) {
  const auto server = StartTestServer();
  const std::string answer = Ask(server->port(), "GET / HTTP/1.1\r\nbad\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\nbad request: "));
}

TEST(ServerLimits, ARefusedPeerThatGoesOnSendingStillGetsTheAnswer) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send(Post("Content-Length: 4000000\r\n", Times(4'000'000, 'b')));
  EXPECT_EQ(StatusOf(peer.ReadResponse()), 413);
}

TEST(ServerLimits, SlowSendersAreCutOff) {
  const auto server = StartTestServer({.receive_timeout = milliseconds(50)});
  for (const std::string& start : {std::string("G"), std::string("GET / HTTP/1.1\r\nHost"),
                                   Post("Content-Length: 10\r\n", "12345")}) {
    EXPECT_EQ(Ask(server->port(), start), "");
  }
}

TEST(ServerLimits, DropsDoNotExtendTheDeadline) {
  const auto server = StartTestServer({.receive_timeout = milliseconds(200)});
  Peer peer(server->port());
  peer.Send("GET / HTTP/1.1\r\nX: ");
  // A drop well within each deadline, until the server has had enough.
  int drops = 0;
  for (; drops < 3000 && peer.Send("a"); ++drops) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_LT(drops, 3000);
}

/// Asks on new connections until one is served, which a busy machine may delay.
bool IsServedAtLast(std::uint16_t port, std::string_view request = "GET / HTTP/1.0\r\n\r\n") {
  for (const Instant end = Now() + seconds(30); Now() < end;) {
    if (StatusOf(Ask(port, request)) == 200) return true;
  }
  return false;
}

TEST(ServerLimits, IdleConnectionsAreClosed) {
  const auto server = StartTestServer({.idle_timeout = milliseconds(50)});
  EXPECT_EQ(Ask(server->port(), ""), "");
  EXPECT_TRUE(IsServedAtLast(server->port(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
}

TEST(ServerLimits, SlowReadersAreCutOff) {
  const auto server =
      StartTestServer({.send_timeout = milliseconds(100), .stop_grace = std::chrono::minutes(5)});
  Peer slow(server->port(), 4096);
  slow.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusOf(slow.ReadHead()), 200);
  server->Stop();  // returns when the last connection has ended
  EXPECT_LT(slow.ReadAll().size(), kBig);
  EXPECT_TRUE(slow.closed());
}

TEST(ServerLimits, AnswersForSlowReadersShareABound) {
  const auto server =
      StartTestServer({.max_unsent = kBig + kBig / 2, .send_timeout = std::chrono::minutes(5)});
  constexpr std::string_view kGetBig = "GET /big HTTP/1.0\r\n\r\n";
  Peer slow(server->port(), 4096);
  slow.Send(kGetBig);
  EXPECT_EQ(StatusOf(slow.ReadHead()), 200);
  EXPECT_EQ(StatusOf(Ask(server->port(), kGetBig)), 503);
  EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.0\r\n\r\n")), 200);
  EXPECT_EQ(slow.ReadAll().size(), kBig);
  EXPECT_TRUE(IsServedAtLast(server->port(), kGetBig));
}

/// Counts log lines; any thread may log.
class CountingSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::atomic<int> lines{0};

 private:
  void sink_it_(const spdlog::details::log_msg&) override { ++lines; }
  void flush_() override {}
};

TEST(ServerLimits, OutOfDescriptorsItPausesAndGoesOn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "UBSan, which comes along, opens pipes to check vtables: without descriptors it "
                  "takes good objects for bad ones";
#endif
  const auto server = StartTestServer();
  const auto sink = std::make_shared<CountingSink>();
  spdlog::default_logger()->sinks().push_back(sink);
  Peer early(server->port());
  early.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusOf(early.ReadResponse()), 200);

  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int reserve = dup(0);  // the peer's own end of the connection gets this number
  ASSERT_GE(reserve, 0);
  const rlimit few{static_cast<rlim_t>(reserve) + 1, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  close(reserve);
  Peer late(server->port());
  late.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (sink->lines < 2) std::this_thread::yield();
  early.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusOf(early.ReadResponse()), 200);
  EXPECT_LT(sink->lines, 100);
  setrlimit(RLIMIT_NOFILE, &before);

  EXPECT_EQ(StatusOf(late.ReadResponse()), 200);
  spdlog::default_logger()->sinks().pop_back();
}

}  // namespace
}  // namespace twofold::http
