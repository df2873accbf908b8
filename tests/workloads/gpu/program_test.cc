#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "lib/suite/json.h"
#include "suites/gpu/gpu.h"

// The program itself: with a real OpenCL on the CPU (PoCL), and with a driver of NVIDIA whose
// device is the host (tests/fakes/cuda).
namespace twofold::gpu {
namespace {

using suite::Json;
using ::testing::HasSubstr;

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kNoDevice = 3;
constexpr char kCuda[] = FAKES "/cuda";
constexpr char kCudaAndNvml[] = FAKES "/cuda:" FAKES "/nvml";

// A variable of the environment, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

struct End {
  int code;
  std::string output;
};

End RunProgram(std::vector<std::string> arguments) {
  twofold::testing::Program program("twofold-gpu", std::move(arguments));
  const int code = program.Wait();
  return {code, program.output()};
}

Json JsonIn(const End& end) {
  EXPECT_EQ(end.code, 0) << end.output;
  const auto document = suite::FindDocument("twofold-gpu", end.output);
  EXPECT_TRUE(document.ok()) << end.output;
  return document.ok() ? document->json : Json();
}

// Runs a spec, and reads the report as the suite does.
suite::Measurements Measured(const std::string& spec) {
  const End end = RunProgram({spec});
  EXPECT_EQ(end.code, 0) << spec << ": " << end.output;
  const auto result = suite::gpu::Parse(
      {.spec = spec, .stages = {{.stage = "twofold-gpu", .out = end.output, .exit_code = 0}}});
  EXPECT_TRUE(result.ok()) << spec << ": " << result.status();
  return result.ok() ? *result : suite::Measurements();
}

const char* const kWorks[] = {
    R"({"work": "compute", "precision": "fp32", "gflop": 0.004, "iterations": 2})",
    R"({"work": "compute", "precision": "fp64", "gflop": 0.004, "iterations": 2, "streams": 2})",
    R"({"work": "memory", "pattern": "read", "size": "128k", "iterations": 3})",
    R"({"work": "memory", "pattern": "write", "size": "128k", "iterations": 3})",
    R"({"work": "memory", "pattern": "copy", "size": "128k", "minSize": "8k", "iterations": 3})",
    R"({"work": "memory", "pattern": "triad", "size": "132k", "iterations": 3, "streams": 3})",
    R"({"work": "transfer", "direction": "h2d", "size": "5M", "iterations": 3})",
    R"({"work": "transfer", "direction": "d2h", "hostMemory": "pageable", "size": "5M",
        "iterations": 3})",
    R"({"work": "transfer", "direction": "d2d", "size": "5M", "iterations": 3, "streams": 2})",
    R"({"work": "launch", "launches": 5, "iterations": 4})",
    R"({"work": "mixed", "gflop": 0.004, "size": "64k", "launches": 3, "iterations": 20})",
    R"({"work": "memory", "size": "64k", "seconds": 0.05, "warmup": 0})",
};

// With OpenCL on the CPU, where it is installed.
class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0) GTEST_SKIP() << "PoCL is not installed";
  }
};

TEST_F(OpenCl, AllKindsOfWorkAreDoneAndRight) {
  for (const char* spec : kWorks) {
    const suite::Measurements result = Measured(spec);
    ASSERT_FALSE(result.measurements.empty()) << spec;
    EXPECT_GT(result.measurements[0].value, 0) << spec;
  }
}

