#pragma once

#include <cstdlib>
#include <string>

#include "tests/fakes/kube_api.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::testing {

/// Makes an API server in memory that of $KUBECONFIG, as long as it lives.
class Kubeconfig {
 public:
  explicit Kubeconfig(const fakes::KubeApi& api) {
    WriteFile(folder_ / "kubeconfig",
              "{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: k, cluster: "
              "{server: \"" +
                  api.url() + "\"}}], contexts: [{name: c, context: {cluster: k}}]}");
    setenv("KUBECONFIG", std::string(folder_ / "kubeconfig").c_str(), 1);
  }
  ~Kubeconfig() { unsetenv("KUBECONFIG"); }
  Kubeconfig(const Kubeconfig&) = delete;
  Kubeconfig& operator=(const Kubeconfig&) = delete;

 private:
  TempDir folder_;
};

}  // namespace twofold::testing
