#include "backend/workload/attempt.h"

#include <absl/strings/str_cat.h>

namespace twofold::backend {

Result<GangRows> GangRows::Of(const v1::AssignBatch& batch) {
  const auto rows = static_cast<std::uint32_t>(batch.jobs_size());
  GangRows gangs;
  for (const v1::GangMember& member : batch.members()) {
    if (member.row() >= rows) {
      return absl::InvalidArgumentError(
          absl::StrCat("members names row ", member.row(), " of ", rows));
    }
    if (member.gang() >= static_cast<std::uint32_t>(batch.gangs_size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("members names gang ", member.gang(), " of ", batch.gangs_size()));
    }
    const v1::GangRoster& gang = batch.gangs(static_cast<int>(member.gang()));
    if (member.rank() >= static_cast<std::uint32_t>(gang.peers_size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("members has rank ", member.rank(), " among ", gang.peers_size(), " peers"));
    }
    if (!gangs.by_row_.try_emplace(member.row(), GangSeat{&gang, member.rank()}).second) {
      return absl::InvalidArgumentError(absl::StrCat("members has row ", member.row(), " twice"));
    }
  }
  return gangs;
}

const GangSeat* GangRows::At(std::uint32_t row) const {
  const auto found = by_row_.find(row);
  return found == by_row_.end() ? nullptr : &found->second;
}

}  // namespace twofold::backend
