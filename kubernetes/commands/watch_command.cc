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

#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/commands/reporting.h"
#include "kubernetes/commands/running.h"
#include "kubernetes/lifecycle/run.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostRuns = 16;
constexpr int kCleaners = 4;  // connections

using Runs = std::vector<std::unique_ptr<Run>>;

/// What is written into one file is of one run.
Status CheckRuns(const Options& options) {
  for (const std::string& run : options.runs) {
    const Status status = CheckRunName(run);
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
       {std::pair("--times", &options.times), std::pair("--compat", &options.compat),
        std::pair("--journal", &options.journal.file)}) {
    if (value->empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": of one --run only; watch each by a command of its own"));
  }
  return absl::OkStatus();
}

Runs RunsOf(const Options& options, const kube::Access& access) {
  Runs runs;
  for (const std::string& name : options.runs) {
    runs.push_back(
        std::make_unique<Run>(access, RunPlan{.run = {SpaceOf(options, access.config.space), name},
                                              .spec = options.spec,
                                              .sends = false,
                                              .journal = options.journal}));
  }
  return runs;
}

/// All at once, each on a thread of its own; what each has ended with.
std::vector<Status> ExecuteAll(const Runs& runs) {
  std::vector<Status> ended(runs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    threads.emplace_back([&, i] { ended[i] = runs[i]->Execute(Log); });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

/// One report after the other; what the first that failed says.
Status ConcludeRuns(const Reporting& reporting, const std::vector<Status>& ended,
                    const Runs& runs) {
  const bool several = runs.size() > 1;
  const bool named = several && reporting.form() != show::Form::kJson;
  Status first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& name = runs[i]->plan().run.name;
    const auto outcome = runs[i]->outcome();
    if (named) std::cout << (i > 0 ? "\n" : "") << "run " << name << ":\n";
    const Status status = outcome ? reporting.Conclude(ended[i], *outcome) : ended[i];
    if (several && !status.ok()) spdlog::error("run {}: {}", name, std::string(status.message()));
    first.Update(status);
  }
  return first;
}

Status WatchAll(const Options& options, const cli::Globals& globals) {
  Running running;
  if (Status status = CheckRuns(options); !status.ok()) return status;
  const auto reporting = Reporting::Read(options, globals);
  if (!reporting.ok()) return reporting.status();
  if (Status made = reporting->MakeFolder(); !made.ok()) return made;
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  const Runs runs = RunsOf(options, *access);
  return running.Work(
      [&](const std::atomic<int>& signals) {
        Status status = ConcludeRuns(*reporting, ExecuteAll(runs), runs);
        for (const auto& run : runs) {
          if (!options.clean || !run->has_started()) continue;
          status.Update(CleanAfter(*access, run->plan().run, kCleaners, signals));
        }
        return status;
      },
      [&] {
        for (const auto& run : runs) run->Interrupt();
      });
}

cli::Action BindWatch(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<Options>();
  app.add_option("--run", options->runs, "The --name of a run; may be repeated")->required();
  DeclareNamespace(app, *options, "Of the runs");
  cli::Declare(app, options->cluster);
  DeclareWatching(app, *options);
  app.add_flag("--clean", options->clean, "Remove all objects of the runs in the end");
  return [options, &globals] { return WatchAll(*options, globals); };
}

}  // namespace

cli::Command WatchCommand() {
  return {.name = "lifecycle watch",
          .help = "Watch runs that were submitted elsewhere, or whose process has died",
          .example = "twofold lifecycle watch --run big --journal big.journal",
          .bind = BindWatch,
          .prints = cli::Prints::kTable,
          .asks_frontend = false,
          .exits = {cli::kExitNotFound, cli::kExitNoAnswer, cli::kExitRefused, cli::kExitCutShort,
                    cli::kExitUndecided}};
}

}  // namespace twofold::lifecycle
