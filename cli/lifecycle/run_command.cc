#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster/options.h"
#include "cli/command/command.h"
#include "cli/lifecycle/commands.h"
#include "cli/lifecycle/concluding.h"
#include "cli/lifecycle/output.h"
#include "cli/lifecycle/preparing.h"
#include "cli/lifecycle/run.h"
#include "cli/lifecycle/settings.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

using lifecycle::Run;
using lifecycle::RunOptions;
using lifecycle::RunSettings;

struct Work {
  const RunOptions& options;
  const Globals& globals;
  const std::vector<lifecycle::Threshold>& thresholds;
  const kube::Access& access;
};

/// A run from its first request to its last; a signal ends it early, a second one its clean-up.
Status Carry(const Work& work, Run& run, const std::atomic<int>& signals) {
  WarnOfExemption(run.IsExempt());
  const Status ended = run.Execute([](const std::string& line) { spdlog::info("{}", line); });
  const auto outcome = run.outcome();
  Status status =
      outcome ? Conclude(work.options, work.globals, work.thresholds, ended, *outcome) : ended;
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
  spdlog::info("run {}: {} workloads of kind {} in namespace {}", settings->name, settings->count,
               std::string(settings->kind->name), settings->each.space);
  Run run(*access, *std::move(settings));
  return WorkWithSignals(
      shutdown,
      [&](const std::atomic<int>& signals) {
        return Carry({options, globals, *thresholds, *access}, run, signals);
      },
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
          .asks_frontend = false};
}

}  // namespace twofold::cli
