// The same jobs through Twofold and through its peers, one after the other on this machine.
// README.md says how it measures and how to add a system.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/peers/csv.h"
#include "bench/peers/measure.h"
#include "bench/peers/options.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/relay_servers.h"
#include "bench/peers/series.h"
#include "bench/peers/text.h"
#include "lib/common/options.h"

namespace twofold::bench {
namespace {

// Ten thousand idle connections need as many descriptors, here and in the servers.
void AllowManyFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Programs FindPrograms(const Options& options) {
  const std::filesystem::path bench = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path frontend = options.frontend.empty()
                                             ? bench.parent_path() / "twofold-frontend"
                                             : std::filesystem::absolute(options.frontend);
  return {.bench = bench, .frontend = frontend};
}

// Prints the run as a line and ends the process, whatever the peer's threads are doing.
[[noreturn]] void RunMeasure(const Options& options) {
  const Result<Run> asked = ParseCsv(options.cell);
  const PeerRow* peer = asked.ok() ? FindPeer(asked->cell.peer) : nullptr;
  if (peer == nullptr) {
    fmt::print(stderr, "bench_peers: no such cell: {}\n", options.cell);
    std::_Exit(kExitUsage);
  }
  Task task{.cell = asked->cell,
            .target = {.ports = {options.ports.begin(), options.ports.end()},
                       .directory = options.directory},
            .name = fmt::format("bench{}", getpid())};
  const MeasureTimes times = {.warm_up = FromSeconds(options.warm_up),
                              .measured = FromSeconds(options.seconds),
                              .settle = FromSeconds(options.settle),
                              .idle = FromSeconds(options.idle)};
  setenv("GRPC_VERBOSITY", "NONE", 0);
  Peer& measured = *peer->make().release();
  const Run run = {.pass = asked->pass,
                   .cell = task.cell,
                   .figures = Measure(measured, task, options.server, times)};
  fmt::print("{}\n", ToCsv(run));
  std::fflush(stdout);
  std::_Exit(0);
}

[[noreturn]] void RunServe(const Options& options) {
  const auto port = static_cast<std::uint16_t>(options.ports.front());
  if (options.relay == "tcp-relay") ServeTcpRelay(port);
  ServeGrpcRelay(port);
}

Status RunCommand(const Options& options, const Programs& programs) {
  switch (options.command) {
    case Command::kSeries:
      return RunSeries(options, programs);
    case Command::kCheck:
      return RunCheck(options, programs);
    case Command::kReport:
      return WriteReport(options.runs, options.output);
    case Command::kList:
      PrintPeers(programs);
      return absl::OkStatus();
    case Command::kMeasure:
      RunMeasure(options);
    case Command::kServe:
      RunServe(options);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace twofold::bench

int main(int argc, char** argv) {
  using namespace twofold;
  bench::Options options;
  CLI::App app{"The same jobs through Twofold and its peers, on this machine.", "bench_peers"};
  bench::Declare(app, options);
  if (const auto code = ParseCommandLine(app, argc, argv)) return *code;
  bench::AllowManyFiles();
  const bool drives =
      options.command != bench::Command::kServe && options.command != bench::Command::kMeasure;
  if (drives) bench::CatchInterrupts();
  const Status status = bench::RunCommand(options, bench::FindPrograms(options));
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_peers: {}\n", bench::Message(status));
  return absl::IsNotFound(status) ? kExitUsage : 1;
}
