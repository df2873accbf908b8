#pragma once

#include <cstddef>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"

namespace twofold::lifecycle {

/// Which workloads are looked at: --head, --tail, --skip-errors.
struct Choice {
  std::size_t head = 0;  ///< only the first; 0: all
  std::size_t tail = 0;  ///< and of these only the last; 0: all
  bool skip_errors = false;
};

template <typename Row>
void KeepHeadAndTail(std::vector<Row>& rows, std::size_t head, std::size_t tail) {
  if (head > 0 && rows.size() > head)
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(head), rows.end());
  if (tail > 0 && rows.size() > tail)
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(tail));
}

/// Takes out what is not chosen: `lives` in the order of sending. Returns how many of those that
/// head and tail left were skipped, as one of their spans ended before it began, for certain.
std::size_t Choose(const Choice& choice, const Kind& kind, std::vector<Life>& lives);

}  // namespace twofold::lifecycle