TEST_F(OpenCl, WhatADeviceCannotDoIsNamed) {
  const End end = RunProgram({"--precision", "tensor"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("has no tensor cores by OpenCL"));
}

TEST_F(OpenCl, MoreMemoryThanThereIsIsSaidAndNotTaken) {
  const End end = RunProgram({"--work", "memory", "--size", "32G"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("twofold-gpu: out of memory: "));
}

TEST_F(OpenCl, TheListHasTheDeviceAndWhatIsMissing) {
  const Json list = JsonIn(RunProgram({"--list"}));
  EXPECT_EQ(list["devices"][0]["api"], "opencl");
  EXPECT_EQ(list["devices"][0]["type"], "cpu");
  EXPECT_EQ(list["notes"][0], "libcuda.so.1: not found");
}

TEST_F(OpenCl, SeveralProcessesShareADevice) {
  const std::vector<std::string> arguments = {kWorks[4]};
  twofold::testing::Program first("twofold-gpu", arguments);
  twofold::testing::Program second("twofold-gpu", arguments);
  EXPECT_EQ(first.Wait(), 0) << first.output();
  EXPECT_EQ(second.Wait(), 0) << second.output();
}

TEST(TwofoldGpu, WithoutDevicesItSaysWhatIsMissing) {
  const Variable no_opencl("OCL_ICD_VENDORS", "/no/such/folder");
  const End end = RunProgram({});
  EXPECT_EQ(end.code, kNoDevice);
  EXPECT_THAT(end.output, HasSubstr("twofold-gpu: no device: libcuda.so.1: not found; "));
  EXPECT_EQ(RunProgram({"--list"}).code, kNoDevice);
}

TEST(TwofoldGpu, AMistakeIsNamed) {
  End end = RunProgram({"--work", "play"});
  EXPECT_EQ(end.code, kUsage);
  EXPECT_THAT(end.output, HasSubstr("work: 'play' is none of compute, memory"));
  end = RunProgram({"--wrok", "memory"});
  EXPECT_EQ(end.code, kUsage);
  end = RunProgram({"{nonsense"});
  EXPECT_EQ(end.code, kUsage);
}

TEST(TwofoldGpu, HelpHasTheFieldsTheExamplesAndTheExitCodes) {
  const End end = RunProgram({"--help"});
  EXPECT_EQ(end.code, 0);
  for (const char* words :
       {"--precision", "--minSize", "twofold-gpu --list", "Exit codes: 0 done"}) {
    EXPECT_THAT(end.output, HasSubstr(words));
  }
}

// Images and hosts with nothing but glibc and a driver can run it.
TEST(TwofoldGpu, NeedsNothingButTheCLibrary) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sanitizers bring libraries of their own";
#endif
  twofold::testing::Program readelf("/usr/bin/readelf", {"-d", TWOFOLD_BIN "/twofold-gpu"});
  ASSERT_EQ(readelf.Wait(), 0);
  const std::string output = readelf.output();
  std::vector<std::string> needed;
  for (std::size_t at = 0; (at = output.find("Shared library: [", at)) != std::string::npos;) {
    at += 17;
    needed.push_back(output.substr(at, output.find(']', at) - at));
  }
  EXPECT_FALSE(needed.empty());
  for (const std::string& library : needed) {
    EXPECT_THAT(library, ::testing::AnyOf("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
                                          "ld-linux-aarch64.so.1"));
  }
}

// With the fake of NVIDIA's driver, and no OpenCL.
class Cuda : public ::testing::Test {
 protected:
  const Variable libraries_{"LD_LIBRARY_PATH", kCuda};
  const Variable no_opencl_{"OCL_ICD_VENDORS", "/no/such/folder"};
};

TEST_F(Cuda, AllKindsOfWorkAreDoneAndRight) {
  for (const char* spec : kWorks) {
    const suite::Measurements result = Measured(spec);
    ASSERT_FALSE(result.measurements.empty()) << spec;
    EXPECT_GT(result.measurements[0].value, 0) << spec;
  }
}

TEST_F(Cuda, HalvesAndMatricesAreRight) {
  EXPECT_FALSE(
      Measured(R"({"precision": "fp16", "gflop": 0.008, "iterations": 2})").measurements.empty());
  EXPECT_FALSE(
      Measured(R"({"precision": "tensor", "gflop": 0.26, "iterations": 1})").measurements.empty());
}

TEST_F(Cuda, AWrongResultIsAFailureThatNamesIt) {
  // The third launch is the last iteration: what others have left wrong is overwritten.
  const Variable fault("TWOFOLD_FAKE_CUDA", "flip=3");
  End end = RunProgram({"--work", "memory", "--pattern", "write", "--size", "64k", "--warmup", "1",
                        "--iterations", "2"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output,
              HasSubstr("wrong result of write: value 0 is 76, not 77; 1 of 16384 are wrong"));
  end = RunProgram({"--gflop", "0.004", "--warmup", "1", "--iterations", "2"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("wrong result of fma_fp32: value 0 is "));
  end = RunProgram({"--gflop", "0.004", "--warmup", "1", "--iterations", "2", "--validate=false"});
  EXPECT_EQ(end.code, 0) << end.output;
}

TEST_F(Cuda, OutOfMemoryEndsIt) {
  const Variable fault("TWOFOLD_FAKE_CUDA", "small");
  const End end = RunProgram({"--work", "memory", "--size", "1M"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("twofold-gpu: out of memory: cuMemAlloc: "
                                    "CUDA_ERROR_OUT_OF_MEMORY, 1048576 bytes"));
}

TEST_F(Cuda, ADeviceThatIsLostInMidRunEndsIt) {
  const Variable fault("TWOFOLD_FAKE_CUDA", "lost=50");
  const End end =
      RunProgram({"--work", "memory", "--size", "64k", "--seconds", "60", "--streams", "4"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("twofold-gpu: device lost: cuEventSynchronize: "
                                    "CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(Cuda, ADriverWithoutDevicesIsNoDevice) {
  const Variable fault("TWOFOLD_FAKE_CUDA", "no_device");
  const End end = RunProgram({});
  EXPECT_EQ(end.code, kNoDevice);
  EXPECT_THAT(end.output, HasSubstr("no device: cuInit: CUDA_ERROR_NO_DEVICE"));
}

TEST_F(Cuda, AnOlderDeviceHasNoTensorCoresOfThisKind) {
  const Variable fault("TWOFOLD_FAKE_CUDA", "old");
  const End end = RunProgram({"--precision", "tensor"});
  EXPECT_EQ(end.code, kFailed);
  EXPECT_THAT(end.output, HasSubstr("Fake GPU has compute capability 7.0; tensor needs 8.0"));
}

TEST_F(Cuda, AMigInstanceIsFoundByItsUuid) {
  const char* const uuid = "MIG-10010203-0405-0607-0809-0a0b0c0d0e0f";
  const Json report =
      JsonIn(RunProgram({"--device", uuid, "--work", "launch", "--iterations", "1"}));
  EXPECT_EQ(report["device"]["uuid"], uuid);
  EXPECT_EQ(report["device"]["type"], "mig");
}

TEST_F(Cuda, TheListHasTheMigInstancesToo) {
  const Variable libraries("LD_LIBRARY_PATH", kCudaAndNvml);
  const Json list = JsonIn(RunProgram({"--list"}));
  ASSERT_EQ(list["devices"].size(), 3U) << list.dump();
  EXPECT_EQ(list["devices"][0]["driver"], "550.54.15, CUDA 12.4");
  EXPECT_EQ(list["devices"][1]["type"], "mig");
  EXPECT_EQ(list["devices"][2]["uuid"], "MIG-20010203-0405-0607-0809-0a0b0c0d0e0f");
}

TEST_F(Cuda, ClocksPowerAndThrottlingAreOfTheRun) {
  const Variable libraries("LD_LIBRARY_PATH", kCudaAndNvml);
  const Variable reasons("TWOFOLD_FAKE_NVML_REASONS", "0x44");
  const Json report = JsonIn(RunProgram({"--work", "memory", "--size", "16k", "--seconds", "0.5"}));
  const Json& health = report["health"];
  EXPECT_GE(health["samples"], 2);
  EXPECT_EQ(health["throttledSamples"], health["samples"]);
  EXPECT_EQ(health["throttleReasons"], (Json{"power cap", "hardware thermal"}));
  EXPECT_EQ(health["clockMhz"]["most"], 1970);
  EXPECT_LT(health["clockMhz"]["least"], 1970);
  EXPECT_EQ(health["powerW"]["mean"], 350.5);
}

TEST(TwoVendors, AreListedTogetherAndTheGpuComesFirst) {
  if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0) GTEST_SKIP() << "PoCL is not installed";
  const Variable libraries("LD_LIBRARY_PATH", kCuda);
  const Json list = JsonIn(RunProgram({"--list"}));
  ASSERT_EQ(list["devices"].size(), 2U);
  EXPECT_EQ(list["devices"][0]["api"], "cuda");
  EXPECT_EQ(list["devices"][1]["api"], "opencl");
  const auto used = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--work", "launch", "--iterations", "1"});
    return std::string(JsonIn(RunProgram(std::move(more)))["device"]["api"]);
  };
  EXPECT_EQ(used({}), "cuda");
  EXPECT_EQ(used({"--device", "1"}), "opencl");
  EXPECT_EQ(used({"--api", "opencl"}), "opencl");
}

}  // namespace
}  // namespace twofold::gpu
