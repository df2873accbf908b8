#include "kubernetes/lifecycle/times/differences.h"

#include <algorithm>

#include "lib/stats/quantile.h"

namespace twofold::lifecycle {

void Differences::Add(const Sight& seen, UnixNs theirs) {
  if (seen.IsLate()) {
    ++row_.inexact;
    return;
  }
  seconds_.push_back(clocks_.Difference(seen.at, theirs));
}

EvidenceRow Differences::Row() const {
  EvidenceRow row = row_;
  row.n = seconds_.size();
  row.doubt = clocks_.Doubt();
  if (seconds_.empty()) return row;
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  row.median = stats::QuantileOf(sorted, 0.5)->value;
  row.p99 = stats::QuantileOf(sorted, 0.99)->value;
  return row;
}

}  // namespace twofold::lifecycle
