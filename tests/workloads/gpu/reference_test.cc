#include "workloads/gpu/reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace twofold::gpu {
namespace {

TEST(GpuReference, HalfIsRoundedToTheNearestAndTiesToEven) {
  EXPECT_EQ(RoundToHalf(1.0), 1.0);
  EXPECT_EQ(RoundToHalf(1.0 + 0x1p-10), 1.0 + 0x1p-10);
  EXPECT_EQ(RoundToHalf(1.0 + 0x1p-11), 1.0);
  EXPECT_EQ(RoundToHalf(1.0 + 3 * 0x1p-11), 1.0 + 0x1p-9);
  EXPECT_EQ(RoundToHalf(-2049), -2048);
  EXPECT_EQ(RoundToHalf(0x1p-24), 0x1p-24);
  EXPECT_EQ(RoundToHalf(0x1p-26), 0);
  EXPECT_EQ(RoundToHalf(0), 0);
}

TEST(GpuReference, BitsOfHalfAreItsValue) {
  EXPECT_EQ(HalfValue(0x3C00), 1);
  EXPECT_EQ(HalfValue(0xC000), -2);
  EXPECT_EQ(HalfValue(0x3555), 0x1.554p-2);
  EXPECT_EQ(HalfValue(0x0001), 0x1p-24);
  EXPECT_EQ(HalfValue(0x7BFF), 65504);
  EXPECT_EQ(HalfValue(0), 0);
}

TEST(GpuReference, ResultsOfItemsAndPrecisionsDiffer) {
  const auto fp32 = FmaResults(Kernel::kFmaFp32, 1024, -(1 - 0x1p-9F), 0.25F);
  const auto fp64 = FmaResults(Kernel::kFmaFp64, 1024, -(1 - 0x1p-9F), 0.25F);
  for (std::uint32_t i = 1; i < kLanes; ++i) EXPECT_NE(fp32.at(i), fp32.at(i - 1));
  EXPECT_NE(fp32[5], fp64[5]);
  EXPECT_NEAR(fp32[5], fp64[5], 1e-4);
}

TEST(GpuReference, AChainIsMultiplyAndAddAgainAndAgain) {
  // Two loops of 2x + 1 from 1 + k: 4 * (1 + k) + 3, for k to 7.
  EXPECT_EQ(FmaResults(Kernel::kFmaFp32, 2, 2, 1)[0], 4 * 36 + 8 * 3);
}

TEST(GpuReference, ReadGoesThroughEachElementOnce) {
  constexpr std::uint32_t kCount = 1000;
  std::uint32_t all = 0;
  for (std::uint64_t word = 0; word < 4 * kCount; ++word) all += PatternWord(word);
  for (const Walk& walk : {Walk{1, 256, 4, kCount}, Walk{100, 1, 100, kCount}}) {
    std::uint32_t sum = 0;
    for (std::uint64_t item = 0; item < 256; ++item) sum += ReadResult(item, walk);
    EXPECT_EQ(sum, all);
  }
}

}  // namespace
}  // namespace twofold::gpu
