// A cluster in memory for tests that are no C++: an API server, and a controller that makes Jobs
// run.
//
//     fake_cluster KUBECONFIG USED
//
// writes a kubeconfig for itself (namespace "load") once it serves, and at SIGTERM what was used,
// as a role would have to allow it: a JSON list of {verb, group, resource, namespace}.
#include <absl/strings/str_cat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "lib/common/program.h"
#include "tests/cli/lifecycle/controller.h"
#include "tests/fakes/kube_api.h"

namespace twofold::lifecycle {
namespace {

/// Whole or not at all.
void Write(const std::string& path, const std::string& text) {
  std::ofstream(path + ".part") << text;
  std::filesystem::rename(path + ".part", path);
}

std::string KubeconfigFor(const std::string& url) {
  return absl::StrCat(
      "{clusters: [{name: c, cluster: {server: \"", url,
      "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: "
      "c, user: u, namespace: load}}], current-context: x}\n");
}

std::string TextOf(const std::set<fakes::KubeUse>& used) {
  kube::Json list = kube::Json::array();
  for (const fakes::KubeUse& each : used) {
    list.push_back({{"verb", each.verb},
                    {"group", each.group},
                    {"resource", each.resource},
                    {"namespace", each.space}});
  }
  return list.dump(1);
}

int Serve(const std::string& kubeconfig, const std::string& used) {
  ShutdownSignals signals;
  fakes::KubeApi api;
  FakeController controller(api, {});
  Write(kubeconfig, KubeconfigFor(api.url()));
  signals.Wait();
  Write(used, TextOf(api.used()));
  return 0;
}

}  // namespace
}  // namespace twofold::lifecycle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("fake_cluster KUBECONFIG USED\n", stderr);
    return 2;
  }
  return twofold::lifecycle::Serve(argv[1], argv[2]);
}
