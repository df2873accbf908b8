#include "workloads/gpu/reference.h"

#include <cmath>

namespace twofold::gpu {
namespace {

constexpr std::uint32_t kWarp = 32;

double StartOf(std::uint64_t lane) { return 1 + static_cast<double>(lane % kLanes) / kLanes; }

// The sum of the chains of one item, all in T but for `round`, which brings each step to it.
template <typename T, typename Round>
double Chains(std::uint64_t lane, std::uint32_t loops, T a, T b, Round round) {
  T sum = 0;
  for (int k = 0; k < kChains; ++k) {
    T x = static_cast<T>(StartOf(lane) + k);
    for (std::uint32_t n = 0; n < loops; ++n) x = round(std::fma(a, x, b));
    sum = k == 0 ? x : round(sum + x);
  }
  return sum;
}

}  // namespace

double RoundToHalf(double value) {
  constexpr int kMantissaBits = 10;
  constexpr int kLeastExponent = -14;
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), kLeastExponent);
  const double unit = std::ldexp(1.0, exponent - kMantissaBits);
  return std::nearbyint(value / unit) * unit;
}

double HalfValue(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double value =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

std::array<double, kLanes> FmaResults(Kernel kernel, std::uint32_t loops, float a, float b) {
  std::array<double, kLanes> results = {};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    double& result = results.at(lane);
    if (kernel == Kernel::kFmaFp32) {
      result = Chains<float>(lane, loops, a, b, [](float x) { return x; });
    } else if (kernel == Kernel::kFmaFp64) {
      result = Chains<double>(lane, loops, a, b, [](double x) { return x; });
    } else {
      result = Chains<double>(lane, loops, a, b, &RoundToHalf);
    }
  }
  return results;
}

float TensorResult(std::uint64_t item, std::uint32_t index, std::uint32_t loops, float a, float b) {
  constexpr double kDepth = 16;  // products that each step adds up
  const auto lane = static_cast<std::uint32_t>(item % kWarp);
  const std::uint32_t row = lane / 4 + 8 * (index / 2);
  const std::uint32_t column = 2 * (lane % 4) + index % 2;
  const double product = (1 + row) * static_cast<double>(a) * (1 + column) * static_cast<double>(b);
  const double starts = kChains * StartOf(item / kWarp) + kChains * (kChains - 1) / 2;
  return static_cast<float>(starts + kChains * kDepth * loops * product);
}

std::uint32_t ReadResult(std::uint64_t item, const Walk& walk) {
  std::uint32_t sum = 0;
  std::uint64_t element = item * walk.begin;
  for (std::uint32_t n = 0; n < walk.each && element < walk.count; ++n, element += walk.stride) {
    for (std::uint64_t word = 4 * element; word < 4 * element + 4; ++word) sum += PatternWord(word);
  }
  return sum;
}

}  // namespace twofold::gpu
