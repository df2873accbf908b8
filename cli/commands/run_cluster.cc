#include "cli/commands/run_cluster.h"

#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/local/launch.h"
#include "cli/local/remote.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kReadyWithin{60};

Result<std::string> MakeTemporaryFolder() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "twofold-run-XXXXXX").string();
  if (!error && mkdtemp(path.data()) != nullptr) return path;
  return absl::InvalidArgumentError("cannot make a temporary folder: set TMPDIR");
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(const std::string& dir, bool temporary)
    : dir_(dir), temporary_(temporary), folder_(dir + "/cluster") {}

EmbeddedCluster::~EmbeddedCluster() {
  static_cast<void>(local::TakeDown(folder_));
  std::error_code error;
  if (temporary_) std::filesystem::remove_all(dir_, error);
}

Status EmbeddedCluster::Launch(const local::ClusterOptions& options) {
  const auto supervisor = local::LaunchSupervisor(folder_, options, local::Life::kEmbedded);
  if (!supervisor.ok()) return supervisor.status();
  if (Status status = local::WaitReady(folder_, kReadyWithin); !status.ok()) return status;
  const auto remote = local::Remote::Find(folder_);
  if (!remote.ok()) return remote.status();
  const auto service = remote->Service("scalability-tester-frontend");
  if (!service.ok()) return service.status();
  frontend_ = service->at("addresses").value("client", "");
  return absl::OkStatus();
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::Start(const std::string& dir,
                                                                local::ClusterOptions options) {
  std::string path = dir;
  if (dir.empty()) {
    auto made = MakeTemporaryFolder();
    if (!made.ok()) return made.status();
    path = *std::move(made);
  }
  std::error_code error;
  path = std::filesystem::absolute(path, error).string();
  std::filesystem::create_directories(path, error);
  std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(path, dir.empty()));
  options.run->store = path + "/store.db";
  options.free_ports = true;
  if (Status status = cluster->Launch(options); !status.ok()) return status;
  return cluster;
}

}  // namespace twofold::cli
