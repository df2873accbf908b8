#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/commands/cluster_options.h"
#include "kubernetes/commands/nodes_options.h"
#include "kubernetes/nodes/cluster.h"
#include "kubernetes/nodes/metrics.h"
#include "kubernetes/nodes/report.h"
#include "kubernetes/nodes/simulation.h"
#include "lib/common/descriptors.h"
#include "lib/common/interruption.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/http/server.h"
#include "lib/metrics/page.h"

// Simulated nodes: objects only, no container runs.
//
//   model/        what nodes and pods do when: state machines without I/O or time
//   simulation.h  threads and connections that carry it out
//   cluster.h     what is there before and after
namespace twofold::nodes {
namespace {

/// What the pages show, once there is one.
using Shown = std::atomic<Simulation*>;

metrics::Families FamiliesOf(const Shown& shown) {
  return [&shown]() -> std::optional<std::vector<prometheus::MetricFamily>> {
    Simulation* const simulation = shown;
    if (simulation == nullptr) return std::nullopt;
    auto families = OwnMetrics(simulation->counts());
    for (auto& family : GpuMetrics(*simulation)) families.push_back(std::move(family));
    return families;
  };
}

/// Says how a simulation goes, until it is stopped or has no node left.
class Reporter {
 public:
  Reporter(const UpOptions& options, Simulation& simulation, const http::Server& server)
      : options_(options), simulation_(simulation), server_(server), begun_(Now()), thread_([this] {
          Run();
        }) {}

  ~Reporter() { Stop(); }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void Stop() {
    stop_.Interrupt();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] Duration time() const { return Now() - begun_; }

 private:
  static constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);

  void Run() {
    SimulationCounts before;
    Instant said = begun_;
    while (stop_.Pause(Now() + kBetweenLooks)) {
      const SimulationCounts counts = simulation_.counts();
      if (!is_up_ && counts.fleet.seen == options_.count) GreetUp();
      if (counts.fleet.gone == options_.count) {
        spdlog::warn("all nodes have been deleted by somebody");
        ShutdownSignals::Wake();
        return;
      }
      if (Now() - said < FromSeconds(options_.report_seconds)) continue;
      spdlog::info("{}", ProgressLine(counts, before, Now() - said));
      before = counts;
      said = Now();
    }
  }

  void GreetUp() {
    is_up_ = true;
    spdlog::info("{} nodes are up after {:.1f} s; metrics at {}/metrics", options_.count,
                 ToSeconds(time()), metrics::UrlOf(options_.page, server_));
    const Status written = metrics::TellReady(options_.page, server_);
    if (!written.ok()) spdlog::error("{}", std::string(written.message()));
  }

