#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "lib/stats/explanation.h"

/// How much longer a job takes with more workers, and which part of its time grew: what the rules
/// of an explanation are about.
namespace twofold::stats {

using PartOfTime = std::optional<double> StepEvidence::*;

struct NamedPart {
  PartOfTime seconds;
  const char* name;
};
inline constexpr std::array kTimeParts = {NamedPart{&StepEvidence::run, "run time"},
                                          NamedPart{&StepEvidence::wait, "wait"},
                                          NamedPart{&StepEvidence::overhead, "overhead"}};

/// How much longer a job takes in one step than in a smaller one.
struct Slowdown {
  static constexpr double kLeast = 0.05;  ///< that is worth a word, in ln, for twice the workers

  const StepEvidence* base = nullptr;
  const StepEvidence* now = nullptr;
  double doublings = 1.0;  ///< of the workers
  double log = 0.0;        ///< ln of the ratio of the times of a job, as the throughputs say
  double width = 0.0;      ///< half of its 95 % interval

  [[nodiscard]] bool Matters() const { return log >= kLeast * doublings && log > width; }
  [[nodiscard]] bool MayMatter() const { return log + width >= kLeast * doublings; }
  [[nodiscard]] double PerDoubling() const { return log / doublings; }
};

/// The steps whose throughput is known, by their number of workers; of repeats their mean.
std::vector<StepEvidence> MergeRepeats(std::span<const StepEvidence> evidence);

/// Between the neighbours that lost most for twice the workers; if no two lost enough to matter,
/// between the first and the last. `steps` are two or more of MergeRepeats, and outlive the result.
Slowdown LargestSlowdown(const std::vector<StepEvidence>& steps);

/// Mean seconds of a job; absent: a part of it is not known.
std::optional<double> TimeOfJob(const StepEvidence& step);

/// The share of the slowdown that the part has. REQUIRES: TimeOfJob of both steps is known.
double ShareOf(const Slowdown& slowdown, const NamedPart& part);

}  // namespace twofold::stats
