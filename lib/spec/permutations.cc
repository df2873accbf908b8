#include "lib/spec/permutations.h"

#include <memory>
#include <utility>

#include "lib/spec/combinations.h"

namespace twofold::spec {
namespace {

// The product of no fields would be one empty permutation. It is what is left if nothing is varied
// at all, but beside explicit permutations nobody has asked for it.
std::uint64_t ProductCount(const Sweep& sweep) {
  if (sweep.product.empty()) return sweep.listed.empty() ? 1 : 0;
  std::uint64_t count = 1;
  for (const Axis& axis : sweep.product) count = Times(count, axis.values().size());
  return count;
}

}  // namespace

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
