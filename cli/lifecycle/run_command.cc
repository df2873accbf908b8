#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster/metrics_page.h"
#include "cli/cluster/options.h"
#include "cli/command/command.h"
#include "cli/lifecycle/commands.h"
#include "cli/lifecycle/metrics.h"
#include "cli/lifecycle/output.h"
#include "cli/lifecycle/remains.h"
#include "cli/lifecycle/run.h"
#include "cli/lifecycle/settings.h"
#include "cli/lifecycle/store.h"
#include "cli/lifecycle/times/seed.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

using lifecycle::OutputOptions;
using lifecycle::Report;
using lifecycle::Run;
using lifecycle::RunOptions;
using lifecycle::RunSettings;

Status DryRun(const kube::Access& access, const RunSettings& settings) {
  kube::Connection connection(access);
  const auto words = lifecycle::TryOut(connection, settings);
  if (!words.ok()) return words.status();
  for (const std::string& line : *words) std::cout << line << "\n";
  return absl::OkStatus();
}

Status WriteCompat(const std::string& dir, Run& run) {
  std::vector<lifecycle::SeedWorkload> rows;
  for (const lifecycle::Life& life : run.lives()) {
    rows.push_back(lifecycle::SeedOf(life, run.anchor()));
  }
  std::error_code ignored;
  std::filesystem::create_directories(dir, ignored);
  const Status status =
      lifecycle::WriteText("--compat", dir + "/submitted.json", lifecycle::SubmittedJson(rows));
  if (!status.ok()) return status;
  return lifecycle::WriteText("--compat", dir + "/sampled.json", lifecycle::SampledJson(rows));
}

Status WriteFiles(const RunOptions& options, Run& run) {
  Status status;
  if (!options.output.times.empty()) {
    status = lifecycle::WriteText("--times", options.output.times, run.TimesCsv());
  }
  if (!options.compat.empty()) status.Update(WriteCompat(options.compat, run));
  return status;
}

/// Whether any workload got into the cluster: without one, no threshold says anything.
Status CheckData(Run& run) {
  for (const lifecycle::Life& life : run.lives()) {
    if (life.refused.empty() && !life.uid.empty()) return absl::OkStatus();
  }
  return absl::InternalError("no data: no workload was created and seen; the notes say why");
}

/// What begins and ends with a run, whatever becomes of it.
struct Work {
  const RunOptions& options;
  const Globals& globals;
  const std::vector<lifecycle::Threshold>& thresholds;
  const kube::Access& access;
  lifecycle::RunFacts& facts;
  lifecycle::RunStore* store = nullptr;  ///< null: no --store
};

/// What the first of these that failed says; the others have been carried out all the same.
Status Conclude(const Work& work, const Status& ended, Run& run) {
  const Report report = run.report();
  if (report.kind.empty()) return ended;  // it never began
  const OutputOptions& output = work.options.output;
  std::cout << lifecycle::Print(FormOf(output, work.globals.form), report) << std::flush;
  Status status = WriteFiles(work.options, run);
  status.Update(ended);
  status.Update(CheckData(run));
  status.Update(CheckAll(work.thresholds, report));
  if (work.store != nullptr) status.Update(work.store->Keep(work.facts, report, status));
  return status;
}

Status CleanAfter(const kube::Access& access, const Run& run, const std::atomic<int>& signals) {
  lifecycle::Cleaning cleaning;
  cleaning.connections = run.settings().connections;
  const int before = std::min(signals.load(), 1);
  cleaning.given_up = [&signals, before] { return signals > before; };
  const auto cleaned =
      lifecycle::CleanUp(access, run.settings().each.space, run.settings().name, cleaning);
  if (!cleaned.ok()) return cleaned.status();
  spdlog::info("deleted {} objects of run {}", *cleaned, run.settings().name);
  return absl::OkStatus();
}

void WarnOfExemption(Run& run) {
  if (!run.IsExempt()) return;
  spdlog::warn(
      "the API server takes us for one of system:masters: its flow control does not hold for us as "
      "it does for users");
}

