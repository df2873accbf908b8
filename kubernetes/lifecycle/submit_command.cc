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
#include <vector>

#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/concluding.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/submission.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using lifecycle::Submission;
using lifecycle::SubmitCounts;

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

lifecycle::Counts AllCounts(const SubmitCounts& counts, std::uint32_t workloads) {
  std::uint64_t refused = 0;
  for (const auto& [reason, count] : counts.refused) refused += count;
  lifecycle::Counts all = {{"workloads", workloads},
                           {"sent", counts.sent},
                           {"created", counts.created},
                           {"refused", refused}};
  for (const auto& each : lifecycle::CountsOf(counts)) all.push_back(each);
  return all;
}

show::Json RowOf(Submission& submission, const lifecycle::Report& report) {
  const lifecycle::RunSettings& settings = submission.settings();
  show::Json row = {{"run", settings.name},
                    {"namespace", settings.each.space},
                    {"kind", std::string(settings.kind->name)}};
  for (const auto& [name, count] : report.counts) row[name] = count;
  row["seconds"] = ToSeconds(submission.took());
  row["notes"] = report.notes;
  return row;
}

/// What the first of these that failed says; the others have been carried out all the same.
Status ConcludeSubmit(const lifecycle::OutputOptions& output, const Globals& globals,
                      const std::vector<lifecycle::Threshold>& thresholds, Status status,
                      Submission& submission) {
  const SubmitCounts counts = submission.counts();
  lifecycle::Report report;
  report.counts = AllCounts(counts, submission.settings().count);
  report.notes = lifecycle::NotesOn(counts, submission.settings().count);
  std::cout << show::Print(FormOf(output, globals.form), SubmitColumns(), RowOf(submission, report))
            << std::flush;
  for (const std::string& note : report.notes) spdlog::warn("{}", note);
  if (counts.created == 0) {
    status.Update(absl::InternalError(absl::StrCat(
        "no data: no workload was created", counts.refusal.empty() ? "" : ": ", counts.refusal)));
  }
  status.Update(CheckAll(thresholds, report));
  return status;
}

Status SubmitAll(const lifecycle::RunOptions& options, const Globals& globals) {
  ShutdownSignals shutdown;
  InitLogging(/*verbose=*/false);
  RaiseDescriptorLimit();
  const auto thresholds = ThresholdsOf(options.output);
  if (!thresholds.ok()) return thresholds.status();
  auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  auto settings = lifecycle::Read(options, access->config.space, std::chrono::system_clock::now());
  if (!settings.ok()) return settings.status();
  if (settings->fill > 0) {
    return absl::InvalidArgumentError(
        "--fill: submit does not watch, so it cannot know when the cluster is full; use `lifecycle "
        "run --fill`");
  }
  if (options.dry_run) return PrintTrial(*access, *settings);
  kube::Connection connection(*access);
  WarnOfExemption(lifecycle::IsExempt(connection));
  Submission submission(*access, *std::move(settings));
  const std::string& space = submission.settings().each.space;
  const std::string& name = submission.settings().name;
  return WorkWithSignals(
      shutdown,
      [&](const std::atomic<int>&) {
        Status status =
            submission.Execute([](const std::string& line) { spdlog::info("{}", line); });
        if (!submission.has_begun()) return status;
        spdlog::info("`twofold lifecycle watch --run {} --namespace {}` watches it", name, space);
        return ConcludeSubmit(options.output, globals, *thresholds, std::move(status), submission);
      },
      [&] { submission.Interrupt(); });
}

Action BindSubmit(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<lifecycle::RunOptions>();
  DeclareSending(app, *options);
  DeclareFailIf(app, options->output);
  return [options, &globals] { return SubmitAll(*options, globals); };
}

}  // namespace

Command SubmitCommand() {
  return {.name = "lifecycle submit",
          .help = "Create workloads at a given rate, and leave the watching to others",
          .example = "twofold lifecycle submit --kind job --count 500 --rate 20 --name big",
          .bind = BindSubmit,
          .prints = Prints::kTable,
          .asks_frontend = false,
          .exits = {kExitNotFound, kExitNoAnswer, kExitRefused, kExitCutShort}};
}

}  // namespace twofold::cli
