#include "backend/gang.h"

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
    if (member.rank() >= static_cast<std::uint32_t>(member.peers_size())) {
      return absl::InvalidArgumentError(absl::StrCat("members has rank ", member.rank(), " among ",
                                                     member.peers_size(), " peers"));
    }
    if (!gangs.by_row_.emplace(member.row(), &member).second) {
      return absl::InvalidArgumentError(absl::StrCat("members has row ", member.row(), " twice"));
    }
  }
  return gangs;
}

const v1::GangMember* GangRows::At(std::uint32_t row) const {
  const auto found = by_row_.find(row);
  return found == by_row_.end() ? nullptr : found->second;
}

}  // namespace twofold::backend
