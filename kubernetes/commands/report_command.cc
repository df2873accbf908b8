#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/commands/reporting.h"
#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/journal/replay.h"
#include "kubernetes/lifecycle/outcome.h"

namespace twofold::lifecycle {
namespace {

/// No cluster, and no clock but that of the journal.
Status ReportOn(const Options& options, const cli::Globals& globals) {
  const auto reporting = Reporting::Read(options, globals);
  if (!reporting.ok()) return reporting.status();
  if (Status made = reporting->MakeFolder(); !made.ok()) return made;
  Replay replay({Instant{}, 0});
  const auto read =
      ReadJournal(options.path, [&](const std::string& line) { return replay.Take(line); });
  if (!read.ok()) return read.status();
  const Outcome outcome =
      OutcomeOf(replay.observed(),
                {.record = replay.record(), .tally = replay.tally(), .end = replay.Latest()});
  return reporting->Conclude(absl::OkStatus(), outcome);
}

cli::Action BindReport(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "What --journal of `lifecycle run` or `watch` has written")
      ->required();
  DeclareReport(app, *options);
  DeclareCompat(app, *options);
  return [options, &globals] { return ReportOn(*options, globals); };
}

}  // namespace

cli::Command ReportCommand() {
  return {.name = "lifecycle report",
          .help = "The report of a journal, at any time later and without the cluster",
          .example = "twofold lifecycle report run.journal --times times.csv",
          .bind = BindReport,
          .prints = cli::Prints::kTable,
          .asks_frontend = false,
          .exits = {cli::kExitNotFound, cli::kExitRefused, cli::kExitUndecided}};
}

}  // namespace twofold::lifecycle
