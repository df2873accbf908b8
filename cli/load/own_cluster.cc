#include "cli/load/own_cluster.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/local/launch.h"
#include "cli/local/remote.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kClusterReadyWithin{60};
constexpr double kClusterGraceSeconds = 2;  // jobs of a load are of no use after it

Result<std::string> MakeFolder() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string();
  if (error) return absl::InvalidArgumentError("--local: no folder for temporary files (TMPDIR)");
  path += "/twofold-load-XXXXXX";
  if (mkdtemp(path.data()) != nullptr) return path;
  return absl::InvalidArgumentError(
      absl::StrCat("--local: cannot make ", path, ": ", std::strerror(errno), " (TMPDIR)"));
}

}  // namespace

Result<std::unique_ptr<OwnCluster>> OwnCluster::Start(const std::string& programs,
                                                      const std::vector<std::string>& workload,
                                                      const std::vector<int>& slots) {
  const Result<std::string> dir = MakeFolder();
  if (!dir.ok()) return dir.status();
  std::unique_ptr<OwnCluster> cluster(new OwnCluster(*dir));
  local::ClusterOptions options;
  options.free_ports = true;
  options.grace_seconds = kClusterGraceSeconds;
  options.programs = programs;
  options.load = local::LoadCluster{workload, slots};
  const auto supervisor =
      local::Launch(cluster->folder_, options, local::Life::kEmbedded, kClusterReadyWithin);
  if (!supervisor.ok()) return supervisor.status();
  const auto remote = local::Remote::Find(cluster->folder_);
  if (!remote.ok()) return remote.status();
  auto frontend = remote->FrontendAddress();
  if (!frontend.ok()) return frontend.status();
  cluster->frontend_ = *std::move(frontend);
  return cluster;
}

OwnCluster::~OwnCluster() {
  static_cast<void>(local::TakeDown(folder_));
  std::error_code error;
  std::filesystem::remove(folder_.dir(), error);  // if the supervisor was never started
}

}  // namespace twofold::cli
