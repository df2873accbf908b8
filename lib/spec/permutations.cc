#include "lib/spec/permutations.h"

#include <fnmatch.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace twofold::spec {
namespace {

bool IsPattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

void AddOnce(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

Status RefuseNodes(const NodeChoice& choice, const std::string& what) {
  return Fault(choice.place, "spec.nodes.select", what);
}

// The product of no fields would be one empty permutation. It is what is left if nothing is varied
// at all, but beside explicit permutations nobody has asked for it.
std::uint64_t ProductCount(const Sweep& sweep) {
  if (sweep.product.empty()) return sweep.listed.empty() ? 1 : 0;
  std::uint64_t count = 1;
  for (const Axis& axis : sweep.product) count = Times(count, axis.values().size());
  return count;
}

}  // namespace

std::vector<std::uint64_t> SampleOf(std::uint64_t total, std::uint64_t count, Random& random) {
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = total - count; last < total; ++last) {
    const std::uint64_t number = random.Below(last + 1);
    chosen.insert(chosen.contains(number) ? last : number);
  }
  return {chosen.begin(), chosen.end()};
}

std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kTooMany / a ? kTooMany : a * b;
}

std::uint64_t Plus(std::uint64_t a, std::uint64_t b) {
  return a > kTooMany - std::min(b, kTooMany) ? kTooMany : a + b;
}

std::uint64_t CountCombinations(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  std::uint64_t count = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) {
    // count x (n - k' + i) / i is whole; dividing by what both have in common first avoids
    // overflow.
    std::uint64_t factor = n - std::min(k, n - k) + i;
    std::uint64_t divisor = i;
    const std::uint64_t common = std::gcd(factor, divisor);
    factor /= common;
    divisor /= common;
    count = Times(count / divisor, factor);
    if (count == kTooMany) return kTooMany;
  }
  return count;
}

std::vector<std::uint64_t> Combination(std::uint64_t n, std::uint64_t k, std::uint64_t number) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t thing = 0; chosen.size() < k; ++thing) {
    const std::uint64_t with = CountCombinations(n - thing - 1, k - chosen.size() - 1);
    if (number < with) {
      chosen.push_back(thing);
    } else {
      number -= with;
    }
  }
  return chosen;
}

Result<std::vector<std::string>> SelectNodes(const NodeChoice& choice,
                                             const std::vector<std::string>& known) {
  std::vector<std::string> selected;
  for (const std::string& pattern : choice.select) {
    if (known.empty()) {
      if (IsPattern(pattern)) {
        return RefuseNodes(choice,
                           fmt::format("'{}' is a pattern: say which nodes there are", pattern));
      }
      AddOnce(selected, pattern);
      continue;
    }
    const std::size_t before = selected.size();
    for (const std::string& name : known) {
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) AddOnce(selected, name);
    }
    if (selected.size() == before && !IsPattern(pattern)) {
      return RefuseNodes(choice, fmt::format("there is no node '{}'", pattern));
    }
  }
  if (selected.size() < choice.combinations) {
    return RefuseNodes(choice, fmt::format("selects {} nodes, but combinations takes {}",
                                           selected.size(), choice.combinations));
  }
  return selected;
}

Permutations::Permutations(const Sweep& sweep, const std::vector<std::string>& nodes)
    : sweep_(sweep), nodes_(nodes), product_(ProductCount(sweep)) {
  if (sweep.nodes) combinations_ = CountCombinations(nodes.size(), sweep.nodes->combinations);
  count_ = Times(Plus(product_, sweep.listed.size()), combinations_);
}

Variation Permutations::At(std::uint64_t index) const {
  Variation variation{Fields(index / combinations_), {}};
  if (!sweep_.nodes) return variation;
  for (const std::uint64_t node :
       Combination(nodes_.size(), sweep_.nodes->combinations, index % combinations_)) {
    variation.nodes.push_back(nodes_[node]);
  }
  return variation;
}

NodeRef Permutations::Fields(std::uint64_t index) const {
  return index < product_ ? OfProduct(index) : sweep_.listed[index - product_];
}

NodeRef Permutations::OfProduct(std::uint64_t index) const {
  Map map(sweep_.product.size());
  std::size_t size = 1;
  for (std::size_t i = map.size(); i-- > 0;) {
    const Axis& axis = sweep_.product[i];
    const List& values = axis.values();
    map[i] = {axis.field.key, axis.field.place, values[index % values.size()]};
    index /= values.size();
    size += map[i].value->size;
  }
  return std::make_shared<const Node>(Node{std::move(map), sweep_.spec->place, size});
}

}  // namespace twofold::spec
