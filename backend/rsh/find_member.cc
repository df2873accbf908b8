#include "backend/rsh/find_member.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <array>
#include <optional>

namespace twofold::gang {
namespace {

constexpr std::size_t kMostListed = 16;

std::string_view FirstLabel(std::string_view name) { return name.substr(0, name.find('.')); }

using Is = bool (*)(const Member& member, std::string_view host);

// The first one that anybody matches counts.
constexpr std::array<Is, 5> kMeanings = {
    [](const Member& member, std::string_view host) { return member.address == host; },
    [](const Member& member, std::string_view host) { return member.pod == host; },
    [](const Member& member, std::string_view host) { return member.node == host; },
    [](const Member& member, std::string_view host) {
      return FirstLabel(member.address) == host || FirstLabel(member.pod) == host;
    },
    [](const Member& member, std::string_view host) { return FirstLabel(member.node) == host; },
};

std::optional<std::uint32_t> LastOf(const Gang& gang, Is is, std::string_view host) {
  for (std::size_t rank = gang.members.size(); rank-- > 0;) {
    if (is(gang.members[rank], host)) return static_cast<std::uint32_t>(rank);
  }
  return std::nullopt;
}

std::string List(const Gang& gang) {
  std::vector<std::string> hosts;
  for (const Member& member : gang.members) {
    if (hosts.size() == kMostListed) {
      hosts.push_back(absl::StrCat(gang.members.size() - kMostListed, " more"));
      break;
    }
    hosts.push_back(member.address);
  }
  return absl::StrJoin(hosts, ", ");
}

}  // namespace

Result<std::uint32_t> FindMember(const Gang& gang, std::string_view host) {
  for (const Is is : kMeanings) {
    if (host.empty()) break;
    if (const auto rank = LastOf(gang, is, host)) return *rank;
  }
  return absl::NotFoundError(
      absl::StrCat("'", std::string(host), "' is no host of this gang; these are: ", List(gang)));
}

}  // namespace twofold::gang
