#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/concluding.h"
#include "kubernetes/lifecycle/journal.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/replay.h"
#include "kubernetes/lifecycle/settings.h"

namespace twofold::cli {
namespace {

struct ReportOptions {
  std::string file;
  lifecycle::EndOptions end;
};

/// No cluster, and no clock but that of the journal.
Status ReportOf(const ReportOptions& options, const Globals& globals) {
  const auto thresholds = ThresholdsOf(options.end.output);
  if (!thresholds.ok()) return thresholds.status();
  if (const Status made = MakeFolder(options.end.output.plots); !made.ok()) return made;
  lifecycle::Replay replay({Instant{}, 0});
  const auto read = lifecycle::ReadJournal(
      options.file, [&](const lifecycle::Object& line) { return replay.Take(line); });
  if (!read.ok()) return read.status();
  const lifecycle::Outcome outcome = lifecycle::OutcomeOf(
      replay.observed(),
      {.record = replay.record(), .tally = replay.tally(), .end = replay.Latest()});
  return Conclude(options.end, globals, *thresholds, absl::OkStatus(), outcome);
}

Action BindReport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("FILE", options->file, "What --journal of `lifecycle run` or `watch` has written")
      ->required();
  Declare(app, options->end.output);
  DeclareCompat(app, options->end);
  return [options, &globals] { return ReportOf(*options, globals); };
}

}  // namespace

Command ReportCommand() {
  return {.name = "lifecycle report",
          .help = "The report of a journal, at any time later and without the cluster",
          .example = "twofold lifecycle report run.journal --times times.csv",
          .bind = BindReport,
          .prints = Prints::kTable,
          .asks_frontend = false,
          .exits = {kExitNotFound, kExitRefused}};
}

}  // namespace twofold::cli
