// What it costs one thread to relay messages between HTTP/2 connections: on the loop of lib/h2, and
// on Asio's io_context. All ways drive the same sessions; all but the last write once for each
// connection when all that was readable is read. They take turns, the order of which alternates;
// values are medians of all rounds (lowest .. highest), ratios are those of a round to the loop.
//
// CPU is that of the relaying thread, so it means something also on a machine that does other
// things; messages a second do not.
//
//   loops_benchmark [ROUNDS [MILLISECONDS]]     default: 7 1000

#include <absl/strings/str_format.h>
#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bench/loops/relay.h"
#include "bench/loops/sockets.h"
#include "bench/loops/ways.h"
#include "lib/common/descriptors.h"
#include "lib/stats/summary.h"

namespace twofold::h2 {
namespace {

constexpr Shape kShapes[] = {
    {"1+1, 1", 1, 1},        {"1+1, 64", 1, 64},
    {"1+1, 1 024", 1, 1024}, {"8+8, 64", 8, 8},
    {"8+8, 1 024", 8, 128},  {"16+16, open", 16, 1, std::chrono::microseconds(25)}};

// ---- idle connections

constexpr std::size_t kIdle = 10'000;
constexpr int kTurns = 2000;

class Counting final : public Link {
 public:
  void OnBytes(std::string_view bytes) override { came += bytes.size(); }
  std::size_t came = 0;
};

struct Idle {
  double bytes = 0;  ///< allocated for a connection
  double one = 0;    ///< microseconds of CPU of a turn in which one of them is readable
  double many = 0;   ///< in which 64 are
};

double Allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double TurnOf(Waiting& waiting, std::vector<Counting>& links, std::size_t readable) {
  double spent = 0;
  std::size_t next = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < readable; ++i, next = (next + 1) % links.size()) {
      Need(send(links[next].socket, "x", 1, 0) == 1, "send");
    }
    const double begun = OwnCpu();
    waiting.Turn(static_cast<int>(readable));
    spent += OwnCpu() - begun;
  }
  return 1e6 * spent / kTurns;
}

Idle MeasureIdle(const Way& way) {
  const auto waiting = way.make();
  std::vector<Counting> links(kIdle);
  std::vector<Descriptor> sockets;
  for (std::size_t i = 0; i < kIdle; ++i) sockets.push_back(ConnectedToItself());
  const double before = Allocated();
  for (std::size_t i = 0; i < kIdle; ++i) {
    links[i].socket = sockets[i].get();
    links[i].buffers = &waiting->buffers();
    waiting->Add(links[i], std::move(sockets[i]));
  }
  Idle idle{.bytes = (Allocated() - before) / static_cast<double>(kIdle)};
  idle.one = TurnOf(*waiting, links, 1);
  idle.many = TurnOf(*waiting, links, 64);
  return idle;
}

// ---- rounds

/// The values of a way, one for each round.
using Values = std::array<std::vector<double>, std::size(kWays)>;

std::string Spread(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return absl::StrFormat("%.4g (%.4g .. %.4g)", stats::Median(values), *least, *most);
}

/// `what` of each way, and how it compares to the loop's.
void Print(const char* what, const Values& values) {
  for (std::size_t way = 0; way < values.size(); ++way) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < values[way].size(); ++round) {
      ratios.push_back(values[way][round] / values[0][round]);
    }
    absl::PrintF("  %-22s %-18s %-34s %s\n", what, kWays[way].name, Spread(values[way]),
                 Spread(ratios));
  }
}

/// Calls `measure` with each way once a round, alternately from the first and from the last.
template <typename Measure>
void InTurn(int rounds, Measure&& measure) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      measure(round % 2 == 0 ? i : std::size(kWays) - 1 - i);
    }
  }
}

void Run(int rounds, Duration time) {
  for (const Shape& shape : kShapes) {
    Values rates;
    Values cpu;
    InTurn(rounds, [&](std::size_t way) {
      const Measured measured = MeasureRelay(kWays[way], shape, time);
      rates[way].push_back(measured.rate);
      cpu[way].push_back(measured.cpu);
    });
    absl::PrintF("%s\n", shape.name);
    Print("messages/s", rates);
    Print("CPU s / 1M messages", cpu);
    std::fflush(stdout);
  }
  Values bytes;
  Values one;
  Values many;
  InTurn(rounds, [&](std::size_t way) {
    const Idle idle = MeasureIdle(kWays[way]);
    bytes[way].push_back(idle.bytes);
    one[way].push_back(idle.one);
    many[way].push_back(idle.many);
  });
  absl::PrintF("%d idle connections\n", kIdle);
  Print("bytes a connection", bytes);
  Print("CPU us, 1 readable", one);
  Print("CPU us, 64 readable", many);
}

}  // namespace
}  // namespace twofold::h2

int main(int argc, char** argv) {
  const auto argument = [&](int index, int otherwise) {
    return argc > index ? std::max(1, std::atoi(argv[index])) : otherwise;
  };
  twofold::RaiseDescriptorLimit();
  twofold::h2::Run(argument(1, 7), std::chrono::milliseconds(argument(2, 1000)));
  return 0;
}
