#include "lib/stats/many.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace twofold::stats {
namespace {

/// Places of `p`, the smallest first.
std::vector<std::size_t> OrderOf(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> AdjustedForShare(const std::vector<double>& p) {
  const std::vector<std::size_t> order = OrderOf(p);
  std::vector<double> adjusted(p.size());
  double least = 1.0;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    least = std::min(least, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[at] = least;
  }
  return adjusted;
}

std::vector<double> AdjustedForAny(const std::vector<double>& p) {
  const std::vector<std::size_t> order = OrderOf(p);
  std::vector<double> adjusted(p.size());
  double most = 0.0;
  for (std::size_t rank = 0; rank < p.size(); ++rank) {
    const std::size_t at = order[rank];
    most = std::max(most, std::min(1.0, p[at] * static_cast<double>(p.size() - rank)));
    adjusted[at] = most;
  }
  return adjusted;
}

double RiskForShare(double risk, std::size_t changed, std::size_t count) {
  return risk * static_cast<double>(changed + 1) / static_cast<double>(count);
}

double RiskForAny(double risk, std::size_t changed, std::size_t count) {
  return risk / static_cast<double>(count - changed);
}

}  // namespace twofold::stats
