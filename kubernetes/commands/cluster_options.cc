#include "kubernetes/commands/cluster_options.h"

#include <CLI/App.hpp>

namespace twofold::cli {

void Declare(CLI::App& app, ClusterOptions& options) {
  app.add_option(
      "--kubeconfig", options.kubeconfig,
      "This file alone; else those of $KUBECONFIG, ~/.kube/config, or the pod's account");
  app.add_option("--context", options.context, "Of the kubeconfig; else its current one");
}

kube::ConfigSources SourcesOf(const ClusterOptions& options) {
  kube::ConfigSources sources = kube::OwnSources();
  sources.kubeconfig = options.kubeconfig;
  sources.context = options.context;
  return sources;
}

}  // namespace twofold::cli
