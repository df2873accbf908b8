#include "workloads/gpu/inventory.h"

#include <gtest/gtest.h>

namespace twofold::gpu {
namespace {

v1::suites::GpuList TwoVendors() {
  v1::suites::GpuList list;
  const auto add = [&](const char* type, const char* name, const char* uuid) {
    auto& device = *list.add_devices();
    device.set_index(static_cast<std::uint32_t>(list.devices_size() - 1));
    device.set_type(type);
    device.set_name(name);
    device.set_uuid(uuid);
  };
  add("cpu", "pthread-haswell", "");
  add("gpu", "NVIDIA H200", "GPU-aa");
  add("gpu", "NVIDIA H100", "GPU-bb");
  add("gpu", "Intel Arc A770", "");
  return list;
}

TEST(GpuPick, NothingWantedIsTheFirstThatIsNoCpu) {
  EXPECT_EQ(*Pick(TwoVendors(), ""), 1U);
  v1::suites::GpuList cpu;
  cpu.add_devices()->set_type("cpu");
  EXPECT_EQ(*Pick(cpu, ""), 0U);
}

TEST(GpuPick, AnIndexAUuidOrAPartOfANameFindsIt) {
  EXPECT_EQ(*Pick(TwoVendors(), "0"), 0U);
  EXPECT_EQ(*Pick(TwoVendors(), "gpu-BB"), 2U);
  EXPECT_EQ(*Pick(TwoVendors(), "h200"), 1U);
  EXPECT_EQ(*Pick(TwoVendors(), "intel"), 3U);
}

TEST(GpuPick, NoneOrSeveralIsAnErrorThatListsThem) {
  const auto several = Pick(TwoVendors(), "nvidia").status();
  EXPECT_EQ(several.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(several.message(),
            "device: 'nvidia' is several of 0 pthread-haswell, 1 NVIDIA H200 (GPU-aa), "
            "2 NVIDIA H100 (GPU-bb), 3 Intel Arc A770");
  EXPECT_EQ(Pick(TwoVendors(), "4").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Pick(TwoVendors(), "GPU-cc").status().code(), absl::StatusCode::kNotFound);
}

TEST(GpuPick, WithoutDevicesTheNotesSayWhatIsMissing) {
  v1::suites::GpuList none;
  none.add_notes("libcuda.so.1: not found");
  EXPECT_EQ(Pick(none, "").status().message(), "no device: libcuda.so.1: not found");
}

TEST(GpuUuid, IsWrittenAsNvidiaWritesIt) {
  EXPECT_EQ(UuidText("GPU-", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255}),
            "GPU-00010203-0405-0607-0809-0a0b0c0d0eff");
}

}  // namespace
}  // namespace twofold::gpu
