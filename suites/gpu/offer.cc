#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <string>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/gpu/gpu.h"

namespace twofold::suite::gpu {

using v1::suites::GpuDevice;
using v1::suites::GpuList;

std::size_t FirstDevice(const GpuList& list) {
  const auto& devices = list.devices();
  const auto first = std::find_if(devices.begin(), devices.end(),
                                  [](const GpuDevice& device) { return device.type() != "cpu"; });
  return first == devices.end() ? 0 : static_cast<std::size_t>(first - devices.begin());
}

Result<Labels> Offer(const StageOutput& probe) {
  GpuList list;
  const Status status = ReadJson(probe.out, list);
  if (!status.ok() || probe.out.empty()) {
    const std::string end = BadEnd(probe);
    const std::string why =
        probe.out.empty() ? "no list of devices" : std::string(status.message());
    return Unreadable("twofold-gpu --list", end.empty() ? why : end);
  }
  if (list.devices().empty()) {
    return absl::NotFoundError(absl::StrCat("no device: ", absl::StrJoin(list.notes(), "; ")));
  }
  const GpuDevice& device = list.devices(static_cast<int>(FirstDevice(list)));
  Labels labels = {
      {"gpu.api", device.api()},       {"gpu.driver", device.driver()},
      {"gpu.name", device.name()},     {"gpu.type", device.type()},
      {"gpu.vendor", device.vendor()}, {"gpu.devices", absl::StrCat(list.devices_size())}};
  if (!device.uuid().empty()) labels.emplace("gpu.uuid", device.uuid());
  return labels;
}

}  // namespace twofold::suite::gpu
