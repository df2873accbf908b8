#pragma once

#include <string>

#include "kubernetes/api/config.h"

namespace CLI {
class App;
}

namespace twofold::cli {

/// Which Kubernetes cluster; all commands that need one have these.
struct ClusterOptions {
  std::string kubeconfig;
  std::string context;
};
void Declare(CLI::App& app, ClusterOptions& options);
kube::ConfigSources SourcesOf(const ClusterOptions& options);

}  // namespace twofold::cli
