#include "workloads/gpu/ptx.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>

#include "tests/fakes/cuda/ptx_machine.h"
#include "workloads/gpu/reference.h"

// What the kernels for NVIDIA compute, by a machine that runs their text on the host.
namespace twofold::gpu {
namespace {

using fakes::PtxMachine;

constexpr float kA = -(1.0F - 0x1p-9F);
constexpr float kB = 0.25F;
constexpr std::uint32_t kLoops = 32;

template <typename T>
std::uint64_t Pointer(std::vector<T>& values) {
  return reinterpret_cast<std::uint64_t>(values.data());
}
std::uint64_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }

void RunKernel(Kernel kernel, std::uint32_t groups, std::uint32_t size,
               const std::vector<std::uint64_t>& parameters) {
  const PtxMachine machine(ModuleOf(kernel).text);
  const auto* found = machine.Find(std::string(NameOf(kernel)));
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->parameters.size(), parameters.size());
  PtxMachine::Run(*found, groups, size, parameters);
}

template <typename T>
void ExpectFma(Kernel kernel, std::uint32_t values_an_item, double (*value)(T)) {
  std::vector<T> out(128 * values_an_item);
  RunKernel(kernel, 2, 64, {Pointer(out), kLoops, Bits(kA), Bits(kB)});
  const auto should = FmaResults(kernel, kLoops, kA, kB);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(value(out[i]), should.at(i % kLanes)) << i;
}

TEST(GpuPtx, FmaKernelsGiveTheBitsOfTheReference) {
  ExpectFma<float>(Kernel::kFmaFp32, 1, [](float x) { return static_cast<double>(x); });
  ExpectFma<double>(Kernel::kFmaFp64, 1, [](double x) { return x; });
  ExpectFma<std::uint16_t>(Kernel::kFmaFp16, 2, &HalfValue);
}

TEST(GpuPtx, MatricesAreMultipliedRowByColumn) {
  constexpr float kScale = 0x1p-9F;
  std::vector<float> out(4 * 128);
  RunKernel(Kernel::kTensor, 2, 64, {Pointer(out), kLoops, Bits(kScale), Bits(kScale)});
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], TensorResult(i / 4, i % 4, kLoops, kScale, kScale)) << i;
  }
}

// Walks by neighbours and in parts, with a last part that is not whole.
constexpr Walk kWalks[] = {
    {1, 128, 4, 500}, {1, 128, 16, 2000}, {1, 128, 3, 300}, {7, 1, 7, 800}, {1, 128, 4, 1}};

TEST(GpuPtx, ReadAddsUpWhatItsWalkVisits) {
  for (const Walk& walk : kWalks) {
    std::vector<std::uint32_t> source(4 * walk.count);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = PatternWord(i);
    std::vector<std::uint32_t> sums(128);
    RunKernel(Kernel::kRead, 2, 64,
              {Pointer(source), Pointer(sums), walk.begin, walk.stride, walk.each, walk.count});
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], ReadResult(i, walk)) << i;
  }
}

TEST(GpuPtx, WriteCopyAndTriadChangeAllElementsAndNoneBehindThem) {
  for (const Walk& walk : kWalks) {
    const std::size_t words = 4 * walk.count;
    std::vector<std::uint32_t> from(words);
    for (std::size_t i = 0; i < words; ++i) from[i] = PatternWord(i);
    std::vector<std::uint32_t> copied(words + 4, 1);
    std::vector<std::uint32_t> written(words + 4, 1);
    const std::vector<std::uint64_t> walked = {walk.begin, walk.stride, walk.each, walk.count};
    const auto with = [&](std::vector<std::uint64_t> first) {
      first.insert(first.end(), walked.begin(), walked.end());
      return first;
    };
    RunKernel(Kernel::kCopy, 2, 64, with({Pointer(copied), Pointer(from)}));
    RunKernel(Kernel::kWrite, 2, 64, with({Pointer(written), 77}));
    for (std::size_t i = 0; i < words; ++i) {
      ASSERT_EQ(copied[i], from[i]) << i;
      ASSERT_EQ(written[i], 77 + i);
    }
    EXPECT_EQ(copied[words], 1U);
    EXPECT_EQ(written[words], 1U);
  }
}

TEST(GpuPtx, TriadMultipliesAndAdds) {
  constexpr Walk kWalk = {1, 128, 4, 500};
  std::vector<float> to(2000);
  std::vector<float> a(2000);
  std::vector<float> b(2000);
  for (std::size_t i = 0; i < to.size(); ++i) {
    a[i] = TriadA(i);
    b[i] = TriadB(i);
  }
  RunKernel(Kernel::kTriad, 2, 64,
            {Pointer(to), Pointer(a), Pointer(b), Bits(kTriadScale), kWalk.begin, kWalk.stride,
             kWalk.each, kWalk.count});
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(to[i], a[i] + kTriadScale * b[i]) << i;
}

TEST(GpuPtx, EmptyKernelsDoNothing) { RunKernel(Kernel::kEmpty, 1, 1, {}); }

// NVIDIA's own assembler, where it is installed.
TEST(GpuPtx, PtxasTakesBothModules) {
  if (std::system("ptxas --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "ptxas is not installed";
  for (const Kernel kernel : {Kernel::kEmpty, Kernel::kTensor}) {
    const std::string file = ::testing::TempDir() + "/module.ptx";
    std::ofstream(file) << ModuleOf(kernel).text;
    for (const char* arch : {"sm_80", "sm_90"}) {
      const std::string command = std::string("ptxas -arch=") + arch + " -o /dev/null " + file;
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
  }
}

}  // namespace
}  // namespace twofold::gpu
