#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/remains.h"
#include "kubernetes/lifecycle/settings.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

struct RemainsOptions {
  ClusterOptions cluster;
  std::string space;
  std::string run;
  double patience_seconds = 120;
};

void DeclarePlace(CLI::App& app, RemainsOptions& options) {
  app.add_option("--namespace", options.space, "Of the run; else that of the kubeconfig");
  Declare(app, options.cluster);
}

/// Opens the cluster and settles the namespace.
Result<kube::Access> OpenFor(RemainsOptions& options) {
  auto access = kube::OpenAccess(SourcesOf(options.cluster));
  if (access.ok() && options.space.empty()) options.space = access->config.space;
  return access;
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

Status ShowRemains(RemainsOptions& options, const Globals& globals) {
  const auto access = OpenFor(options);
  if (!access.ok()) return access.status();
  kube::Connection connection(*access);
  const auto remains = lifecycle::FindRemains(connection, options.space);
  if (!remains.ok()) return remains.status();
  show::Json rows = show::Json::array();
  for (const lifecycle::Remains& each : *remains) {
    if (!options.run.empty() && each.run != options.run) continue;
    rows.push_back({{"run", each.run},
                    {"resource", each.resource},
                    {"objects", each.objects},
                    {"ending", each.ending}});
  }
  std::cout << show::Print(globals.form, RemainsColumns(), rows) << std::flush;
  return absl::OkStatus();
}

Status Clean(RemainsOptions& options) {
  if (const Status status = lifecycle::CheckRunName(options.run); !status.ok()) {
    return {status.code(), "--run: " + std::string(status.message())};
  }
  const auto access = OpenFor(options);
  if (!access.ok()) return access.status();
  lifecycle::Cleaning cleaning;
  cleaning.patience = FromSeconds(options.patience_seconds);
  const auto cleaned = lifecycle::CleanUp(*access, options.space, options.run, cleaning);
  if (!cleaned.ok()) return cleaned.status();
  std::cout << "deleted " << *cleaned << " objects of run " << options.run << std::endl;
  return absl::OkStatus();
}

Action BindRemains(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<RemainsOptions>();
  DeclarePlace(app, *options);
  app.add_option("--run", options->run, "Only this run");
  return [options, &globals] { return ShowRemains(*options, globals); };
}

Action BindClean(CLI::App& app, const Globals&) {
  auto options = std::make_shared<RemainsOptions>();
  DeclarePlace(app, *options);
  app.add_option("--run", options->run, "The --name of the run")->required();
  AddOption(app, "--timeout", options->patience_seconds, Seconds(0, 86'400),
            "Seconds to wait at most for all to be gone");
  return [options] { return Clean(*options); };
}

}  // namespace

Command StatusCommand() {
  return {.name = "lifecycle status",
          .help = "What runs have left in the cluster, by run and resource",
          .example = "twofold lifecycle status --namespace load",
          .bind = BindRemains,
          .prints = Prints::kTable,
          .asks_frontend = false};
}

Command CleanCommand() {
  return {.name = "lifecycle clean",
          .help = "Delete all objects of a run that was kept, or killed",
          .example = "twofold lifecycle clean --run run-20261123-134501",
          .bind = BindClean,
          .asks_frontend = false};
}

}  // namespace twofold::cli
