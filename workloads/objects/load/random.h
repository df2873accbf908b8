#pragma once

#include <cstdint>

/// Random numbers without state: each is a function of a seed, a stream and its place in it. So
/// what a run does follows from its seed alone, whichever thread or loader asks first, and no two
/// streams know of each other.
namespace twofold::objects {

enum class Stream : std::uint64_t { kMix, kUpdate, kMultipart, kSize, kName, kOrder, kPick, kGap };

/// Source   The finalizer of splitmix64 (S. Vigna): a bijection that passes BigCrush.
constexpr std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// 64 random bits.
constexpr std::uint64_t Random(std::uint64_t seed, Stream stream, std::uint64_t place) {
  const std::uint64_t of_stream =
      Scramble(seed + kGolden * (static_cast<std::uint64_t>(stream) + 1));
  return Scramble(of_stream + kGolden * (place + 1));
}

/// `random` as a number below `n`, which is not 0.
constexpr std::uint64_t Below(std::uint64_t n, std::uint64_t random) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(random) * n) >> 64);
}

/// `random` as a number from 0 to 1, without 1.
constexpr double Unit(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1.0p-53;
}

}  // namespace twofold::objects
