#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/random.h"
#include "lib/spec/sweep.h"

namespace twofold::spec {

/// `count` different numbers out of 0 .. total - 1 (`count` <= `total`), smallest first; every such
/// set alike. Cost: O(count log count), whatever `total` is.
/// Source: R. Floyd, in J. Bentley, "Programming pearls: a sample of brilliance", CACM 1987.
std::vector<std::uint64_t> SampleOf(std::uint64_t total, std::uint64_t count, Random& random);

/// Puts `items` in random order, every order alike: from the last place down, each is swapped with
/// one at or before it (R. Fisher, F. Yates; D. Knuth's algorithm P).
template <typename T>
void Shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.Below(i)]);
}

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

/// The nodes that `choice` selects: each of its names, and what of `known` its patterns (`*`, `?`,
/// `[a-z]`) match, in this order; none twice.
/// Errors   kInvalidArgument: a pattern without known nodes, a name that is not among them, or
///          fewer nodes than one combination takes.
Result<std::vector<std::string>> SelectNodes(const NodeChoice& choice,
                                             const std::vector<std::string>& known);

/// What one permutation lays over the template.
struct Variation {
  NodeRef fields;                  ///< a map
  std::vector<std::string> nodes;  ///< where it has to run, by name; empty: anywhere
};

/// All permutations of a sweep by number, without making them: a sweep of a billion can be counted,
/// and sampled.
///
/// First the product, in the order of its fields as written, the last one varying fastest; then the
/// explicit ones. Neither given: one, the bare template. With nodes each of them is there once for
/// every combination, which varies fastest of all.
///
/// Threads  Any; it does not change.
/// Cost     At: O(fields), with nodes O(nodes x combinations).
class Permutations {
 public:
  /// `nodes` are those that `sweep.nodes` selects. Both must outlive it.
  Permutations(const Sweep& sweep, const std::vector<std::string>& nodes);

  /// How many; kTooMany stands for all that is as much or more.
  [[nodiscard]] std::uint64_t Count() const { return count_; }

  /// Permutation `index`, 0 .. Count() - 1.
  [[nodiscard]] Variation At(std::uint64_t index) const;

 private:
  [[nodiscard]] NodeRef Fields(std::uint64_t index) const;
  [[nodiscard]] NodeRef OfProduct(std::uint64_t index) const;

  const Sweep& sweep_;
  const std::vector<std::string>& nodes_;
  std::uint64_t product_ = 0;       ///< how many the product makes
  std::uint64_t combinations_ = 1;  ///< of nodes
  std::uint64_t count_ = 0;
};

}  // namespace twofold::spec
