#include "lib/stats/growing_queue.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace twofold::stats {
namespace {

constexpr double kLeastRise = 0.1;  // seconds
constexpr double kLeastSlope = 0.05;
constexpr double kCarriesAll = 0.95;
constexpr double kSurely = 5.0;  // standard deviations
constexpr std::size_t kFewestPassages = 51;

using Waits = std::vector<double>;  // seconds

double MedianWait(Waits values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// By how many standard deviations `later` are longer than chance would have it.
double RankScore(Waits first, Waits later) {
  std::sort(first.begin(), first.end());
  double wins = 0.0;
  for (const double wait : later) {
    const auto [low, high] = std::equal_range(first.begin(), first.end(), wait);
    wins += static_cast<double>(low - first.begin()) + static_cast<double>(high - low) / 2.0;
  }
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(later.size());
  return (wins - n * m / 2.0) / std::sqrt(n * m * (n + m + 1.0) / 12.0);
}

double RateOf(std::size_t count, Instant first, Instant last) {
  const double seconds = ToSeconds(last - first);
  return seconds > 0.0 ? static_cast<double>(count - 1) / seconds : HUGE_VAL;
}

struct Thirds {
  Waits first;
  Waits middle;
  Waits last;
};

Thirds Split(const std::vector<Passage>& passages, Instant now) {
  Thirds thirds;
  const std::size_t third = passages.size() / 3;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    Waits& waits = i < third                      ? thirds.first
                   : i >= passages.size() - third ? thirds.last
                                                  : thirds.middle;
    waits.push_back(ToSeconds(passages[i].out.value_or(now) - passages[i].in));
  }
  return thirds;
}

/// How many are done a second; nullopt: fewer than two are.
std::optional<double> Carried(const std::vector<Passage>& passages) {
  std::vector<Instant> out;
  for (const Passage& each : passages) {
    if (each.out) out.push_back(*each.out);
  }
  if (out.size() < 2) return std::nullopt;
  const auto [first, last] = std::minmax_element(out.begin(), out.end());
  return RateOf(out.size(), *first, *last);
}

}  // namespace

std::optional<QueueGrowth> FindQueueGrowth(std::string_view step, std::vector<Passage> passages,
                                           Instant now) {
  if (passages.size() < kFewestPassages) return std::nullopt;
  std::sort(passages.begin(), passages.end(),
            [](const Passage& one, const Passage& other) { return one.in < other.in; });
  const auto carried = Carried(passages);
  if (!carried) return std::nullopt;
  const Instant begin = passages.front().in;
  const Instant end = passages.back().in;
  const Thirds thirds = Split(passages, now);
  const double low = MedianWait(thirds.first);
  const double middle = MedianWait(thirds.middle);
  const double high = MedianWait(thirds.last);
  const double rise = high - low;
  const bool rises = rise >= std::max(kLeastRise, kLeastSlope * ToSeconds(end - begin)) &&
                     middle - low >= rise / 4.0 && high - middle >= rise / 4.0;
  QueueGrowth growth{std::string(step), RateOf(passages.size(), begin, end), *carried, low, high};
  const bool lags = growth.carried < kCarriesAll * growth.offered;
  if (!rises || !lags || RankScore(thirds.first, thirds.last) < kSurely) return std::nullopt;
  return growth;
}

}  // namespace twofold::stats
