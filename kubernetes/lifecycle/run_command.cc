#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "kubernetes/cluster/metrics_page.h"
#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/concluding.h"
#include "kubernetes/lifecycle/metrics.h"
#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/run.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/store.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

using lifecycle::Run;
using lifecycle::RunOptions;
using lifecycle::RunSettings;

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
Status ConcludeRun(const Work& work, const Status& ended, Run& run) {
  const auto outcome = run.outcome();
  if (!outcome) return ended;  // it never began
  Status status = Conclude(work.options, work.globals, work.thresholds, ended, *outcome);
  if (work.store != nullptr) status.Update(work.store->Keep(work.facts, outcome->report, status));
  return status;
}

/// A run from its first request to its last; a signal ends it early, a second one its clean-up.
Status Carry(const Work& work, Run& run, const std::atomic<int>& signals) {
  WarnOfExemption(run.IsExempt());
  if (work.store != nullptr) work.facts.server = run.ServerVersion();
  const Status ended = run.Execute([](const std::string& line) { spdlog::info("{}", line); });
  Status status = ConcludeRun(work, ended, run);
  if (!run.has_begun()) return status;
  if (work.options.keep) {
    spdlog::info("run {} is kept; `twofold lifecycle clean --run {} --namespace {}` removes it",
                 run.settings().name, run.settings().name, run.settings().each.space);
    return status;
  }
  const lifecycle::RunSettings& settings = run.settings();
  status.Update(
      CleanAfter(work.access, {settings.each.space, settings.name}, settings.connections, signals));
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
  if (options.dry_run) return PrintTrial(*access, *settings);
  if (const Status made = MakeFolder(options.output.plots); !made.ok()) return made;
  auto store = OpenStore(options, settings->name);
  if (!store.ok()) return store.status();
  lifecycle::RunFacts facts = FactsOf(options, *settings);
  spdlog::info("run {}: {} workloads of kind {} in namespace {}", settings->name, settings->count,
               std::string(settings->kind->name), settings->each.space);
  Run run(*access, *std::move(settings));
  Pages pages;
  if (const Status status = pages.Begin(options.page, run); !status.ok()) return status;
  const Work work{options, globals, *thresholds, *access, facts, *store ? &**store : nullptr};
  return WorkWithSignals(
      shutdown, [&](const std::atomic<int>& signals) { return Carry(work, run, signals); },
      [&] { run.Interrupt(); });
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
          .asks_frontend = false,
          .exits = {kExitNotFound, kExitNoAnswer, kExitRefused, kExitCutShort}};
}

}  // namespace twofold::cli
