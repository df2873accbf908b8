#include "kubernetes/operator/program.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/synchronization/mutex.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/api/config.h"
#include "kubernetes/controller/controller.h"
#include "kubernetes/controller/leadership.h"
#include "kubernetes/operator/crd.h"
#include "kubernetes/operator/frontend_crd.h"
#include "kubernetes/operator/frontend_part.h"
#include "kubernetes/operator/granted_runs.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/line.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/measurement_crds.h"
#include "kubernetes/operator/measurement_runs.h"
#include "kubernetes/operator/metrics.h"
#include "kubernetes/operator/object_kind.h"
#include "kubernetes/operator/options.h"
#include "kubernetes/operator/own_worker_runs.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/perftest_part.h"
#include "kubernetes/operator/pool_crd.h"
#include "kubernetes/operator/pool_part.h"
#include "kubernetes/operator/reconciler.h"
#include "lib/common/descriptors.h"
#include "lib/common/host_name.h"
#include "lib/common/interruption.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/http/router.h"
#include "lib/http/server.h"
#include "lib/metrics/family.h"
#include "lib/security/server.h"
#include "lib/yaml/block_text.h"

namespace twofold::benchmarks {
namespace {

/// A worker that looks at one object for so long hangs.
constexpr Duration kHung = std::chrono::minutes(10);
/// For what workers are at when the program is told to end; pods have 30 s for it.
constexpr Duration kEndLimit = std::chrono::seconds(20);

constexpr int kExitFollows = 1;
/// Of the objects of a kind.
constexpr std::size_t kCacheBytes = 128 << 20;
constexpr Duration kUntilPrepared = std::chrono::milliseconds(200);

/// A kind, who runs its objects, and who looks at them.
struct Part {
  const ObjectKind& kind;
  Runs& runs;
  std::unique_ptr<controller::Controller> controller;
};
using Parts = std::vector<Part>;

std::vector<controller::Snapshot> AllOf(const Parts& parts) {
  std::vector<controller::Snapshot> all;
  for (const Part& part : parts) {
    for (controller::Snapshot& each : part.controller->All()) all.push_back(std::move(each));
  }
  return all;
}

/// The API server by one worker's connection, and the caches of all kinds.
class WorkerCluster final : public Cluster {
 public:
  WorkerCluster(const Parts& parts, const Part& part, kube::Connection& connection)
      : parts_(parts), part_(part), connection_(connection) {}

  [[nodiscard]] controller::Snapshot Find(const kube::ObjectName& name) const override {
    return part_.controller->Find(name);
  }
  [[nodiscard]] std::vector<controller::Snapshot> All() const override { return AllOf(parts_); }

  Result<kube::Json> Write(const kube::Call& call) override {
    Result<kube::Reply> reply = connection_.Do(call);
    if (!reply.ok()) return reply.status();
    if (kube::TextAt(reply->body, "/kind") == part_.kind.resource.kind) {
      part_.controller->Note(reply->body);
    }
    return std::move(reply->body);
  }

 private:
  const Parts& parts_;
  const Part& part_;
  kube::Connection& connection_;
};

controller::ControllerOptions ControllerOptionsOf(const Options& options, const ObjectKind& kind) {
  const bool is_ours = kind.resource == kBenchmarks;
  controller::ControllerOptions of;
  of.name = absl::AsciiStrToLower(kind.resource.kind);
  of.selection = {kind.resource, options.space};
  of.workers = is_ours ? options.workers : 1;
  of.cache_bytes = kCacheBytes;
  return of;
}

std::vector<const ObjectKind*> KindsOf(const Options& options) {
  std::vector<const ObjectKind*> kinds = {&BenchmarkKind()};
  if (!options.perftest) return kinds;
  for (const ObjectKind& each : PerftestKinds()) kinds.push_back(&each);
  return kinds;
}

std::vector<std::unique_ptr<MeasurementRuns>> MeasurementRunsOf(const Options& options,
                                                                const kube::Access& access,
                                                                const Frontends& frontends) {
  std::vector<std::unique_ptr<MeasurementRuns>> runs;
  if (!options.measurements) return runs;
  const MeasurementSettings settings{options.job_image, JobFrontend(options, access.config.space),
                                     options.job_tls_secret, options.job_token_secret};
  for (const MeasurementKind& kind : MeasurementKinds()) {
    runs.push_back(std::make_unique<MeasurementRuns>(kind, access, settings, frontends));
  }
  return runs;
}

/// All parts, in the order in which they begin.
class Operator {
 public:
  Operator(const Options& options, const kube::Access& access)
      : options_(options),
        frontends_(options, access),
        perftest_(options, access),
        granted_runs_(frontends_.frontends()),
        runs_(granted_runs_, options.own_workers ? &access : nullptr,
              std::chrono::system_clock::now,
              [this](const kube::Json& object) { return perftest_.PoolFor(object); }),
        measurements_(MeasurementRunsOf(options, access, frontends_.frontends())),
        reconciler_({.poll = FromSeconds(options.poll_seconds)}, HostName()) {
    const auto kinds = KindsOf(options);
    parts_.reserve(kinds.size() + measurements_.size());
    for (const ObjectKind* kind : kinds) Add(*kind, runs_, access);
    for (const auto& runs : measurements_) Add(runs->kind().object, *runs, access);
    for (const std::string& space : PoolSpaces(options)) {
      const std::string end = pools_.empty() ? "" : "-" + space;
      pools_.push_back(std::make_unique<PoolPart>(options, access, frontends_, space, end));
    }
  }

