#include "kubernetes/lifecycle/server.h"

#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "cli/command/command.h"
#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/commands.h"
#include "lib/common/printable.h"

namespace twofold::lifecycle {

Result<std::string> ServerVersion(kube::Connection& connection) {
  constexpr std::size_t kLongest = 100;
  kube::Call call;
  call.method = "GET";
  call.target = "/version";
  call.what = "ask for the server's version";
  const auto reply = connection.Do(call);
  if (!reply.ok()) return reply.status();
  const std::string version = Printable(kube::TextAt(reply->body, "/gitVersion"), kLongest);
  if (!version.empty()) return version;
  return absl::DataLossError("/version: this is no API server of Kubernetes");
}

}  // namespace twofold::lifecycle

namespace twofold::cli {
namespace {

Status ShowServer(const ClusterOptions& options, const Globals& globals) {
  const auto access = kube::OpenAccess(SourcesOf(options));
  if (!access.ok()) return access.status();
  kube::Connection connection(*access);
  const auto version = lifecycle::ServerVersion(connection);
  if (!version.ok()) return version.status();
  if (globals.json()) {
    std::cout << show::Line({{"version", *version}});
  } else {
    std::cout << *version << "\n";
  }
  return absl::OkStatus();
}

Action BindServer(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ClusterOptions>();
  Declare(app, *options);
  return [options, &globals] { return ShowServer(*options, globals); };
}

}  // namespace

Command ServerCommand() {
  return {.name = "lifecycle server",
          .help = "Whether there is an API server for these credentials, and its version",
          .example = "twofold lifecycle server",
          .bind = BindServer,
          .asks_frontend = false};
}

}  // namespace twofold::cli
