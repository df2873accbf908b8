#include "lib/stats/looks.h"

#include <algorithm>

namespace twofold::stats {
namespace {

constexpr double kFirstLives = 10.0;
constexpr double kFirstSeconds = 2.0;
constexpr double kGrowth = 1.5;
constexpr double kBeforeTheCap = 0.997;
constexpr double kAtTheCap = 0.965;
constexpr double kSameTime = 0.999;  // who is asked a little early is not sent away again

}  // namespace

Look LookAt(double seconds, double mean_life, double cap) {
  if (seconds >= kSameTime * cap) return {.due = true, .last = true, .confidence = kAtTheCap};
  const double first = std::min(std::max(kFirstLives * mean_life, kFirstSeconds), cap);
  const bool due = seconds >= kSameTime * first;
  const double next = due ? std::min(kGrowth * seconds, cap) : first;
  return {.due = due, .confidence = kBeforeTheCap, .next_seconds = next - seconds};
}

}  // namespace twofold::stats
