#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/verdict.h"
#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/commands/reporting.h"
#include "kubernetes/commands/run_store.h"
#include "kubernetes/commands/running.h"
#include "kubernetes/lifecycle/metrics.h"
#include "kubernetes/lifecycle/run.h"
#include "lib/metrics/page.h"

namespace twofold::lifecycle {
namespace {

/// What begins and ends with a run, whatever becomes of it.
struct Work {
  const Options& options;
  const Reporting& reporting;
  const kube::Access& access;
  RunFacts facts;
  std::optional<RunStore> store;  ///< nullopt: no --store
};

/// Of the spans that the cluster has shown, p50 and p99.
std::vector<cli::Figure> FiguresOf(const Report& report) {
  std::vector<cli::Figure> figures;
  for (const SpanSummary& span : report.spans) {
    if (!IsShown(span)) continue;
    for (const SpanQuantile& each : span.quantiles) {
      if (each.q != 0.5 && each.q != 0.99) continue;
      figures.push_back({absl::StrCat(span.name, "_", QuantileName(each.q)), "s", each.value,
                         each.lower, each.upper});
    }
  }
  return figures;
}

/// What the run comes to whose conclusion is `status`. Without figures no limit has said anything.
cli::Verdict VerdictOf(const Status& ended, const Status& status, const Report& report) {
  cli::Verdict verdict{"none", std::string(status.message()), FiguresOf(report)};
  if (status.ok()) {
    verdict.verdict = "pass";
  } else if (absl::IsCancelled(ended)) {
    verdict.verdict = "interrupted";
  } else if (cli::ExitCode(status) == cli::kExitUndecided) {
    verdict.verdict = "undecided";
  } else if (ended.ok() && absl::IsInternal(status) && !verdict.figures.empty()) {
    verdict.verdict = "fail";
  }
  return verdict;
}

/// What the first of these that failed says; the others have been carried out all the same.
Status ConcludeRun(Work& work, const Status& ended, Run& run) {
  const auto outcome = run.outcome();
  if (!outcome) return ended;  // it never began
  Status status = work.reporting.Conclude(ended, *outcome);
  status.Update(cli::Write(work.options.verdict, VerdictOf(ended, status, outcome->report)));
  if (work.store) status.Update(work.store->Keep(work.facts, outcome->report, status));
  return status;
}

/// A run from its first request to its last; a signal ends it early, a second one its clean-up.
Status Carry(Work& work, Run& run, const std::atomic<int>& signals) {
  WarnOfExemption(run);
  if (work.store) work.facts.server = run.ServerVersion();
  const Status ended = run.Execute(Log);
  Status status = ConcludeRun(work, ended, run);
  if (!run.has_begun()) return status;
  const RunPlan& plan = run.plan();
  if (work.options.keep) {
    spdlog::info("run {} is kept; `twofold lifecycle clean --run {} --namespace {}` removes it",
                 plan.run.name, plan.run.name, plan.run.space);
    return status;
  }
  status.Update(CleanAfter(work.access, plan.run, ConnectionsOf(plan.spec), signals));
  return status;
}

metrics::Families FamiliesOf(Run& run) {
  const RunTitle title{run.plan().run.name, run.plan().spec.kind(), run.plan().run.space};
  return [title, &run]() -> std::optional<std::vector<prometheus::MetricFamily>> {
    const auto progress = run.progress();
    if (!progress) return std::nullopt;
    return MetricsOf(title, *progress);
  };
}

/// The page of metrics, from before the run until after it; null: no address was given.
/// Errors   as metrics::ServePage and metrics::TellReady.
Result<std::unique_ptr<http::Server>> ServePage(const metrics::PageOptions& options, Run& run) {
  if (options.http_address.empty()) return nullptr;
  auto server = metrics::ServePage(options, FamiliesOf(run));
  if (!server.ok()) return server;
  spdlog::info("metrics at {}/metrics", metrics::UrlOf(options, **server));
  if (Status status = metrics::TellReady(options, **server); !status.ok()) return status;
  return server;
}

Status OpenStore(const std::string& run, Work& work) {
  if (work.options.store.empty()) return absl::OkStatus();
  auto store = RunStore::Open(work.options.store, run);
  if (!store.ok()) return store.status();
  work.store = *std::move(store);
  return absl::OkStatus();
}

Status RunAll(const Options& options, const cli::Globals& globals) {
  Running running;
  const auto reporting = Reporting::Read(options, globals);
  if (!reporting.ok()) return reporting.status();
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  const auto now = std::chrono::system_clock::now();
  auto plan = PlanOf(options, access->config.space, now);
  if (!plan.ok()) return plan.status();
  if (options.dry_run) return PrintTrial(*access, *plan);
  if (Status made = reporting->MakeFolder(); !made.ok()) return made;
  Work work{
      options, *reporting, *access, {plan->run.name, options.spec, options.template_file}, {}};
  work.facts.created = now;
  if (Status status = OpenStore(plan->run.name, work); !status.ok()) return status;
  spdlog::info("run {}: {} workloads of kind {} in namespace {}", plan->run.name,
               plan->spec.count(), plan->spec.kind(), plan->run.space);
  Run run(*access, *std::move(plan));
  const auto page = ServePage(options.page, run);
  if (!page.ok()) return page.status();
  return running.Work([&](const std::atomic<int>& signals) { return Carry(work, run, signals); },
                      [&] { run.Interrupt(); });
}

cli::Action BindRun(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<Options>();
  DeclareSending(app, *options);
  DeclareWatching(app, *options);
  DeclareKeeping(app, *options);
  return [options, &globals] { return RunAll(*options, globals); };
}

}  // namespace

cli::Command RunCommand() {
  return {.name = "lifecycle run",
          .help = "Create workloads at a given rate, watch them, say how long each step took",
          .example =
              "twofold lifecycle run --kind job --count 500 --rate 20 "
              "--fail-if 'pod_ready_p99>5s'",
          .bind = BindRun,
          .prints = cli::Prints::kTable,
          .asks_frontend = false,
          .exits = {cli::kExitNotFound, cli::kExitNoAnswer, cli::kExitRefused, cli::kExitCutShort,
                    cli::kExitUndecided}};
}

}  // namespace twofold::lifecycle