  const UpOptions& options_;
  Simulation& simulation_;
  const http::Server& server_;
  const Instant begun_;
  bool is_up_ = false;
  Interruption stop_;
  std::thread thread_;
};

Status Simulate(const UpOptions& options, const SimulationPlan& settings, const kube::Access& access,
                const std::vector<std::uint32_t>& existing, ShutdownSignals& signals,
                http::Server& server, Shown& shown) {
  Simulation simulation(access, settings, existing, options.connections);
  shown = &simulation;
  Reporter reporter(options, simulation, server);
  const int signal = signals.Wait();
  reporter.Stop();
  if (signal != 0) spdlog::info("signal {}: ending", signal);
  server.Stop();
  simulation.Stop();
  std::cout << FinalReport(simulation.counts(), reporter.time()) << std::flush;
  return absl::OkStatus();
}

Status CleanRun(const kube::Access& access, const std::string& run) {
  const auto cleaned = CleanUp(access, run);
  if (!cleaned.ok()) {
    return {
        cleaned.status().code(),
        absl::StrCat("run ", run, " is not all deleted: ", std::string(cleaned.status().message()),
                     "; `twofold nodes down --run ", run, "` tries again")};
  }
  std::cout << "deleted " << cleaned->nodes << " nodes and " << cleaned->pods << " pods of run "
            << run << std::endl;
  return absl::OkStatus();
}

Status Up(const UpOptions& options) {
  ShutdownSignals signals;
  InitLogging(/*verbose=*/false);
  RaiseDescriptorLimit();
  const auto settings = Read(options);
  if (!settings.ok()) return settings.status();
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  // Before there is a node: the port may be taken.
  Shown shown = nullptr;
  const auto server = metrics::ServePage(options.page, FamiliesOf(shown));
  if (!server.ok()) return server.status();
  kube::Connection connection(*access);
  const auto existing = Examine(connection, settings->nodes);
  if (!existing.ok()) return existing.status();
  if (!existing->empty()) {
    spdlog::info("takes over {} nodes that an `up` before has left", existing->size());
  }
  const Status status = Simulate(options, *settings, *access, *existing, signals, **server, shown);
  if (options.keep) return status;
  const Status cleaned = CleanRun(*access, options.run);
  return status.ok() ? cleaned : status;
}

cli::Action BindUp(CLI::App& app, const cli::Globals&) {
  auto options = std::make_shared<UpOptions>();
  Declare(app, *options);
  return [options] { return Up(*options); };
}

struct RunOptions {
  cli::ClusterOptions cluster;
  std::string run = "sim";
};

cli::Action BindDown(CLI::App& app, const cli::Globals&) {
  auto options = std::make_shared<RunOptions>();
  DeclareRun(app, options->run, "The --run of its `up`");
  Declare(app, options->cluster);
  return [options]() -> Status {
    InitLogging(/*verbose=*/false);
    const auto access = kube::OpenAccess(SourcesOf(options->cluster));
    if (!access.ok()) return access.status();
    if (const Status status = CheckRunName(options->run); !status.ok()) return status;
    return CleanRun(*access, options->run);
  };
}

const show::Columns& StatusColumns() {
  static const show::Columns columns = {
      {.heading = "RUN", .path = "run"},
      {.heading = "NODES", .path = "nodes"},
      {.heading = "READY", .path = "ready"},
      {.heading = "PENDING", .path = "pods.Pending"},
      {.heading = "RUNNING", .path = "pods.Running"},
      {.heading = "SUCCEEDED", .path = "pods.Succeeded"},
      {.heading = "FAILED", .path = "pods.Failed"},
  };
  return columns;
}

cli::Action BindStatus(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<cli::ClusterOptions>();
  Declare(app, *options);
  return [options, &globals]() -> Status {
    InitLogging(/*verbose=*/false);
    const auto access = kube::OpenAccess(SourcesOf(*options));
    if (!access.ok()) return access.status();
    kube::Connection connection(*access);
    const auto rows = StatusOf(connection);
    if (!rows.ok()) return rows.status();
    std::cout << show::Print(globals.form, StatusColumns(), *rows) << std::flush;
    return absl::OkStatus();
  };
}

}  // namespace
}  // namespace twofold::nodes

namespace twofold::cli {

std::vector<Command> NodeCommands() {
  return {{.name = "nodes up",
           .help = "Simulate nodes and the pods on them until SIGTERM or Ctrl-C, then remove them",
           .example = "twofold nodes up --count 1000 --cpu 64 --resource nvidia.com/gpu=8",
           .bind = nodes::BindUp,
           .asks_frontend = false},
          {.name = "nodes down",
           .help = "Remove the simulated nodes that a killed `up` left, and the pods on them",
           .example = "twofold nodes down --run sim",
           .bind = nodes::BindDown,
           .asks_frontend = false},
          {.name = "nodes status",
           .help = "The simulated nodes of the cluster and the pods on them, by run",
           .example = "twofold nodes status --output json",
           .bind = nodes::BindStatus,
           .prints = Prints::kTable,
           .asks_frontend = false}};
}

}  // namespace twofold::cli
