// A cluster in memory for tests that are no C++: an API server, and a controller that makes Jobs
// run.
//
//     fake_cluster KUBECONFIG USED [REFUSED]
//
// writes a kubeconfig for itself (namespace "load") once it serves, and at SIGTERM what was used,
// as a role would have to allow it: a JSON list of {verb, group, resource, namespace}. The first
// REFUSED Jobs are too many for a quota.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "lib/common/program.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/lifecycle/controller.h"

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

/// Creations of Jobs are answered so, the next `times`.
void Refuse(fakes::KubeApi& api, int times, int status, const char* reason, const char* message) {
  fakes::KubeFault fault{.kind = fakes::KubeFault::Kind::kStatus, .verb = "create"};
  fault.plural = "jobs";
  fault.times = times;
  fault.status = status;
  fault.body = kube::Json{{"apiVersion", "v1"}, {"kind", "Status"},   {"status", "Failure"},
                          {"reason", reason},   {"message", message}, {"code", status}}
                   .dump();
  api.Add(fault);
}

int Serve(const std::string& kubeconfig, const std::string& used, int refused) {
  ShutdownSignals signals;
  fakes::KubeApi api;
  if (refused > 0) {
    // A run tries one out first, and goes on if that cannot be done.
    Refuse(api, 1, 400, "BadRequest", "admission webhook \"quota\" does not support dry run");
    Refuse(api, refused, 403, "Forbidden", "jobs.batch is forbidden: exceeded quota: load");
  }
  FakeController controller(api, {});
  Write(kubeconfig, KubeconfigFor(api.url()));
  signals.Wait();
  Write(used, TextOf(api.used()));
  return 0;
}

}  // namespace
}  // namespace twofold::lifecycle

int main(int argc, char** argv) {
  int refused = 0;
  if (argc < 3 || argc > 4 || (argc == 4 && !absl::SimpleAtoi(argv[3], &refused))) {
    std::fputs("fake_cluster KUBECONFIG USED [REFUSED]\n", stderr);
    return 2;
  }
  return twofold::lifecycle::Serve(argv[1], argv[2], refused);
}
