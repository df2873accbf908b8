#include "lib/stats/measured_window.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr std::size_t kPartsOfBlock = kParts / kBlocks;
constexpr std::size_t kReference = kBlocks - kMostCut;  // blocks, the last ones
constexpr double kChanceOfWarmUp = 4.785;               // Student's t, 7 degrees, 0.1 % a side
constexpr double kLeastWarmUp = 0.02;
constexpr double kStillWarming = 1.5;  // standard deviations
constexpr double kLonger = 1.5;        // than it is seen

double SumOf(const Parts& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

/// What was done until `at`, in parts from the begin.
double Until(const Parts& sums, double at) {
  const double whole = std::floor(at);
  const auto part = static_cast<std::size_t>(whole);
  if (part >= kParts) return sums.back();
  const double before = part == 0 ? 0.0 : sums[part - 1];
  return before + (at - whole) * (sums[part] - before);
}

Parts SumsOf(const Parts& parts) {
  Parts sums{};
  std::partial_sum(parts.begin(), parts.end(), sums.begin());
  return sums;
}

void AddTo(Parts& sum, const Parts& parts) {
  std::transform(sum.begin(), sum.end(), parts.begin(), sum.begin(), std::plus<>());
}

/// Groups of more members; dealt like cards, so that neighbours (pods of one node) are not
/// together.
std::vector<WorkerGroup> Fewer(const std::vector<WorkerGroup>& groups) {
  if (groups.size() <= kMostGroups) return groups;
  const std::size_t size = (groups.size() + kMostGroups - 1) / kMostGroups;
  const std::size_t count = (groups.size() + size - 1) / size;
  std::vector<WorkerGroup> fewer(count, WorkerGroup{.members = 0.0});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    AddTo(fewer[i % count].jobs, groups[i].jobs);
    fewer[i % count].members += groups[i].members;
  }
  return fewer;
}

BetweenGroups Between(const std::vector<Parts>& workers) {
  const auto count = static_cast<double>(workers.size());
  std::vector<std::pair<double, WaveValues>> values;
  double mean = 0.0;
  for (const Parts& worker : workers) {
    values.emplace_back(SumOf(worker), WavesOf(worker));
    mean += values.back().first / count;
  }
  BetweenGroups between;
  if (workers.size() < 2 || mean <= 0.0) return between;
  WaveValues means{};
  for (const auto& [whole, waves] : values) {
    between.whole += (whole / mean - 1.0) * (whole / mean - 1.0) / (count - 1.0);
    for (std::size_t j = 0; j < kNoiseWaves; ++j) means[j] += waves[j] / count;
  }
  const double unit = double{kParts} / mean;
  for (const auto& [whole, waves] : values) {
    for (std::size_t j = 0; j < kNoiseWaves; ++j) {
      const double distance = unit * (waves[j] - means[j]);
      between.waves[j] += distance * distance / (count - 1.0);
    }
  }
  return between;
}

}  // namespace

const std::array<Parts, kNoiseWaves>& NoiseWaves() {
  static const std::array<Parts, kNoiseWaves> kCosines = [] {
    std::array<Parts, kNoiseWaves> cosines{};
    for (std::size_t wave = 0; wave < kNoiseWaves; ++wave) {
      const double step = std::numbers::pi * static_cast<double>(wave + 1) / double{kParts};
      for (std::size_t i = 0; i < kParts; ++i) {
        cosines[wave][i] =
            std::numbers::sqrt2 / double{kParts} * std::cos(step * (static_cast<double>(i) + 0.5));
      }
    }
    return cosines;
  }();
  return kCosines;
}

WaveValues WavesOf(const Parts& parts) {
  WaveValues waves{};
  for (std::size_t j = 0; j < kNoiseWaves; ++j) {
    waves[j] = std::inner_product(parts.begin(), parts.end(), NoiseWaves()[j].begin(), 0.0);
  }
  return waves;
}

bool MeasuredWindow::IsKnown() const {
  return seconds > 0.0 && mean_life > 0.0 && groups > 0 && SumOf(total) > 0.0;
}

double MeasuredWindow::WarmUpSeconds() const {
  return static_cast<double>(WarmUpOf(total).blocks) * BlockSeconds();
}

double MeasuredWindow::Throughput(double begin, double end) const {
  const Parts sums = SumsOf(total);
  const double parts_per_second = double{kParts} / seconds;
  return (Until(sums, end * parts_per_second) - Until(sums, begin * parts_per_second)) /
         (end - begin);
}

std::size_t MeasuredWindow::BlocksIn(double cut) const {
  constexpr double kRounding = 1e-6;
  const double blocks = std::ceil(cut / BlockSeconds() - kRounding);
  return static_cast<std::size_t>(std::clamp(blocks, 0.0, double{kMostCut}));
}

MeasuredWindow MeasureGroups(double seconds, double mean_life, std::vector<WorkerGroup> groups,
                             std::size_t most_cut) {
  groups = Fewer(groups);
  MeasuredWindow window{.seconds = seconds,
                        .mean_life = mean_life,
                        .groups = static_cast<std::uint32_t>(groups.size())};
  for (WorkerGroup& group : groups) {
    AddTo(window.total, group.jobs);
    for (double& part : group.jobs) part /= group.members;
  }
  for (std::size_t cut = 0; cut <= most_cut; ++cut) {
    std::vector<Parts> left;
    for (const WorkerGroup& group : groups) left.push_back(WithoutBlocks(group.jobs, cut));
    window.between[cut] = Between(left);
  }
  return window;
}

Parts WithoutBlocks(const Parts& parts, std::size_t cut) {
  if (cut == 0) return parts;
  const Parts sums = SumsOf(parts);
  const auto begin = static_cast<double>(cut * kPartsOfBlock);
  const double length = (double{kParts} - begin) / double{kParts};
  Parts left{};
  double before = Until(sums, begin);
  for (std::size_t i = 0; i < kParts; ++i) {
    const double until = Until(sums, begin + static_cast<double>(i + 1) * length);
    left[i] = until - before;
    before = until;
  }
  return left;
}

WarmUp WarmUpOf(const Parts& total) {
  std::array<double, kBlocks> blocks{};
  for (std::size_t i = 0; i < kParts; ++i) blocks[i / kPartsOfBlock] += total[i];
  const auto reference = std::span(blocks).last(kReference);
  const double mean = Mean(reference);
  const double deviation = std::sqrt(Squares(reference) / (static_cast<double>(kReference) - 1.0));
  const double first = blocks.front() - mean;
  const double chance = kChanceOfWarmUp * deviation * std::sqrt(1.0 + 1.0 / double{kReference});
  if (mean <= 0.0 || std::abs(first) <= std::max(chance, kLeastWarmUp * mean)) return {};
  const auto is_over = [&](double block) {
    return (block - mean) * first <= 0.0 || std::abs(block - mean) <= kStillWarming * deviation;
  };
  const auto* const begin = blocks.begin();
  const auto seen = static_cast<double>(std::find_if(begin + 1, begin + kMostCut, is_over) - begin);
  const double cut = std::min(std::ceil(kLonger * seen), double{kMostCut});
  const auto count = static_cast<std::size_t>(cut);
  return {count, std::accumulate(begin, begin + count, 0.0) / cut / mean - 1.0};
}

}  // namespace twofold::stats