  Status Serve(const security::Server& security) {
    http::ServerOptions server;
    server.tls = security.tls;
    auto started = http::Server::Start(options_.http, Routes(), server);
    if (!started.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--http-address: ", std::string(started.status().message())));
    }
    server_ = *std::move(started);
    return absl::OkStatus();
  }

  /// Keeps the cache, and acts once it leads.
  void Begin(const kube::Access& access) {
    frontends_.Watch();
    perftest_.Watch();
    for (const Part& part : parts_) part.controller->Watch();
    for (const auto& each : pools_) each->Watch();
    const std::string space =
        options_.lease_space.empty() ? access.config.space : options_.lease_space;
    const Duration lease_for = FromSeconds(options_.lease_seconds);
    controller::ElectionOptions election{.lease = {space, options_.lease},
                                         .identity = controller::MakeIdentity(),
                                         .lease_for = lease_for,
                                         .renew_within = lease_for * 2 / 3,
                                         .retry = lease_for * 2 / 15};
    leadership_ = std::make_unique<controller::Leadership>(access, election, [this](bool leads) {
      if (leads) return Work();
      lost_ = true;
      ShutdownSignals::Wake();
    });
  }

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] bool lost() const { return lost_; }

  /// No object is looked at any more.
  void EndWork() {
    server_->Stop();
    for (const Part& part : parts_) part.controller->Stop();
    for (const auto& each : pools_) each->Stop();
    frontends_.Stop();
    perftest_.Stop();
  }

  /// Whether all is known by which objects are run.
  [[nodiscard]] bool is_prepared() const { return frontends_.synced() && perftest_.synced(); }

 private:
  void Add(const ObjectKind& kind, Runs& runs, const kube::Access& access) {
    Part& part = parts_.emplace_back(Part{kind, runs, nullptr});
    part.controller = std::make_unique<controller::Controller>(
        access, ControllerOptionsOf(options_, kind),
        [this, &part](const kube::ObjectName& name,
                      kube::Connection& connection) -> Result<controller::Next> {
          if (!is_prepared()) return controller::Next{kUntilPrepared};
          WorkerCluster cluster(parts_, part, connection);
          return reconciler_.Reconcile(part.kind, part.runs, cluster, name, Now(),
                                       std::chrono::system_clock::now());
        },
        [this](const kube::ObjectName&) {
          WakeNext();
          return std::vector<kube::ObjectName>();
        });
  }

  void Work() {
    for (const Part& part : parts_) part.controller->Work();
    for (const auto& each : pools_) each->Work();
  }

  /// Whose turn has come is told so, of whatever kind it is.
  void WakeNext() {
    const auto all = AllOf(parts_);
    for (const controller::Snapshot& next : NextInLine(all)) {
      const std::string kind = kube::TextAt(*next, "/kind");
      for (const Part& part : parts_) {
        if (part.kind.resource.kind == kind) part.controller->Add(kube::NameOf(*next));
      }
    }
  }

  [[nodiscard]] OperatorCounts Counts() const {
    OperatorCounts counts{options_.lease, leadership_ != nullptr && leadership_->leads(), {}};
    for (const Part& part : parts_) {
      counts.controllers[part.controller->name()] = part.controller->counts();
    }
    frontends_.AddCounts(counts.controllers);
    perftest_.AddCounts(counts.controllers);
    for (const auto& each : pools_) each->AddCounts(counts.controllers);
    return counts;
  }

  [[nodiscard]] bool Hangs() const {
    const auto counts = Counts().controllers;
    return std::any_of(counts.begin(), counts.end(),
                       [](const auto& each) { return each.second.queue.longest > kHung; });
  }

