#include "lib/spec/until.h"

#include "lib/stats/summary.h"

namespace twofold::spec {
namespace {

constexpr double kConfidence = 0.98;  // so that it is 95 % in spite of all the looks

}  // namespace

UntilVerdict Judge(const Until& until, std::uint32_t least, std::span<const double> headlines,
                   std::uint32_t failed) {
  UntilVerdict verdict;
  verdict.relative_interval = stats::IntervalOfMean(headlines, kConfidence).Relative();
  if (headlines.size() >= least && verdict.relative_interval <= until.relative_interval) {
    verdict.next = Next::kNarrow;
  } else if (headlines.size() + failed >= until.most) {
    verdict.next = Next::kMost;
  }
  return verdict;
}

}  // namespace twofold::spec
