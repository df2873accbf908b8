#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <CLI/App.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/commands/reporting.h"
#include "kubernetes/commands/running.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/run.h"
#include "lib/show/table.h"

namespace twofold::lifecycle {
namespace {

const show::Columns& SubmitColumns() {
  static const show::Columns columns = {
      {.heading = "RUN", .path = "run"},
      {.heading = "WORKLOADS", .path = "workloads"},
      {.heading = "SENT", .path = "sent"},
      {.heading = "CREATED", .path = "created"},
      {.heading = "REFUSED", .path = "refused"},
      {.heading = "LATE", .path = "late_sends"},
      {.heading = "THROTTLED", .path = "throttled"},
      {.heading = "REPEATED", .path = "repeated_creates", .if_any = true},
      {.heading = "SECONDS", .path = "seconds", .decimals = 3},
  };
  return columns;
}

Counts AllCounts(const SendCounts& counts, std::uint32_t workloads) {
  std::uint64_t refused = 0;
  for (const auto& [reason, count] : counts.refused) refused += count;
  Counts all = {{"workloads", workloads},
                {"sent", counts.sent},
                {"created", counts.created},
                {"refused", refused}};
  for (const auto& each : CountsOf(counts)) all.push_back(each);
  return all;
}

show::Json RowOf(const Run& run, const Report& report) {
  const RunPlan& plan = run.plan();
  show::Json row = {
      {"run", plan.run.name}, {"namespace", plan.run.space}, {"kind", plan.spec.kind()}};
  for (const auto& [name, count] : report.counts) row[name] = count;
  row["seconds"] = ToSeconds(run.took());
  row["notes"] = report.notes;
  return row;
}

/// What the first of these that failed says; the others have been carried out all the same.
Status ConcludeSubmit(const Reporting& reporting, Status status, Run& run) {
  const SendCounts counts = run.counts();
  const std::uint32_t workloads = run.plan().spec.count();
  Report report;
  report.counts = AllCounts(counts, workloads);
  report.notes = NotesOn(counts, workloads);
  std::cout << show::Print(reporting.form(), SubmitColumns(), RowOf(run, report)) << std::flush;
  for (const std::string& note : report.notes) spdlog::warn("{}", note);
  if (counts.created == 0) {
    status.Update(absl::InternalError(absl::StrCat(
        "no data: no workload was created", counts.refusal.empty() ? "" : ": ", counts.refusal)));
  }
  status.Update(reporting.CheckAll(report));
  return status;
}

Status Submit(const Reporting& reporting, Run& run) {
  WarnOfExemption(run);
  Status status = run.Execute(Log);
  if (!run.has_started()) return status;
  spdlog::info("`twofold lifecycle watch --run {} --namespace {}` watches it", run.plan().run.name,
               run.plan().run.space);
  return ConcludeSubmit(reporting, std::move(status), run);
}

Status SubmitAll(const Options& options, const cli::Globals& globals) {
  Running running;
  const auto reporting = Reporting::Read(options, globals);
  if (!reporting.ok()) return reporting.status();
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  auto plan = PlanOf(options, access->config.space, std::chrono::system_clock::now());
  if (!plan.ok()) return plan.status();
  if (plan->spec.fill() > 0) {
    return absl::InvalidArgumentError(
        "--fill: submit does not watch, so it cannot know when the cluster is full; use `lifecycle "
        "run --fill`");
  }
  if (options.dry_run) return PrintTrial(*access, *plan);
  plan->watches = false;
  Run run(*access, *std::move(plan));
  return running.Work([&](const std::atomic<int>&) { return Submit(*reporting, run); },
                      [&] { run.Interrupt(); });
}

cli::Action BindSubmit(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<Options>();
  DeclareSending(app, *options);
  DeclareFailIf(app, *options);
  return [options, &globals] { return SubmitAll(*options, globals); };
}

}  // namespace

cli::Command SubmitCommand() {
  return {.name = "lifecycle submit",
          .help = "Create workloads at a given rate, and leave the watching to others",
          .example = "twofold lifecycle submit --kind job --count 500 --rate 20 --name big",
          .bind = BindSubmit,
          .prints = cli::Prints::kTable,
          .asks_frontend = false,
          .exits = {cli::kExitNotFound, cli::kExitNoAnswer, cli::kExitRefused, cli::kExitCutShort,
                    cli::kExitUndecided}};
}

}  // namespace twofold::lifecycle
