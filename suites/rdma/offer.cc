#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/suite/text.h"
#include "suites/rdma/rdma.h"

namespace twofold::suite::rdma {

// "    mlx5_0          	b8599f0300f1cb1e", below a heading and a line of dashes.
Result<Labels> Offer(const StageOutput& probe) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kGuid = 16;
  std::vector<std::string_view> devices;
  for (const std::string_view line : Lines(probe.out)) {
    const auto words = Words(line);
    if (words.size() == 2 && words[1].size() == kGuid &&
        words[1].find_first_not_of(kHex) == std::string_view::npos) {
      devices.push_back(words[0]);
    }
  }
  if (!devices.empty()) {
    return Labels{{"rdma.device", std::string(devices[0])},
                  {"rdma.devices", absl::StrCat(devices.size())}};
  }
  const std::string end = BadEnd(probe);
  if (end.empty()) return absl::NotFoundError("ibv_devices: no RDMA device");
  const auto said = Lines(probe.out);
  return ToolFailed("ibv_devices", said.empty() ? end : std::string(Strip(said.back())));
}

}  // namespace twofold::suite::rdma
