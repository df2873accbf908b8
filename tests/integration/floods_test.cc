// Peers without a token that send frames without end, against a frontend that has 256 MiB and work
// to do.
//
//   TWOFOLD_FLOOD_MS           how long each lasts, and the calm before it; 300 if not set
//   TWOFOLD_FLOOD              those whose names begin so
//   TWOFOLD_FLOOD_FROM         the attackers' address of loopback: their host. 127.0.0.1, that of
//                              the honest, if not set
//   TWOFOLD_FLOOD_CONNECTIONS  of a peer, of the slow ones; 300 if not set
//   TWOFOLD_FLOOD_JOBS         that the honest have at once, and which take no time: all that a
//   core
//                              does for frontend, worker and client; two of 10 ms if not set

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/address.h"
#include "tests/integration/cluster_fixture.h"
#include "tests/lib/h2/frames.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/certificates.h"

namespace twofold::testing {
namespace {

using h2::Frame;
using h2::LongLiteral;
using P = Http2Peer;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kPath = "/grpc.health.v1.Health/Check";
constexpr int kLimitMiB = 256;
constexpr double kMostMiB = 160;
constexpr int kPeers = 3;

const auto kFloodTime = milliseconds(stats::FromEnvironment("TWOFOLD_FLOOD_MS", 300));

const int kSlow = static_cast<int>(stats::FromEnvironment("TWOFOLD_FLOOD_CONNECTIONS", 300));

/// What the honest do.
struct Load {
  std::string parallel;
  std::string seconds;  // of a job
};
Load HonestLoad() {
  const char* const jobs = std::getenv("TWOFOLD_FLOOD_JOBS");
  return jobs == nullptr ? Load{"2", "0.01"} : Load{jobs, "0"};
}

std::string AttackersHost() {
  const char* const host = std::getenv("TWOFOLD_FLOOD_FROM");
  return host == nullptr ? "127.0.0.1" : host;
}

std::string Repeated(const std::string& text, int count) {
  std::string all;
  while (count-- > 0) all += text;
  return all;
}

struct Flood {
  const char* name;
  std::function<std::string(std::uint32_t)> part;  // 0, 1, ... of a connection
  bool reads = true;                               // what the frontend sends
  std::string settings = {};
  milliseconds pause{0};  // between parts
  int connections = 1;    // of a peer, one after the other in each turn
};

/// `count` calls of part `part`, each followed by `then(stream)`.
template <typename Then>
std::string Calls(std::uint32_t part, std::uint32_t count, const Then& then,
                  const char* path = kPath) {
  std::string bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t stream = 1 + 2 * (part * count + i);
    bytes += Frame(NGHTTP2_HEADERS, P::kEndHeaders, stream, P::Request(path)) + then(stream);
  }
  return bytes;
}

std::string NoMore(std::uint32_t) { return ""; }
std::string Reset(std::uint32_t stream) {
  return Frame(NGHTTP2_RST_STREAM, 0, stream, P::Number(NGHTTP2_CANCEL));
}
std::string Asked(std::uint32_t stream) {
  return Frame(NGHTTP2_DATA, P::kEndStream, stream, h2::Message(""));
}

/// One block of headers that begins a call and goes on with `more`.
std::function<std::string(std::uint32_t)> Continued(std::string more) {
  return [more = std::move(more)](std::uint32_t part) {
    return part == 0 ? Frame(NGHTTP2_HEADERS, 0, 1, P::Request(kPath))
                     : Frame(NGHTTP2_CONTINUATION, 0, 1, more);
  };
}

/// The first part of a connection, and nothing more.
std::function<std::string(std::uint32_t)> Once(std::function<std::string(std::uint32_t)> parts) {
  return [parts = std::move(parts)](std::uint32_t part) { return part == 0 ? parts(0) : ""; };
}

/// An open call, and then the same again and again.
std::function<std::string(std::uint32_t)> Again(const std::string& frame, int count = 1000,
                                                const char* path = kPath) {
  const std::string begin = Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, P::Number(1 << 30)) +
                            Frame(NGHTTP2_HEADERS, P::kEndHeaders, 1, P::Request(path));
  return [begin, many = Repeated(frame, count)](std::uint32_t part) {
    return part == 0 ? begin : many;
  };
}

