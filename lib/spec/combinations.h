#pragma once

#include <cstdint>
#include <vector>

namespace twofold::spec {

/// What counts saturate at: more than any limit, and safe to compare.
inline constexpr std::uint64_t kTooMany = std::uint64_t{1} << 63;

/// a x b and a + b, at most kTooMany.
std::uint64_t Times(std::uint64_t a, std::uint64_t b);
std::uint64_t Plus(std::uint64_t a, std::uint64_t b);

/// How many ways there are to take `k` of `n` things, at most kTooMany.
std::uint64_t CountCombinations(std::uint64_t n, std::uint64_t k);

/// Combination `number` (0 .. CountCombinations - 1) of `k` of the things 0 .. n - 1, in
/// lexicographic order: of 4 things by 2: 01 02 03 12 13 23. Cost: O(n k).
std::vector<std::uint64_t> Combination(std::uint64_t n, std::uint64_t k, std::uint64_t number);

}  // namespace twofold::spec
