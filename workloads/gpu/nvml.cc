#include "workloads/gpu/nvml.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "workloads/gpu/library.h"

namespace twofold::gpu {
namespace {

using v1::suites::GpuDevice;
using v1::suites::GpuHealth;

constexpr std::chrono::milliseconds kPeriod(50);

using Code = int;
using Handle = void*;
constexpr Code kNvmlSuccess = 0;

// NVML's functions with names and values of its manual.
struct Nvml {
  Code (*Init_v2)();
  const char* (*ErrorString)(Code);
  Code (*SystemGetDriverVersion)(char*, unsigned);
  Code (*DeviceGetCount_v2)(unsigned*);
  Code (*DeviceGetHandleByIndex_v2)(unsigned, Handle*);
  Code (*DeviceGetHandleByUUID)(const char*, Handle*);
  Code (*DeviceGetClockInfo)(Handle, int, unsigned*);
  Code (*DeviceGetPowerUsage)(Handle, unsigned*);
  Code (*DeviceGetTemperature)(Handle, int, unsigned*);
  Code (*DeviceGetCurrentClocksThrottleReasons)(Handle, unsigned long long*);
  Code (*DeviceGetName)(Handle, char*, unsigned);
  Code (*DeviceGetUUID)(Handle, char*, unsigned);
  Code (*DeviceGetMaxMigDeviceCount)(Handle, unsigned*);
  Code (*DeviceGetMigDeviceHandleByIndex)(Handle, unsigned, Handle*);
  Code (*DeviceGetDeviceHandleFromMigDeviceHandle)(Handle, Handle*);
};

constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;

struct Reason {
  std::uint64_t bit;
  const char* name;
};

// Those that make a device slower than it could be; idle clocks and clocks that somebody has chosen
// are none.
constexpr Reason kReasons[] = {{0x4, "power cap"},
                               {0x8, "hardware slowdown"},
                               {0x20, "software thermal"},
                               {0x40, "hardware thermal"},
                               {0x80, "power brake"}};

constexpr std::uint64_t AllReasons() {
  std::uint64_t all = 0;
  for (const Reason& reason : kReasons) all |= reason.bit;
  return all;
}

Result<Nvml> LoadNvml() {
  const Result<Library> library = Library::Load("libnvidia-ml.so.1");
  if (!library.ok()) return library.status();
  Nvml nvml = {};
  Status status;
#define TWOFOLD_FIND(name) status.Update(library->Find("nvml" #name, nvml.name))
  TWOFOLD_FIND(Init_v2);
  TWOFOLD_FIND(ErrorString);
  TWOFOLD_FIND(SystemGetDriverVersion);
  TWOFOLD_FIND(DeviceGetCount_v2);
  TWOFOLD_FIND(DeviceGetHandleByIndex_v2);
  TWOFOLD_FIND(DeviceGetHandleByUUID);
  TWOFOLD_FIND(DeviceGetClockInfo);
  TWOFOLD_FIND(DeviceGetPowerUsage);
  TWOFOLD_FIND(DeviceGetTemperature);
  TWOFOLD_FIND(DeviceGetCurrentClocksThrottleReasons);
  TWOFOLD_FIND(DeviceGetName);
  TWOFOLD_FIND(DeviceGetUUID);
  TWOFOLD_FIND(DeviceGetMaxMigDeviceCount);
  TWOFOLD_FIND(DeviceGetMigDeviceHandleByIndex);
  TWOFOLD_FIND(DeviceGetDeviceHandleFromMigDeviceHandle);
#undef TWOFOLD_FIND
  if (!status.ok()) return status;
  const Code code = nvml.Init_v2();
  if (code == kNvmlSuccess) return nvml;
  return absl::InternalError(absl::StrCat("nvmlInit: ", nvml.ErrorString(code)));
}

Sample Look(const Nvml& nvml, Handle device) {
  const auto number = [](Code code, unsigned value, double unit) {
    return code == kNvmlSuccess ? value / unit : -1;
  };
  Sample sample;
  unsigned value = 0;
  Code code = nvml.DeviceGetClockInfo(device, kSmClock, &value);
  sample.clock_mhz = number(code, value, 1);
  code = nvml.DeviceGetClockInfo(device, kMemoryClock, &value);
  sample.memory_clock_mhz = number(code, value, 1);
  code = nvml.DeviceGetPowerUsage(device, &value);
  sample.power_w = number(code, value, 1000);
  code = nvml.DeviceGetTemperature(device, kGpuTemperature, &value);
  sample.temperature_c = number(code, value, 1);
  unsigned long long reasons = 0;
  code = nvml.DeviceGetCurrentClocksThrottleReasons(device, &reasons);
  if (code == kNvmlSuccess) sample.reasons = reasons;
  return sample;
}

// Without a device.
class NoMonitor final : public HealthMonitor {
 public:
  void Watch(bool) override {}
  GpuHealth Stop() override { return {}; }
};

class NvmlMonitor final : public HealthMonitor {
 public:
  NvmlMonitor(const Nvml& nvml, Handle device)
      : nvml_(nvml), device_(device), thread_([this] { Run(); }) {}
  ~NvmlMonitor() override { Join(); }