/// Asks reflection the same again and again; `request` is of
/// grpc.reflection.v1.ServerReflectionRequest.
std::function<std::string(std::uint32_t)> AskedReflection(std::string_view request) {
  return Again(Frame(NGHTTP2_DATA, 0, 1, Repeated(h2::Message(request), 1000)), 1,
               "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
}

std::string ManySettings() { return Repeated(P::Number(999, 2) + P::Number(1), 2000); }

std::string Bomb(std::uint32_t part) {
  const std::string block =
      P::Request(kPath) +
      (part == 0 ? LongLiteral("x", std::string(3'900, 'y'), true) : std::string(12'000, '\xbe'));
  return Frame(NGHTTP2_HEADERS, 5, 1 + 2 * part, block);
}

std::string LargeHeaders(std::uint32_t part) {
  const std::string headers = Repeated(LongLiteral("x", std::string(1000, 'y')), 15);
  std::string bytes;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t stream = 1 + 2 * (20 * part + i);
    bytes += Frame(NGHTTP2_HEADERS, 0, stream, P::Request(kPath)) +
             Frame(NGHTTP2_CONTINUATION, P::kEndHeaders, stream, headers);
  }
  return bytes;
}

std::string Unfinished(std::uint32_t stream) {
  return Frame(NGHTTP2_DATA, 0, stream, P::Number(0, 1) + P::Number(4 << 20)) +
         Repeated(Frame(NGHTTP2_DATA, 0, stream, std::string(16'000, 'x')), 41);
}

std::vector<Flood> Floods() {
  const auto calls = [](std::uint32_t count, auto then, const char* path = kPath) {
    return [=](std::uint32_t part) { return Calls(part, count, then, path); };
  };
  const auto wait_for_nothing = [](std::uint32_t stream) {
    return Frame(NGHTTP2_WINDOW_UPDATE, 0, stream, P::Number(0));
  };
  const auto trailers = [](std::uint32_t stream) {
    return Frame(NGHTTP2_HEADERS, P::kEndHeaders, stream, P::Literal("x", "y"));
  };
  const std::string endless = std::string("\0\1a\x7f\xff\xff\xff\x7f", 8);
  const std::string large_window = P::Number(4, 2) + P::Number(0x7fff'ffff);
  const std::string padding = "\xff" + std::string(255, '\0');
  return {
      {"resets", calls(500, Reset)},
      {"resets, not read", calls(500, Reset), false},
      {"resets that the server has to send", calls(100, wait_for_nothing)},
      {"headers without end", Continued(P::ManyHeaders())},
      {"empty headers without end", Continued("")},
      {"many bytes of headers", LargeHeaders},
      {"a bomb in HPACK's table", Bomb},
      {"a header without end", Continued(endless + std::string(16'000, 'y'))},
      {"SETTINGS", Again(Frame(NGHTTP2_SETTINGS, 0, 0))},
      {"SETTINGS, not read", Again(Frame(NGHTTP2_SETTINGS, 0, 0)), false},
      {"SETTINGS with many entries", Again(Frame(NGHTTP2_SETTINGS, 0, 0, ManySettings()), 20)},
      {"PING", Again(Frame(NGHTTP2_PING, 0, 0, "12345678"))},
      {"PING, not read", Again(Frame(NGHTTP2_PING, 0, 0, "12345678")), false},
      {"PRIORITY", Again(Frame(NGHTTP2_PRIORITY, 0, 9, P::Number(0) + "x"))},
      {"empty DATA", Again(Frame(NGHTTP2_DATA, 0, 1))},
      {"DATA of padding", Again(Frame(NGHTTP2_DATA, 8, 1, padding))},
      {"WINDOW_UPDATE", Again(Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, P::Number(1)))},
      {"unknown frames", Again(Frame(77, 0, 0, "12345678"))},
      {"DATA of a call that is over",
       Again(Frame(NGHTTP2_DATA, 0, 1, "x"), 1000, "/twofold.v1.Clients/Submit")},
      {"questions for the list of services", AskedReflection("\x3a\1*"), true, large_window},
      {"questions for a service's files",
       AskedReflection("\x22\x12"
                       "twofold.v1.Clients"),
       true, large_window},
      {"messages without end", calls(4, Unfinished)},
      {"replies behind a window of 0", calls(100, Asked), true, P::Number(4, 2) + P::Number(0)},
      {"calls that are never asked", calls(500, NoMore)},
      {"replies that are not read", calls(500, Asked), false},
      {"empty messages by the thousand",
       Again(Frame(NGHTTP2_DATA, 0, 1, Repeated(h2::Message(""), 3000)), 10)},
      {"trailers again and again", calls(20, trailers)},
      {"held health watches", calls(100, Asked, "/grpc.health.v1.Health/Watch")},
      {"held streams of reflection",
       calls(100, NoMore, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")},
      {"a part now and then, on many connections",
       calls(1, NoMore),
       true,
       {},
       milliseconds(1),
       kSlow},
      {"connections that say nothing", NoMore, true, {}, milliseconds(1), kSlow},
      {"connections that ask for health and stay",
       Once(calls(1, Asked)),
       true,
       {},
       milliseconds(1),
       kSlow},
  };
}

/// Of a frontend that has fewer descriptors than the attackers want.
std::vector<Flood> FloodsOfConnections() {
  return {
      {"silent connections to the limit", NoMore, true, {}, milliseconds(0), kSlow},
      {"asking connections to the limit",
       Once([](std::uint32_t part) { return Calls(part, 1, Asked); }),
       true,
       {},
       milliseconds(0),
       kSlow},
  };
}

/// The most memory that the process had since it was asked before.
double PeakMiB(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream status(folder + "/status");
  double peak = -1;
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) peak = std::stod(line.substr(6)) / 1024;
  }
  std::ofstream(folder + "/clear_refs") << "5";
  return peak;
}

/// Attackers have a core of their own, so what honest work loses is the frontend's doing.
class Cores {
 public:
  Cores() {
    sched_getaffinity(0, sizeof(all_), &all_);
    std::size_t last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &all_)) --last;
    CPU_ZERO(&attackers_);
    CPU_SET(last, &attackers_);
    CPU_XOR(&others_, &all_, &attackers_);
    if (CPU_COUNT(&others_) == 0) others_ = all_;
    Stay(others_);
  }
  ~Cores() { Stay(all_); }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  void StayWithAttackers() const { Stay(attackers_); }

 private:
  /// This thread, and what it starts.
  static void Stay(const cpu_set_t& on) { sched_setaffinity(0, sizeof(on), &on); }

  cpu_set_t all_;
  cpu_set_t attackers_;
  cpu_set_t others_;
};

/// What was measured while a flood lasted.
struct Endured {
  double health_ms = 0;  // the slowest answer
  double peak_mib = 0;
  double rate = 0;  // of honest jobs, to that before
};

class FloodsTest : public ClusterTest {
 protected:
  /// Of the frontend that is started next.
  void LimitDescriptors(int most) {
    frontend_program_ = folder_ / "few-descriptors";
    WriteFile(frontend_program_, "#!/bin/sh\nulimit -n " + std::to_string(most) +
                                     "\nexec " TWOFOLD_BIN "/twofold-frontend \"$@\"\n");
    std::filesystem::permissions(frontend_program_, std::filesystem::perms::owner_all);
  }

  /// A frontend that demands tokens, and a worker and a client that have them.
  void Begin() {
    const auto token = [this](const std::string& role) {
      WriteFile(folder_ / role, "token-of-the-" + role + "\n");
      return folder_ / role;
    };
    WriteFile(folder_ / "tokens", "client c token-of-the-client\nworker w token-of-the-worker\n");
    StartFrontend(
        {"--memory-limit", std::to_string(kLimitMiB), "--token-file", folder_ / "tokens", "sleep"});
    const Load load = HonestLoad();
    backend_ = StartBackend({"sleep", load.seconds},
                            {"--slots", load.parallel, "--token-file", token("worker")});
    client_ = StartClient({"--parallel", load.parallel, "--token-file", token("client")});
    AwaitJobs(10);
    PeakMiB(frontend_->pid());
  }

  void Endure(const std::vector<Flood>& floods) {
    Begin();
    std::vector<Endured> all;
    const char* const wanted = std::getenv("TWOFOLD_FLOOD");
    for (const Flood& flood : floods) {
      if (wanted != nullptr && std::string_view(flood.name).rfind(wanted, 0) != 0) continue;
      const double calm = RateDuring([] { std::this_thread::sleep_for(kFloodTime); });
      Endured endured;
      const auto end = Clock::now() + kFloodTime;
      std::vector<std::thread> attackers = Attack(flood, end);
      const double rate = RateDuring([&] { endured.health_ms = SlowestHealth(flood, end); });
      for (std::thread& attacker : attackers) attacker.join();
      ASSERT_TRUE(frontend_->running()) << flood.name << ": " << frontend_->output();
      endured.peak_mib = PeakMiB(frontend_->pid());
      endured.rate = rate / calm;
      std::printf("%-42s at most %4.0f MiB, health within %4.0f ms, %4.0f jobs/s, %.2f of before\n",
                  flood.name, endured.peak_mib, endured.health_ms, rate, endured.rate);
      EXPECT_LT(endured.peak_mib, kMostMiB) << flood.name;
      AwaitJobs(10);
      all.push_back(endured);
    }
    Print(all);
  }

 private:
  [[nodiscard]] std::uint16_t port() const { return ParseAddress(client_address_)->port; }

  /// Until the time is over; whoever is broken off comes back.
  void Play(const Flood& flood, Clock::time_point end) const {
    const auto goes_on = [end] { return Clock::now() < end; };
    std::vector<std::unique_ptr<Http2Peer>> peers(static_cast<std::size_t>(flood.connections));
    std::vector<std::uint32_t> parts(peers.size());
    for (std::size_t at = 0; goes_on(); at = (at + 1) % peers.size()) {
      if (peers[at] == nullptr) {
        peers[at] = std::make_unique<Http2Peer>(port(), nullptr, AttackersHost());
        peers[at]->SetPatience(kFloodTime);  // who is not read waits no longer
        parts[at] = 0;
        if (!peers[at]->Send(h2::Greeting(flood.settings))) peers[at].reset();
      } else if (!peers[at]->Send(flood.part(parts[at]++)) ||
                 (flood.reads && peers[at]->IsClosed(milliseconds(1)))) {
        peers[at].reset();
      }
      std::this_thread::sleep_for(flood.pause);
    }
  }

  std::vector<std::thread> Attack(const Flood& flood, Clock::time_point end) const {
    std::vector<std::thread> attackers;
    for (int i = 0; i < kPeers; ++i) {
      attackers.emplace_back([this, &flood, end] {
        cores_.StayWithAttackers();
        Play(flood, end);
      });
    }
    return attackers;
  }

  /// How long the slowest health check took until `end`, in milliseconds.
  double SlowestHealth(const Flood& flood, Clock::time_point end) const {
    double slowest = 0;
    while (Clock::now() < end) {
      const Instant asked = Now();
      EXPECT_EQ(HealthStatus(port()), 0) << flood.name;
      slowest = std::max(slowest, ToSeconds(Now() - asked) * 1e3);
      std::this_thread::sleep_for(milliseconds(20));
    }
    return slowest;
  }

  [[nodiscard]] double Finished() const { return ClientFinished(client_, "succeeded"); }
  void AwaitJobs(double more) const {
    const double then = Finished();
    EXPECT_TRUE(Await([&] { return Finished() > then + more; }));
  }
  /// Jobs a second.
  double RateDuring(const std::function<void()>& what) const {
    const Instant begun = Now();
    const double before = Finished();
    what();
    return (Finished() - before) / ToSeconds(Now() - begun);
  }

  static void Print(std::vector<Endured> all) {
    if (all.empty()) return;
    const auto most = [&](auto of) {
      return std::invoke(of, *std::max_element(all.begin(), all.end(), [of](auto& a, auto& b) {
                           return std::invoke(of, a) < std::invoke(of, b);
                         }));
    };
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.rate < b.rate; });
    std::printf(
        "all from %s: at most %.0f MiB, health within %.0f ms, lowest rate %.2f of before, median "
        "%.2f\n",
        AttackersHost().c_str(), most(&Endured::peak_mib), most(&Endured::health_ms),
        all.front().rate, all[all.size() / 2].rate);
  }

  const Cores cores_;
  std::unique_ptr<Program> backend_;
  Client client_;
};

TEST_F(FloodsTest, LeaveTheFrontendAliveWithinItsMemoryAndWorkGoesOn) { Endure(Floods()); }

TEST_F(FloodsTest, ThatTakeAllConnectionsLeaveRoomForNewcomers) {
  LimitDescriptors(512);
  Endure(FloodsOfConnections());
}

}  // namespace
}  // namespace twofold::testing
