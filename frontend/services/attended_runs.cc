#include "frontend/services/attended_runs.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kMostWho = 200;

/// Says it, and then nothing more: it is cancelled when the caller goes.
class AttendedStream final : public ByteWriter {
 public:
  AttendedStream(std::shared_ptr<void> call, AttendedRuns::Place run)
      : call_(std::move(call)), run_(std::move(run)), bytes_(rpc::Serialize(v1::AttendRunReply())) {
    StartWrite(&bytes_);
  }

 private:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

  const std::shared_ptr<void> call_;
  const AttendedRuns::Place run_;
  grpc::ByteBuffer bytes_;
};

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
  const std::lock_guard lock(mutex_);
  const auto [entry, entered] = who_.emplace(run, request.who());
  if (!entered) {
    return absl::AlreadyExistsError(
        absl::StrCat("run ", run, " is looked after by ", entry->second, " already"));
  }
  return Place(nullptr, [this, run](void*) { Leave(run); });
}

void AttendedRuns::Leave(const std::string& run) {
  const std::lock_guard lock(mutex_);
  who_.erase(run);
}

ByteWriter* ServeAttendRun(std::shared_ptr<void> call, AttendedRuns::Place run) {
  return new AttendedStream(std::move(call), std::move(run));
}

}  // namespace twofold::frontend
