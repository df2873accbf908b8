#include "backend/workload/environment.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/process/spawn.h"

namespace twofold::backend {
namespace {

// Lists are separated by spaces: one place for each rank, whatever is in it.
std::string_view OneWord(std::string_view text) {
  const bool good =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' '; });
  return good ? text : "-";
}

template <typename Get>
std::string ByRank(const v1::GangRoster& gang, Get&& get) {
  return absl::StrJoin(gang.peers(), " ", [&](std::string* out, const v1::Peer& peer) {
    out->append(OneWord(get(peer)));
  });
}

std::string Number(std::uint64_t value) { return absl::StrCat(value); }

using Variable = std::pair<const char*, std::optional<std::string>>;

std::vector<Variable> GangVariables(const v1::GangRoster& gang, std::uint32_t rank) {
  return {
      {"GANG_RANK", Number(rank)},
      {"GANG_SIZE", absl::StrCat(gang.peers_size())},
      {"GANG_PEERS",
       ByRank(gang, [](const v1::Peer& p) -> std::string_view { return p.address(); })},
      {"GANG_NODES", ByRank(gang, [](const v1::Peer& p) -> std::string_view { return p.node(); })},
      {"GANG_SECRET", absl::BytesToHexString(gang.secret())},
  };
}

std::vector<Variable> NoGangVariables() {
  std::vector<Variable> variables = GangVariables(v1::GangRoster::default_instance(), 0);
  for (auto& [name, value] : variables) value.reset();
  return variables;
}

}  // namespace

std::vector<std::string> JobEnvironment(const Job& job) {
  const v1::GangRoster* gang = job.gang ? job.gang->gang : nullptr;
  std::vector<Variable> variables = gang ? GangVariables(*gang, job.gang->rank) : NoGangVariables();
  variables.emplace_back("JOB", Number(gang ? gang->job() : job.id.job));
  variables.emplace_back("ATTEMPT", Number(gang ? gang->attempt() : job.id.attempt));
  variables.emplace_back("PROGRESS_FD", Number(process::kProgressFd));
  variables.emplace_back("READY_FD", std::nullopt);
  if (PreparesByProgram(job)) variables.back().second = Number(process::kReadyFd);
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) {
    environment.push_back(absl::StrCat("TWOFOLD_", name, value ? "=" : "", value.value_or("")));
  }
  return environment;
}

}  // namespace twofold::backend
