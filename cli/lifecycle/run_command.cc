#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster/options.h"
#include "cli/command/command.h"
#include "cli/lifecycle/commands.h"
#include "cli/lifecycle/output.h"
#include "cli/lifecycle/remains.h"
#include "cli/lifecycle/run.h"
#include "cli/lifecycle/settings.h"
#include "cli/lifecycle/times/seed.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

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

Status DrawPlots(const RunOptions& options, const Report& report, Run& run) {
  if (options.output.plots.dir.empty()) return absl::OkStatus();
  const lifecycle::Kind& kind = *run.settings().kind;
  std::vector<lifecycle::Life> lives = run.lives();
  const std::size_t skipped = Choose(options.output.choice, kind, lives);
  if (skipped > 0) {
    spdlog::info("not in the pictures, for a span that ends before it begins: {}", skipped);
  }
  return WritePlots(options.output.plots,
                    DrawnOf(kind, run.settings().name, lives, report.plateaus));
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

/// What the first of these that failed says; the others have been carried out all the same.
Status Conclude(const RunOptions& options, const Globals& globals,
                const std::vector<lifecycle::Threshold>& thresholds, const Status& ended,
                Run& run) {
  const Report report = run.report();
  if (report.kind.empty()) return ended;  // it never began
  std::cout << lifecycle::Print(FormOf(options.output, globals.form), report) << std::flush;
  Status status = WriteFiles(options, run);
  status.Update(ended);
  status.Update(CheckData(run));
  status.Update(CheckAll(thresholds, report));
  const Status drawn = DrawPlots(options, report, run);
  if (!status.ok() && !drawn.ok()) spdlog::error("{}", std::string(drawn.message()));
  status.Update(drawn);
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

struct Work {
  const RunOptions& options;
  const Globals& globals;
  const std::vector<lifecycle::Threshold>& thresholds;
  const kube::Access& access;
};

/// A run from its first request to its last; a signal ends it early, a second one its clean-up.
Status Carry(const Work& work, Run& run, const std::atomic<int>& signals) {
  const Status ended = run.Execute([](const std::string& line) { spdlog::info("{}", line); });
  Status status = Conclude(work.options, work.globals, work.thresholds, ended, run);
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

void WarnOfExemption(const kube::Access& access) {
  kube::Connection connection(access);
  if (!lifecycle::IsExempt(connection)) return;
  spdlog::warn(
      "the API server takes us for one of system:masters: its flow control does not hold for us as "
      "it does for users");
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
  if (const Status made = MakeFolder(options.output.plots); !made.ok()) return made;
  WarnOfExemption(*access);
  spdlog::info("run {}: {} workloads of kind {} in namespace {}", settings->name, settings->count,
               std::string(settings->kind->name), settings->each.space);
  Run run(*access, *std::move(settings));
  std::atomic<int> signals = 0;
  Status status;
  std::thread thread([&] {
    status = Carry({options, globals, *thresholds, *access}, run, signals);
    ShutdownSignals::Wake();
  });
  while (shutdown.Wait() != 0) {
    ++signals;
    run.Interrupt();
  }
  thread.join();
  return status;
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
