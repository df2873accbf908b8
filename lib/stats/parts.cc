#include "lib/stats/parts.h"

#include <algorithm>
#include <cmath>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr double kChanceOfStep = 0.002;

}  // namespace

Step LargestStep(std::span<const double> batches, double least_error) {
  const auto count = static_cast<double>(batches.size());
  const double factor = StudentFactor(1.0 - kChanceOfStep / (count - 1.0), count - 2.0);
  const double least = least_error * least_error * count * Mean(batches) * Mean(batches);
  Step largest;
  double height = -1.0;  // of its difference, in errors
  for (std::size_t at = 1; at < batches.size(); ++at) {
    const auto first = batches.first(at);
    const auto second = batches.subspan(at);
    const double before = Mean(first);
    const double difference = Mean(second) - before;
    const double variance = std::max((Squares(first) + Squares(second)) / (count - 2.0), least);
    const double share = 1.0 / static_cast<double>(at) + 1.0 / static_cast<double>(second.size());
    const double error = std::sqrt(variance * share);
    const double seen = difference == 0.0 ? 0.0 : std::abs(difference) / error;
    if (seen <= height) continue;
    height = seen;
    const double unit = before > 0.0 ? before : 0.0;
    largest = {at, difference / unit, unit > 0.0 ? error * factor / unit : 0.0};
    if (difference == 0.0) largest.change = 0.0;
  }
  return largest;
}

double Drift(std::span<const double> parts) {
  const double mean = Mean(parts);
  if (mean == 0.0) return 0.0;
  const auto count = static_cast<double>(parts.size());
  double place = 0.5 - 0.5 * count;  // from the middle
  double products = 0.0;
  double squares = 0.0;
  for (const double part : parts) {
    products += place * part;
    squares += place * place;
    ++place;
  }
  return products / squares * count / mean;
}

Hole LongestHole(std::span<const double> parts) {
  const double little = 0.25 * Mean(parts);
  std::size_t run = 0;
  std::size_t longest = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    run = parts[i] < little ? run + 1 : 0;
    if (run <= longest) continue;
    longest = run;
    end = i + 1;
  }
  const auto count = static_cast<double>(parts.size());
  return {static_cast<double>(end - longest) / count, static_cast<double>(longest) / count};
}

}  // namespace twofold::stats