  void Watch(bool on) override {
    const MutexLock lock(mutex_);
    watched_ = on;
  }

  GpuHealth Stop() override {
    Join();
    return record_.Summary();
  }

 private:
  void Join() {
    if (!thread_.joinable()) return;
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
      wake_.NotifyAll();
    }
    thread_.join();
  }

  // Whether to look now: after a period in which nobody has stopped it.
  bool Due() {
    const MutexLock lock(mutex_);
    const Instant due = Now() + kPeriod;
    while (!stopped_ && wake_.WaitUntil(mutex_, due)) {
    }
    return !stopped_;
  }

  bool watched() {
    const MutexLock lock(mutex_);
    return watched_;
  }

  void Run() {
    while (Due()) {
      if (watched()) record_.Add(Look(nvml_, device_));
    }
  }

  const Nvml nvml_;
  const Handle device_;
  Mutex mutex_;
  Condition wake_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool watched_ ABSL_GUARDED_BY(mutex_) = false;
  HealthRecord record_;  // of the thread, until it has ended
  std::thread thread_;
};

// Power and clocks are those of the whole device.
Handle WholeDevice(const Nvml& nvml, Handle device) {
  Handle whole = nullptr;
  const Code code = nvml.DeviceGetDeviceHandleFromMigDeviceHandle(device, &whole);
  return code == kNvmlSuccess ? whole : device;
}

template <typename Ask>
std::string TextOf(Ask ask) {
  std::array<char, 256> text = {};
  return ask(text.data(), static_cast<unsigned>(text.size() - 1)) == kNvmlSuccess ? text.data()
                                                                                  : "";
}

void AddSlices(const Nvml& nvml, Handle device, std::vector<GpuDevice>& slices) {
  unsigned most = 0;
  if (nvml.DeviceGetMaxMigDeviceCount(device, &most) != kNvmlSuccess) return;
  for (unsigned i = 0; i < most; ++i) {
    Handle slice = nullptr;
    if (nvml.DeviceGetMigDeviceHandleByIndex(device, i, &slice) != kNvmlSuccess) continue;
    GpuDevice info;
    info.set_api("cuda");
    info.set_type("mig");
    info.set_vendor("NVIDIA");
    info.set_name(TextOf([&](char* to, unsigned n) { return nvml.DeviceGetName(slice, to, n); }));
    info.set_uuid(TextOf([&](char* to, unsigned n) { return nvml.DeviceGetUUID(slice, to, n); }));
    slices.push_back(std::move(info));
  }
}

}  // namespace

void HealthRecord::Sum::Add(double value) {
  if (value < 0) return;
  least = count == 0 ? value : std::min(least, value);
  most = count == 0 ? value : std::max(most, value);
  total += value;
  ++count;
}

void HealthRecord::Sum::Write(GpuHealth::Range& range) const {
  range.set_least(least);
  range.set_mean(total / count);
  range.set_most(most);
}

void HealthRecord::Add(const Sample& sample) {
  clock_.Add(sample.clock_mhz);
  memory_clock_.Add(sample.memory_clock_mhz);
  power_.Add(sample.power_w);
  temperature_.Add(sample.temperature_c);
  ++samples_;
  if ((sample.reasons & AllReasons()) != 0) ++throttled_;
  reasons_ |= sample.reasons;
}

GpuHealth HealthRecord::Summary() const {
  GpuHealth health;
  health.set_samples(samples_);
  if (clock_.count > 0) clock_.Write(*health.mutable_clock_mhz());
  if (memory_clock_.count > 0) memory_clock_.Write(*health.mutable_memory_clock_mhz());
  if (power_.count > 0) power_.Write(*health.mutable_power_w());
  if (temperature_.count > 0) temperature_.Write(*health.mutable_temperature_c());
  health.set_throttled_samples(throttled_);
  for (const Reason& reason : kReasons) {
    if ((reasons_ & reason.bit) != 0) health.add_throttle_reasons(reason.name);
  }
  return health;
}

std::unique_ptr<HealthMonitor> HealthMonitor::Start(const std::string& uuid) {
  if (uuid.empty()) return std::make_unique<NoMonitor>();
  const Result<Nvml> nvml = LoadNvml();
  if (!nvml.ok()) return std::make_unique<NoMonitor>();
  Handle device = nullptr;
  const bool known = nvml->DeviceGetHandleByUUID(uuid.c_str(), &device) == kNvmlSuccess;
  if (!known) return std::make_unique<NoMonitor>();
  return std::make_unique<NvmlMonitor>(*nvml, WholeDevice(*nvml, device));
}

Result<NvmlView> LookByNvml() {
  const Result<Nvml> nvml = LoadNvml();
  if (!nvml.ok()) return nvml.status();
  NvmlView view;
  view.driver = TextOf([&](char* to, unsigned n) { return nvml->SystemGetDriverVersion(to, n); });
  unsigned count = 0;
  nvml->DeviceGetCount_v2(&count);
  for (unsigned i = 0; i < count; ++i) {
    Handle device = nullptr;
    if (nvml->DeviceGetHandleByIndex_v2(i, &device) == kNvmlSuccess) {
      AddSlices(*nvml, device, view.slices);
    }
  }
  return view;
}

}  // namespace twofold::gpu
