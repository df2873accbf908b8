// Peers that send frames without end. gRPC 1.51 bounds none of these, and needs far more memory for
// them than they have bytes.

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "lib/common/address.h"
#include "tests/integration/cluster_fixture.h"
#include "tests/support/http2_peer.h"

namespace twofold::testing {
namespace {

constexpr const char* kPath = "/grpc.health.v1.Health/Check";
constexpr int kLimitMiB = 512;
constexpr int kMostMiB = 1024;  // a machine that is busy with other tests looks too late
constexpr int kPeers = 3;
constexpr auto kFor = std::chrono::seconds(3);

double PeakMiB(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  return -1;
}

std::string Repeated(const std::string& text, int count) {
  std::string all;
  while (count-- > 0) all += text;
  return all;
}

// The beginning of a message of 4 MiB, on a stream of its own.
std::string Unfinished(std::uint32_t stream) {
  return Http2Peer::Frame(Http2Peer::kHeaders, Http2Peer::kEndHeaders, stream,
                          Http2Peer::Request(kPath)) +
         Http2Peer::Frame(
             Http2Peer::kData, 0, stream,
             std::string(1, '\0') + Http2Peer::Number(4 << 20) + std::string(16'000, 'x'));
}

struct Flood {
  const char* name;
  std::string begin;                                // once
  std::function<std::string(std::uint32_t)> again;  // part 0, 1, ...
};

std::vector<Flood> Floods() {
  using P = Http2Peer;
  return {
      {"resets", "", [](std::uint32_t part) { return P::Resets(kPath, 1 + 1000 * part, 500); }},
      {"headers without end", P::Frame(P::kHeaders, 0, 1, P::Request(kPath)),
       [](std::uint32_t) { return P::Frame(P::kContinuation, 0, 1, P::ManyHeaders()); }},
      {"a header without end",
       P::Frame(P::kHeaders, 0, 1, P::Request(kPath) + std::string("\0\1a\x7f\xff\xff\xff\x7f", 8)),
       [](std::uint32_t) { return P::Frame(P::kContinuation, 0, 1, std::string(16'000, 'y')); }},
      {"pings", "",
       [](std::uint32_t) { return Repeated(P::Frame(P::kPing, 0, 0, "12345678"), 500); }},
      {"settings", "",
       [](std::uint32_t) { return Repeated(P::Frame(P::kSettings, 0, 0, ""), 500); }},
      {"messages without end", "", [](std::uint32_t part) { return Unfinished(1 + 2 * part); }},
  };
}

class FloodsTest : public ClusterTest {
 protected:
  /// Until the time is over; whoever is broken off comes back.
  void Send(const Flood& flood) {
    const auto end = std::chrono::steady_clock::now() + kFor;
    const std::uint16_t port = ParseAddress(client_address_)->port;
    std::vector<std::thread> peers;
    for (int i = 0; i < kPeers; ++i) {
      peers.emplace_back([&flood, end, port] {
        const auto goes_on = [end] { return std::chrono::steady_clock::now() < end; };
        while (goes_on()) {
          Http2Peer peer(port);
          bool open = peer.Greet() && peer.Send(flood.begin);
          for (std::uint32_t part = 0; open && goes_on(); ++part)
            open = peer.Send(flood.again(part));
        }
      });
    }
    for (std::thread& peer : peers) peer.join();
  }
};

TEST_F(FloodsTest, LeaveTheFrontendAliveWithinItsMemoryAndWorkGoesOn) {
  for (const Flood& flood : Floods()) {
    StartFrontend({"--memory-limit", std::to_string(kLimitMiB), "sleep"});
    const auto backend = StartBackend({"sleep", "0.01"});
    const Client client = StartClient({"--parallel", "2"});
    EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 10; }));
    Send(flood);
    ASSERT_TRUE(frontend_->running()) << flood.name;
    const double peak = PeakMiB(frontend_->pid());
    std::cout << flood.name << ": at most " << peak << " MiB\n";
    EXPECT_LT(peak, kMostMiB) << flood.name;
    const double before = ClientFinished(client, "succeeded");
    EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > before + 10; }))
        << flood.name;
    EXPECT_TRUE(Await([&] { return HealthStatus(ParseAddress(client_address_)->port) == 0; }))
        << flood.name;
    frontend_->Kill();
    client_address_ = worker_address_ = http_address_ = "127.0.0.1:0";
  }
}

}  // namespace
}  // namespace twofold::testing
