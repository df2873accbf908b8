#include "workloads/gpu/inventory.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "suites/gpu/gpu.h"
#include "workloads/gpu/nvml.h"

namespace twofold::gpu {
namespace {

using v1::suites::GpuDevice;
using v1::suites::GpuList;

std::string NamesIn(const GpuList& list) {
  return absl::StrJoin(list.devices(), ", ", [](std::string* out, const GpuDevice& device) {
    absl::StrAppend(out, device.index(), " ", device.name(),
                    device.uuid().empty() ? "" : absl::StrCat(" (", device.uuid(), ")"));
  });
}

bool IsIndex(const std::string& wanted) {
  constexpr std::size_t kMostDigits = 4;
  return wanted.size() <= kMostDigits &&
         std::all_of(wanted.begin(), wanted.end(), absl::ascii_isdigit);
}

bool Means(const std::string& wanted, const GpuDevice& device) {
  if (IsIndex(wanted)) return wanted == absl::StrCat(device.index());
  if (absl::EqualsIgnoreCase(wanted, device.uuid())) return true;
  return absl::StrContains(absl::AsciiStrToLower(device.name()), absl::AsciiStrToLower(wanted));
}

}  // namespace

std::string UuidText(std::string_view prefix, const std::array<std::uint8_t, 16>& bytes) {
  std::string text(prefix);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    absl::StrAppend(&text, absl::Hex(bytes.at(i), absl::kZeroPad2));
  }
  return text;
}

Inventory::Inventory(const std::string& api, const std::string& wanted) {
  if (wanted.starts_with("MIG-")) setenv("CUDA_VISIBLE_DEVICES", wanted.c_str(), 1);
  if (api != "opencl") Add(LoadCuda(), false);
  const bool cuda = list_.devices_size() > 0;
  if (api != "cuda") Add(LoadOpenCl(), cuda);
}

void Inventory::Add(Result<std::unique_ptr<Driver>> loaded, bool without_nvidia) {
  const auto note = [this](const Status& status) {
    list_.add_notes(std::string(status.message()));
  };
  if (!loaded.ok()) return note(loaded.status());
  Result<std::vector<GpuDevice>> devices = (*loaded)->List();
  if (!devices.ok()) return note(devices.status());
  for (GpuDevice& device : *devices) {
    if (without_nvidia && absl::StrContains(device.vendor(), "NVIDIA")) continue;
    places_.push_back({loaded->get(), device.index()});
    device.set_index(static_cast<std::uint32_t>(list_.devices_size()));
    *list_.add_devices() = std::move(device);
  }
  drivers_.push_back(*std::move(loaded));
}

GpuList Inventory::ListWithSlices() const {
  GpuList list = list_;
  const Result<NvmlView> view = LookByNvml();
  if (!view.ok()) return list;
  for (GpuDevice& device : *list.mutable_devices()) {
    if (device.api() == "cuda")
      device.set_driver(absl::StrCat(view->driver, ", ", device.driver()));
  }
  for (const GpuDevice& slice : view->slices) {
    const bool shown =
        std::any_of(list_.devices().begin(), list_.devices().end(),
                    [&](const GpuDevice& device) { return device.uuid() == slice.uuid(); });
    if (!shown) *list.add_devices() = slice;
  }
  return list;
}

Result<std::unique_ptr<Device>> Inventory::Open(std::uint32_t index, Waiting waiting) {
  if (index >= places_.size()) return absl::NotFoundError("no such device");
  return places_[index].driver->Open(places_[index].index, waiting);
}

Result<std::uint32_t> Pick(const GpuList& list, const std::string& wanted) {
  if (list.devices().empty()) {
    return absl::NotFoundError(absl::StrCat("no device: ", absl::StrJoin(list.notes(), "; ")));
  }
  if (wanted.empty()) return static_cast<std::uint32_t>(suite::gpu::FirstDevice(list));
  std::vector<std::uint32_t> found;
  for (const GpuDevice& device : list.devices()) {
    if (Means(wanted, device)) found.push_back(device.index());
  }
  if (found.size() == 1) return found.front();
  return absl::NotFoundError(absl::StrCat(
      "device: '", wanted, "' is ", found.empty() ? "none" : "several", " of ", NamesIn(list)));
}

}  // namespace twofold::gpu
