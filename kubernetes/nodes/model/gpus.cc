#include "kubernetes/nodes/model/gpus.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "lib/common/random.h"

namespace twofold::nodes {

bool Gpus::Take(std::uint64_t pod, std::int64_t count) {
  if (std::count(holders_.begin(), holders_.end(), kFree) < count) return false;
  for (std::uint64_t& holder : holders_) {
    if (count <= 0) break;
    if (holder != kFree) continue;
    holder = pod;
    --count;
  }
  return true;
}

void Gpus::Give(std::uint64_t pod) { std::replace(holders_.begin(), holders_.end(), pod, kFree); }

std::string GpuUuid(const std::string& node, std::size_t device) {
  Random draws(device, node);
  const std::uint64_t high = draws.Next();
  const std::uint64_t low = draws.Next();
  return absl::StrFormat("GPU-%08x-%04x-%04x-%04x-%012x", high >> 32, (high >> 16) & 0xffff,
                         high & 0xffff, low >> 48, low & 0xffffffffffff);
}

}  // namespace twofold::nodes
