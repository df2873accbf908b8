#include "frontend/services/attended_runs.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kMostWho = 200;

}  // namespace

Result<AttendedRuns::Place> AttendedRuns::Enter(const v1::AttendRunRequest& request) {
  const std::string& run = request.id();
  if (run.empty()) return absl::InvalidArgumentError("id: which run?");
  if (run.size() > rpc::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("id has ", run.size(), " bytes; at most ",
                                                   rpc::kMaxNameBytes, " are allowed"));
  }
  if (request.who().size() > kMostWho) {
    return absl::InvalidArgumentError(absl::StrCat("who: at most ", kMostWho, " bytes"));
  }
  const MutexLock lock(mutex_);
  const auto [entry, entered] = who_.emplace(run, request.who());
  if (!entered) {
    return absl::AlreadyExistsError(
        absl::StrCat("run ", run, " is looked after by ", entry->second, " already"));
  }
  return Place(nullptr, [this, run](void*) { Leave(run); });
}

void AttendedRuns::Leave(const std::string& run) {
  const MutexLock lock(mutex_);
  who_.erase(run);
}

}  // namespace twofold::frontend
