#pragma once

#include <array>
#include <cstdint>

#include "workloads/gpu/device.h"

/// What the kernels must give, computed by the host. Pure.
///
/// fma, addition of exact sums and conversions are rounded the same everywhere (IEEE 754), so
/// results are compared bit by bit. fp16 is computed in double, where a product and a sum of two
/// are exact, and rounded once.
namespace twofold::gpu {

/// Chains start alike every so many items.
inline constexpr std::uint32_t kLanes = 64;

/// The results of the fma kernel of a precision for items 0 to 63; the others repeat them. An item
/// of the kernel of fp16 has two of these.
/// REQUIRES: kernel is kFmaFp64, kFmaFp32 or kFmaFp16.
std::array<double, kLanes> FmaResults(Kernel kernel, std::uint32_t loops, float a, float b);

/// Value `index` of 0 to 3 that `item` of the tensor kernel gives.
/// REQUIRES: a and b are such that all sums are exact in fp32.
float TensorResult(std::uint64_t item, std::uint32_t index, std::uint32_t loops, float a, float b);

/// The nearest fp16, ties to even. REQUIRES: less than 65520.
double RoundToHalf(double value);

/// The value of the bits of a finite fp16.
double HalfValue(std::uint16_t bits);

/// Arguments of the kernels that walk over memory, see Kernel.
struct Walk {
  std::uint32_t begin = 1;
  std::uint32_t stride = 1;
  std::uint32_t each = 1;
  std::uint32_t count = 0;
};

/// What buffers are filled with: word `index` of 32 bits.
constexpr std::uint32_t PatternWord(std::uint64_t index) {
  return static_cast<std::uint32_t>(index) * 2654435761U + 12345U;
}

/// What `item` of the read kernel gives for a buffer of PatternWord.
std::uint32_t ReadResult(std::uint64_t item, const Walk& walk);

/// The inputs of triad, small enough for exact results.
constexpr float TriadA(std::uint64_t index) { return static_cast<float>(index % 1024); }
constexpr float TriadB(std::uint64_t index) { return static_cast<float>(index % 509); }
inline constexpr float kTriadScale = 0.5F;

}  // namespace twofold::gpu
