#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "kubernetes/commands/cluster_options.h"
#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/lifecycle/sending/server.h"

namespace twofold::lifecycle {
namespace {

Status ShowServer(const cli::ClusterOptions& options, const cli::Globals& globals) {
  const auto access = kube::OpenAccess(SourcesOf(options));
  if (!access.ok()) return access.status();
  kube::Connection connection(*access);
  const auto version = ServerVersion(connection);
  if (!version.ok()) return version.status();
  if (globals.json()) {
    std::cout << show::Line({{"version", *version}});
  } else {
    std::cout << *version << "\n";
  }
  return absl::OkStatus();
}

cli::Action BindServer(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<cli::ClusterOptions>();
  Declare(app, *options);
  return [options, &globals] { return ShowServer(*options, globals); };
}

}  // namespace

cli::Command ServerCommand() {
  return {.name = "lifecycle server",
          .help = "Whether there is an API server for these credentials, and its version",
          .example = "twofold lifecycle server",
          .bind = BindServer,
          .asks_frontend = false};
}

}  // namespace twofold::lifecycle
