#include "client/places.h"

#include <utility>

#include "lib/common/printable.h"
#include "lib/rpc/limits.h"

namespace twofold::client {
namespace {

std::string Name(std::string_view text) { return Printable(text, rpc::kMaxNameBytes); }

}  // namespace

Places::Index Places::Find(std::string_view node, std::string_view pod, std::string_view device) {
  const auto found = index_.find(View{node, pod, device});
  if (found != index_.end()) return found->second;
  return Add({Name(node), Name(pod), Name(device)});
}

Places::Index Places::Add(Key names) {
  if (all_.size() >= kMost) names = {"other", "other", ""};
  const auto [entry, added] = index_.try_emplace(std::move(names), static_cast<Index>(all_.size()));
  if (added) {
    const auto& [node, pod, device] = entry->first;
    all_.push_back({node, pod, device});
  }
  return entry->second;
}

}  // namespace twofold::client
