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

bool Gpus::TakeDevice(std::uint64_t pod, std::size_t device) {
  if (device >= holders_.size()) return false;
  if (holders_[device] != kFree) {
    const auto free = std::find(holders_.begin(), holders_.end(), kFree);
    if (free == holders_.end()) return false;
    *free = holders_[device];
  }
  holders_[device] = pod;
  return true;
}

std::optional<std::size_t> Gpus::FirstOf(std::uint64_t pod) const {
  const auto found = std::find(holders_.begin(), holders_.end(), pod);
  if (found == holders_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - holders_.begin());
}

void Gpus::Give(std::uint64_t pod) { std::replace(holders_.begin(), holders_.end(), pod, kFree); }

std::string GpuUuid(const std::string& node, std::size_t device) {
  Random draws(device, node);
  const std::uint64_t high = draws.Next();
  const std::uint64_t low = draws.Next();
  return absl::StrFormat("GPU-%08x-%04x-%04x-%04x-%012x", high >> 32, (high >> 16) & 0xffff,
                         high & 0xffff, low >> 48, low & 0xffffffffffff);
}

std::string GpuBusId(std::size_t device) {
  constexpr std::size_t kFirstBus = 16;
  return absl::StrFormat("00000000:%02X:00.0", kFirstBus + device);
}

}  // namespace twofold::nodes
