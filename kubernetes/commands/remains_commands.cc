#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/lifecycle/sending/remains.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "lib/common/options.h"
#include "lib/show/table.h"

namespace twofold::lifecycle {
namespace {

std::shared_ptr<Options> DeclarePlace(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->runs.resize(1);
  DeclareNamespace(app, *options, "Of the run");
  cli::Declare(app, options->cluster);
  return options;
}

const show::Columns& RemainsColumns() {
  static const show::Columns columns = {
      {.heading = "RUN", .path = "run"},
      {.heading = "RESOURCE", .path = "resource"},
      {.heading = "OBJECTS", .path = "objects"},
      {.heading = "ENDING", .path = "ending"},
  };
  return columns;
}

Status ShowRemains(const Options& options, const cli::Globals& globals) {
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  kube::Connection connection(*access);
  const auto remains = FindRemains(connection, SpaceOf(options, access->config.space));
  if (!remains.ok()) return remains.status();
  const std::string& run = options.runs.front();
  show::Json rows = show::Json::array();
  for (const Remains& each : *remains) {
    if (!run.empty() && each.run != run) continue;
    rows.push_back({{"run", each.run},
                    {"resource", each.resource},
                    {"objects", each.objects},
                    {"ending", each.ending}});
  }
  std::cout << show::Print(globals.form, RemainsColumns(), rows) << std::flush;
  return absl::OkStatus();
}

Status Clean(const Options& options) {
  const std::string& run = options.runs.front();
  if (const Status status = CheckRunName(run); !status.ok()) {
    return {status.code(), "--run: " + std::string(status.message())};
  }
  const auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (!access.ok()) return access.status();
  Cleaning cleaning;
  cleaning.patience = FromSeconds(options.patience_seconds);
  const auto cleaned = CleanUp(*access, SpaceOf(options, access->config.space), run, cleaning);
  if (!cleaned.ok()) return cleaned.status();
  std::cout << "deleted " << *cleaned << " objects of run " << run << std::endl;
  return absl::OkStatus();
}

cli::Action BindRemains(CLI::App& app, const cli::Globals& globals) {
  const auto options = DeclarePlace(app);
  app.add_option("--run", options->runs.front(), "Only this run");
  return [options, &globals] { return ShowRemains(*options, globals); };
}

cli::Action BindClean(CLI::App& app, const cli::Globals&) {
  const auto options = DeclarePlace(app);
  app.add_option("--run", options->runs.front(), "The --name of the run")->required();
  AddOption(app, "--timeout", options->patience_seconds, Seconds(0, 86'400),
            "Seconds to wait at most for all to be gone");
  return [options] { return Clean(*options); };
}

}  // namespace

cli::Command StatusCommand() {
  return {.name = "lifecycle status",
          .help = "What runs have left in the cluster, by run and resource",
          .example = "twofold lifecycle status --namespace load",
          .bind = BindRemains,
          .prints = cli::Prints::kTable,
          .asks_frontend = false};
}

cli::Command CleanCommand() {
  return {.name = "lifecycle clean",
          .help = "Delete all objects of a run that was kept, or killed",
          .example = "twofold lifecycle clean --run run-20261123-134501",
          .bind = BindClean,
          .asks_frontend = false};
}

}  // namespace twofold::lifecycle
