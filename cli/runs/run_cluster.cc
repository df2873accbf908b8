#include "cli/runs/run_cluster.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/local/launch.h"
#include "cli/local/remote.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kReadyWithin{60};
constexpr std::chrono::seconds kEndsWithin{10};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of the XDG Base Directory Specification: a path that is not absolute does not count.
std::string UsualFolder() {
  if (const std::string state = Variable("XDG_STATE_HOME"); state.starts_with("/")) {
    return state + "/twofold";
  }
  const std::string home = Variable("HOME");
  return home.empty() ? "" : home + "/.local/state/twofold";
}

}  // namespace

std::string LabelOfLocalRun(const std::string& id) { return "twofold/run=" + id; }

std::string ShellWord(const std::string& word) {
  const auto bare = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), bare)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

Result<LocalRuns> LocalRuns::In(const std::string& given) {
  const std::string dir = given.empty() ? UsualFolder() : given;
  if (dir.empty()) {
    return absl::InvalidArgumentError(
        "--local: neither XDG_STATE_HOME nor HOME says where to keep results; give a folder with "
        "--keep");
  }
  std::error_code error;
  const std::string path = std::filesystem::absolute(dir, error).string();
  if (!error) std::filesystem::create_directories(path, error);
  if (!error) return LocalRuns(path, !given.empty());
  return absl::InvalidArgumentError(absl::StrCat(
      "--local: cannot make ", path, ": ", error.message(), "; give another folder with --keep"));
}

local::StateFolder LocalRuns::Folder() const {
  return local::StateFolder(dir_ + "/cluster", local::StateFolder::Logs::kStay);
}

std::string LocalRuns::Option() const {
  return given_ ? absl::StrCat("--local --keep ", ShellWord(dir_)) : "--local";
}

EmbeddedCluster::~EmbeddedCluster() {
  if (launched_) static_cast<void>(local::TakeDown(folder_));
}

Status EmbeddedCluster::Launch(const local::ClusterOptions& options) {
  const auto supervisor = local::LaunchSupervisor(folder_, options, local::Life::kEmbedded);
  if (!supervisor.ok()) return supervisor.status();
  launched_ = true;
  if (Status status = local::WaitReady(folder_, kReadyWithin); !status.ok()) return status;
  const auto remote = local::Remote::Find(folder_);
  if (!remote.ok()) return remote.status();
  const auto service = remote->Service("scalability-tester-frontend");
  if (!service.ok()) return service.status();
  frontend_ = service->at("addresses").value("client", "");
  return absl::OkStatus();
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::Start(const LocalRuns& runs,
                                                                local::ClusterOptions options) {
  const local::StateFolder folder = runs.Folder();
  if (!local::StateFolder::WaitUnlocked(folder.WatchLock(), kEndsWithin)) {
    return absl::FailedPreconditionError(
        absl::StrCat("another run on this machine goes on in ", folder.dir(),
                     ": two would measure each other. Wait for its end, or give this one a folder "
                     "of its own with --keep"));
  }
  std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(folder));
  options.run->store = runs.StoreFile();
  options.free_ports = true;
  if (Status status = cluster->Launch(options); !status.ok()) return status;
  return cluster;
}

}  // namespace twofold::cli