/// A run from its first request to its last; a signal ends it early, a second one its clean-up.
Status Carry(const Work& work, Run& run, const std::atomic<int>& signals) {
  WarnOfExemption(run);
  if (work.store != nullptr) work.facts.server = run.ServerVersion();
  const Status ended = run.Execute([](const std::string& line) { spdlog::info("{}", line); });
  Status status = Conclude(work, ended, run);
  if (!run.has_begun()) return status;
  if (work.options.keep) {
    spdlog::info("run {} is kept; `twofold lifecycle clean --run {} --namespace {}` removes it",
                 run.settings().name, run.settings().name, run.settings().each.space);
    return status;
  }
  const Status cleaned = CleanAfter(work.access, run, signals);
  if (!cleaned.ok()) spdlog::error("{}", std::string(cleaned.message()));
  status.Update(cleaned);
  return status;
}

/// Executes the run; each signal interrupts it, or its clean-up.
Status CarryOut(const Work& work, Run& run, ShutdownSignals& shutdown) {
  std::atomic<int> signals = 0;
  Status status;
  std::thread thread([&] {
    status = Carry(work, run, signals);
    ShutdownSignals::Wake();
  });
  while (shutdown.Wait() != 0) {
    ++signals;
    run.Interrupt();
  }
  thread.join();
  return status;
}

/// The page of metrics, from before the run until after it.
class Pages {
 public:
  /// Errors   as ServeMetrics and TellReady. Without an address it does nothing.
  Status Begin(const PageOptions& options, Run& run) {
    if (options.http_address.empty()) return absl::OkStatus();
    const lifecycle::RunSettings& settings = run.settings();
    const lifecycle::RunTitle title{settings.name, std::string(settings.kind->name),
                                    settings.each.space};
    auto server = ServeMetrics(
        options, [title, &run]() -> std::optional<std::vector<prometheus::MetricFamily>> {
          const auto progress = run.progress();
          if (!progress) return std::nullopt;
          return lifecycle::MetricsOf(title, *progress);
        });
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    spdlog::info("metrics at {}/metrics", UrlOf(options, *server_));
    return TellReady(options, *server_);
  }

 private:
  std::unique_ptr<http::Server> server_;
};

Result<std::optional<lifecycle::RunStore>> OpenStore(const RunOptions& options,
                                                     const std::string& run) {
  if (options.store.empty()) return std::nullopt;
  auto store = lifecycle::RunStore::Open(options.store, run);
  if (!store.ok()) return store.status();
  return std::optional(*std::move(store));
}

lifecycle::RunFacts FactsOf(const RunOptions& options, const RunSettings& settings) {
  lifecycle::RunFacts facts{.name = settings.name, .spec = options.spec};
  facts.template_file = options.template_file;
  for (const std::string& text : options.output.fail_if) facts.spec.add_fail_if(text);
  facts.created = std::chrono::system_clock::now();
  return facts;
}

Status RunAll(const RunOptions& options, const Globals& globals) {
  ShutdownSignals shutdown;
  InitLogging(/*verbose=*/false);
  RaiseDescriptorLimit();
  const auto thresholds = ThresholdsOf(options.output);
  if (!thresholds.ok()) return thresholds.status();
  auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  auto settings = lifecycle::Read(options, access->config.space, std::chrono::system_clock::now());
  if (!settings.ok()) return settings.status();
  if (options.dry_run) return DryRun(*access, *settings);
  auto store = OpenStore(options, settings->name);
  if (!store.ok()) return store.status();
  lifecycle::RunFacts facts = FactsOf(options, *settings);
  spdlog::info("run {}: {} workloads of kind {} in namespace {}", settings->name, settings->count,
               std::string(settings->kind->name), settings->each.space);
  Run run(*access, *std::move(settings));
  Pages pages;
  if (const Status status = pages.Begin(options.page, run); !status.ok()) return status;
  const Work work{options, globals, *thresholds, *access, facts, *store ? &**store : nullptr};
  return CarryOut(work, run, shutdown);
}

Action BindRun(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<RunOptions>();
  Declare(app, *options);
  return [options, &globals] { return RunAll(*options, globals); };
}

}  // namespace

Command RunCommand() {
  return {.name = "lifecycle run",
          .help = "Create workloads at a given rate, watch them, say how long each step took",
          .example =
              "twofold lifecycle run --kind job --count 500 --rate 20 "
              "--fail-if 'pod_ready_p99>5s'",
          .bind = BindRun,
          .prints = Prints::kTable,
          .asks_frontend = false};
}

}  // namespace twofold::cli
