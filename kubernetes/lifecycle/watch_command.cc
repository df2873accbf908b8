#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/attached.h"
#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/concluding.h"
#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/settings.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

using lifecycle::Attached;

constexpr std::size_t kMostRuns = 16;
constexpr int kCleaners = 4;  // connections

struct LifecycleWatchOptions {
  ClusterOptions cluster;
  lifecycle::EndOptions end;
  std::vector<std::string> runs;
  std::string space;
  bool clean = false;
};

/// What is written into one file is of one run.
Status CheckRuns(const LifecycleWatchOptions& options) {
  for (const std::string& run : options.runs) {
    const Status status = lifecycle::CheckRunName(run);
    if (!status.ok()) return {status.code(), "--run: " + std::string(status.message())};
    if (std::count(options.runs.begin(), options.runs.end(), run) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("--run: '", run, "' is there twice"));
    }
  }
  if (options.runs.size() > kMostRuns) {
    return absl::InvalidArgumentError(
        absl::StrCat("--run: ", kMostRuns, " at a time are the most"));
  }
  if (options.runs.size() == 1) return absl::OkStatus();
  for (const auto& [name, value] :
       {std::pair("--times", &options.end.output.times), std::pair("--compat", &options.end.compat),
        std::pair("--journal", &options.end.journal.file)}) {
    if (value->empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": of one --run only; watch each by a command of its own"));
  }
  return absl::OkStatus();
}

/// All at once, each on a thread of its own; what each has ended with.
std::vector<Status> ExecuteAll(std::vector<std::unique_ptr<Attached>>& runs) {
  std::vector<Status> ended(runs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    threads.emplace_back([&, i] {
      ended[i] = runs[i]->Execute([](const std::string& line) { spdlog::info("{}", line); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

/// One report after the other; what the first that failed says.
Status ConcludeRuns(const LifecycleWatchOptions& options, const Globals& globals,
                    const std::vector<lifecycle::Threshold>& thresholds,
                    const std::vector<Status>& ended,
                    std::vector<std::unique_ptr<Attached>>& runs) {
  const bool named =
      runs.size() > 1 && FormOf(options.end.output, globals.form) != show::Form::kJson;
  Status first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto outcome = runs[i]->outcome();
    if (named) std::cout << (i > 0 ? "\n" : "") << "run " << runs[i]->run().name << ":\n";
    const Status status =
        outcome ? Conclude(options.end, globals, thresholds, ended[i], *outcome) : ended[i];
    if (runs.size() > 1 && !status.ok()) {
      spdlog::error("run {}: {}", runs[i]->run().name, std::string(status.message()));
    }
    first.Update(status);
  }
  return first;
}

Status WatchAll(const LifecycleWatchOptions& options, const Globals& globals) {
  ShutdownSignals shutdown;
  InitLogging(/*verbose=*/false);
  RaiseDescriptorLimit();
  if (const Status status = CheckRuns(options); !status.ok()) return status;
  const auto thresholds = ThresholdsOf(options.end.output);
  if (!thresholds.ok()) return thresholds.status();
  if (const Status made = MakeFolder(options.end.output.plots); !made.ok()) return made;
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  const std::string space = options.space.empty() ? access->config.space : options.space;
  std::vector<std::unique_ptr<Attached>> runs;
  for (const std::string& name : options.runs) {
    runs.push_back(std::make_unique<Attached>(*access, kube::ObjectName{space, name}, options.end));
  }
  return WorkWithSignals(
      shutdown,
      [&](const std::atomic<int>& signals) {
        const std::vector<Status> ended = ExecuteAll(runs);
        Status status = ConcludeRuns(options, globals, *thresholds, ended, runs);
        for (std::size_t i = 0; options.clean && i < runs.size(); ++i) {
          if (!runs[i]->outcome()) continue;
          status.Update(CleanAfter(*access, runs[i]->run(), kCleaners, signals));
        }
        return status;
      },
      [&] {
        for (const auto& run : runs) run->Interrupt();
      });
}

Action BindWatch(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<LifecycleWatchOptions>();
  app.add_option("--run", options->runs, "The --name of a run; may be repeated")->required();
  app.add_option("--namespace", options->space, "Of the runs; else that of the kubeconfig");
  Declare(app, options->cluster);
  DeclareEnd(app, options->end);
  app.add_flag("--clean", options->clean, "Remove all objects of the runs in the end");
  return [options, &globals] { return WatchAll(*options, globals); };
}

}  // namespace

Command WatchCommand() {
  return {.name = "lifecycle watch",
          .help = "Watch runs that were submitted elsewhere, or whose process has died",
          .example = "twofold lifecycle watch --run big --journal big.journal",
          .bind = BindWatch,
          .prints = Prints::kTable,
          .asks_frontend = false,
          .exits = {kExitNotFound, kExitNoAnswer, kExitRefused, kExitCutShort}};
}

}  // namespace twofold::cli
