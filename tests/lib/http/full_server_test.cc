#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lib/http/peer.h"
#include "tests/lib/http/test_server.h"

namespace twofold::http {
namespace {

constexpr std::string_view kHalf = "GET / HTTP/1.1\r\nHo";
constexpr const char* kCrowd = "127.0.0.2";
constexpr const char* kSecondCrowd = "127.0.0.3";

/// Longer than any test: whoever is closed was not closed for being slow.
ServerOptions Patient(std::size_t connections, std::size_t of_a_host) {
  return {.max_connections = connections,
          .max_host_connections = of_a_host,
          .receive_timeout = std::chrono::minutes(5),
          .send_timeout = std::chrono::minutes(5),
          .idle_timeout = std::chrono::minutes(5)};
}

bool IsServed(Peer& peer) { return peer.Send(kGet) && StatusOf(peer.ReadResponse()) == 200; }

/// A new connection from this machine's own address, as a kubelet makes for each probe.
bool ProbeIsServed(const Server& server) {
  return StatusOf(Ask(server.port(), "GET / HTTP/1.0\r\n\r\n")) == 200;
}

bool IsClosed(Peer& peer) {
  peer.ReadAll();
  return peer.closed();
}

TEST(FullServer, ProbesAreServedAmongIdleConnections) {
  const auto server = StartTestServer(Patient(16, 8));
  std::vector<Peer> idle;
  for (int i = 0; i < 32; ++i) idle.emplace_back(server->port());
  for (int i = 0; i < 32; ++i) idle.emplace_back(server->port(), 0, kCrowd);
  for (int i = 0; i < 32; ++i) idle.emplace_back(server->port(), 0, kSecondCrowd);
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(ProbeIsServed(*server)) << i;
}

TEST(FullServer, ProbesAreServedAmongHalfRequests) {
  const auto server = StartTestServer(Patient(16, 8));
  std::vector<Peer> slow;
  for (const char* host : {"127.0.0.1", kCrowd, kSecondCrowd}) {
    for (int i = 0; i < 32; ++i) slow.emplace_back(server->port(), 0, host).Send(kHalf);
  }
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(ProbeIsServed(*server)) << i;
}

TEST(FullServer, ProbesAreServedAmongSlowReaders) {
  const auto server = StartTestServer(Patient(4, 4));
  std::vector<Peer> slow;
  for (int i = 0; i < 6; ++i) {
    slow.emplace_back(server->port(), 4096, kCrowd).Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(ProbeIsServed(*server)) << i;
}

TEST(FullServer, AHostWithMoreGivesWayToOneWithFewer) {
  const auto server = StartTestServer(Patient(4, 4));
  Peer old(server->port());
  ASSERT_TRUE(IsServed(old));
  std::vector<Peer> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.emplace_back(server->port(), 0, kCrowd);
    ASSERT_TRUE(IsServed(crowd.back())) << i;
  }
  EXPECT_TRUE(IsServed(old));
}

TEST(FullServer, TheOldestIdleConnectionOfAHostAtItsLimitIsClosed) {
  const auto server = StartTestServer(Patient(10, 2));
  Peer first(server->port(), 0, kCrowd);
  ASSERT_TRUE(IsServed(first));
  Peer second(server->port(), 0, kCrowd);
  ASSERT_TRUE(IsServed(second));
  ASSERT_TRUE(IsServed(first));  // so that it is the second one that has been idle for longest
  Peer third(server->port(), 0, kCrowd);
  EXPECT_TRUE(IsServed(third));
  EXPECT_TRUE(IsClosed(second));
  EXPECT_TRUE(IsServed(first));
}

TEST(FullServer, ARequestInProgressIsSparedWhileOthersAreIdle) {
  const auto server = StartTestServer(Patient(2, 2));
  Peer busy(server->port());
  ASSERT_TRUE(IsServed(busy));
  busy.Send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  ASSERT_NE(busy.ReadHead(), "");  // the server is in the midst of it
  Peer idle(server->port());
  ASSERT_TRUE(IsServed(idle));
  EXPECT_TRUE(ProbeIsServed(*server));
  EXPECT_TRUE(IsClosed(idle));
  busy.Send("abc");
  EXPECT_EQ(StatusOf(busy.ReadResponse()), 200);
}

}  // namespace
}  // namespace twofold::http