  [[nodiscard]] http::Router Routes() {
    const auto metrics = [this](const http::Request&) {
      return metrics::Page(MetricsOf(Counts()));
    };
    const auto healthz = [this](const http::Request&) {
      return Hangs() ? http::PlainText(503, "an object is looked at for too long\n")
                     : http::PlainText(200, "ok\n");
    };
    // Also of a follower: a rolling update waits for it.
    const auto readyz = [this](const http::Request&) {
      return parts_.front().controller->synced() && is_prepared()
                 ? http::PlainText(200, "ok\n")
                 : http::PlainText(503, "the Benchmarks are not known yet\n");
    };
    return http::Router(
        {{"GET", "/metrics", metrics}, {"GET", "/healthz", healthz}, {"GET", "/readyz", readyz}});
  }

  const Options& options_;
  FrontendPart frontends_;
  PerftestPart perftest_;
  GrantedRuns granted_runs_;
  OwnWorkerRuns runs_;
  const std::vector<std::unique_ptr<MeasurementRuns>> measurements_;
  Reconciler reconciler_;
  Parts parts_;  // our own kind first; each stays where it is
  std::vector<std::unique_ptr<PoolPart>> pools_;
  std::atomic<bool> lost_ = false;
  // The lease is given back before the rest goes, and after the last object was looked at.
  std::unique_ptr<controller::Leadership> leadership_;
  std::unique_ptr<http::Server> server_;
};

Status TellReady(const Options& options, std::uint16_t port) {
  if (options.ready_file.empty()) return absl::OkStatus();
  const HostPort address{options.http.host.empty() ? "127.0.0.1" : options.http.host, port};
  return WriteReadyFile(options.ready_file, {{"http", ToString(address)}});
}

int Serve(const CLI::App& app, const Options& options, const kube::Access& access,
          ShutdownSignals& signals) {
  const auto security = security::Open(options.http_security);
  if (!security.ok()) return UsageError(app, std::string(security.status().message()));
  auto parts = std::make_unique<Operator>(options, access);
  if (Status status = parts->Serve(*security); !status.ok()) {
    return UsageError(app, std::string(status.message()));
  }
  parts->Begin(access);
  spdlog::info("Benchmarks of {}, frontend {}, http on port {}",
               options.space.empty() ? "all namespaces" : "namespace " + options.space,
               options.frontend.frontend, parts->port());
  if (Status status = TellReady(options, parts->port()); !status.ok()) {
    return UsageError(app, "--ready-file: " + std::string(status.message()));
  }
  const int signal = signals.Wait();
  if (parts->lost()) {
    spdlog::error("another operator leads now");
    std::_Exit(kExitFollows);  // at once: whatever a worker does now, it must not do
  }
  spdlog::info("signal {}, stopping", signal);
  Interruption ended;
  std::thread limit([&ended] {
    if (ended.Pause(Now() + kEndLimit)) std::_Exit(0);
  });
  parts->EndWork();
  parts.reset();
  ended.Interrupt();
  limit.join();
  return 0;
}

void PrintDefinitions(const std::string& group) {
  std::vector<yaml::Json> definitions = PerftestDefinitions();
  if (group == kGroup) {
    definitions = MeasurementDefinitions();
    definitions.insert(definitions.begin(), BenchmarkDefinition());
    definitions.push_back(WorkerPoolDefinition());
    definitions.push_back(FrontendDefinition());
  }
  const char* between = "";
  for (const yaml::Json& definition : definitions) {
    std::cout << std::exchange(between, "---\n") << yaml::BlockText(definition);
  }
}

}  // namespace

int Main(int argc, char** argv) {
  CLI::App app("Runs the Benchmarks of a Kubernetes cluster.", "twofold-operator");
  Options options;
  Bind(app, options);
  if (const std::optional<int> code = ParseCommandLine(app, argc, argv)) return *code;
  if (!options.print_crds.empty()) {
    PrintDefinitions(options.print_crds);
    return 0;
  }
  if (Status status = Check(options); !status.ok()) {
    return UsageError(app, std::string(status.message()));
  }
  if (options.check_config) return 0;
  RaiseDescriptorLimit();
  InitLogging(options.verbose);
  if (!options.verbose) setenv("GRPC_VERBOSITY", "NONE", 0);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  ShutdownSignals signals;
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return UsageError(app, std::string(access.status().message()));
  return Serve(app, options, *access, signals);
}

}  // namespace twofold::benchmarks
