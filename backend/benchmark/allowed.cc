#include "backend/benchmark/allowed.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace twofold::backend {
namespace {

namespace fs = std::filesystem;

// Where `path` leads; empty if that cannot be known. What is not there yet is taken as written.
fs::path Target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  return error ? fs::path() : target;
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  if (path.empty() || folder.empty()) return false;
  const auto [rest, ignored] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

bool IsAllowed(const std::string& path, const std::string& work_folder, const Allowances& allowed) {
  const fs::path target = Target(fs::path(work_folder) / path);
  return IsWithin(target, Target(work_folder)) ||
         std::any_of(allowed.paths.begin(), allowed.paths.end(),
                     [&](const std::string& folder) { return IsWithin(target, Target(folder)); });
}

}  // namespace

Status CheckAllowed(const suite::GangPlan& plan, std::uint32_t rank, const std::string& work_folder,
                    const Allowances& allowed) {
  if (!allowed.options && !plan.unlisted.empty()) {
    return absl::PermissionDeniedError(absl::StrCat(
        plan.unlisted.front(), " is on no word list; only workers with --allow-options take it"));
  }
  const suite::RankPlan& own = plan.ranks[rank];
  for (const auto* paths : {&own.folders, &own.paths}) {
    for (const std::string& path : *paths) {
      if (IsAllowed(path, work_folder, allowed)) continue;
      return absl::PermissionDeniedError(absl::StrCat(
          path, ": neither in the work folder nor where this worker has --allow-path"));
    }
  }
  return absl::OkStatus();
}

}  // namespace twofold::backend
