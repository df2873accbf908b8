#include "backend/workload/job.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "lib/process/spawn.h"

namespace twofold::backend {
namespace {

// Lists are separated by spaces: one place for each rank, whatever is in it.
std::string_view OneWord(std::string_view text) {
  const bool good =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' '; });
  return good ? text : "-";
}

std::string ByRank(const v1::GangRoster& roster, const std::string& (v1::Peer::*field)() const) {
  return absl::StrJoin(roster.peers(), " ", [&](std::string* out, const v1::Peer& peer) {
    out->append(OneWord((peer.*field)()));
  });
}

}  // namespace

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

std::vector<std::string> JobEnvironment(const Job& job) {
  const v1::GangRoster* const gang = job.gang != nullptr ? job.gang->gang : nullptr;
  const v1::GangRoster& roster = gang != nullptr ? *gang : v1::GangRoster::default_instance();
  std::vector<std::string> environment;
  const auto add = [&](const char* name, bool applies, const auto& value) {
    environment.push_back(applies ? absl::StrCat(name, "=", value) : name);
  };
  add("TWOFOLD_JOB", true, gang ? gang->job() : job.id.job);
  add("TWOFOLD_ATTEMPT", true, gang ? gang->attempt() : job.id.attempt);
  add("TWOFOLD_PROGRESS_FD", true, process::kProgressFd);
  add("TWOFOLD_READY_FD", PreparesByProgram(job), process::kReadyFd);
  add("TWOFOLD_GANG_RANK", gang, gang ? job.gang->rank : 0U);
  add("TWOFOLD_GANG_SIZE", gang, roster.peers_size());
  add("TWOFOLD_GANG_PEERS", gang, ByRank(roster, &v1::Peer::address));
  add("TWOFOLD_GANG_NODES", gang, ByRank(roster, &v1::Peer::node));
  add("TWOFOLD_GANG_SECRET", gang, absl::BytesToHexString(roster.secret()));
  return environment;
}

}  // namespace twofold::backend
