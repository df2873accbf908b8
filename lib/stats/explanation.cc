#include "lib/stats/explanation.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "lib/stats/growth.h"

namespace twofold::stats {
namespace {

// The thresholds, beside Growth::kLeast; docs/statistics.md, "Why", gives them with their reasons.
constexpr double kMainShare = 0.5;        // of the growth, of the part that is named as its cause
constexpr double kOtherShare = 0.2;       // of the growth, of a part that is worth a word
constexpr double kLeastThrottled = 0.05;  // of the time
constexpr double kLeastSpread = 0.05;     // standard deviation between workers
constexpr double kLeastNode = 1.1;        // ratio of the mean run times of two nodes
constexpr double kNodeErrors = 3.0;       // and so many standard errors
constexpr double kComputes = 0.5;         // cores a worker that count as computing
constexpr double kLeastFailed = 0.01;     // of the jobs

/// "12 %", "0.4 %"
std::string Percent(double share) {
  const double percent = 100.0 * share;
  return absl::StrFormat(std::abs(percent) < 9.95 ? "%.2g %%" : "%.0f %%", percent);
}

/// 0.000312, 1.98, 128
std::string Number(double value) {
  return absl::StrFormat(std::abs(value) < 100.0 ? "%.3g" : "%.0f", value);
}

// ---- which part of its time grew

std::string Longer(const Growth& growth) { return Percent(std::max(std::expm1(growth.log), 0.0)); }

std::string FromTo(const Growth& growth, const NamedPart& part) {
  return absl::StrCat(part.name, " grew from ", Number(*(growth.base->*part.seconds)), " s to ",
                      Number(*(growth.now->*part.seconds)), " s");
}

/// "run time grew from 0.2 s to 0.4 s, wait and overhead did not"
std::string PartsText(const Growth& growth) {
  std::vector<std::string> grew;
  std::vector<std::string> stayed;
  for (const NamedPart& part : kTimeParts) {
    const bool worth_it = ShareOf(growth, part) >= kOtherShare;
    (worth_it ? grew : stayed).push_back(worth_it ? FromTo(growth, part) : part.name);
  }
  if (grew.empty()) return "neither run time nor wait nor overhead grew as much";
  const std::string rest =
      stayed.empty() ? "" : absl::StrCat(", ", absl::StrJoin(stayed, " and "), " did not");
  return absl::StrCat(absl::StrJoin(grew, ", "), rest);
}

// ---- why run time grew: each rule says so with its numbers, or nothing

std::string Workers(std::uint32_t count) {
  return absl::StrCat(count, count == 1 ? " worker" : " workers");
}

std::string ThrottledText(const StepEvidence& step) {
  if (step.throttled.value_or(0.0) < kLeastThrottled) return {};
  return absl::StrCat("the CPU quota held workers up ", Percent(*step.throttled),
                      " of the time: raise their CPU limit");
}

std::string SlowestText(const StepEvidence& step) {
  if (step.slowest.empty() || step.spread.value_or(0.0) < kLeastSpread) return {};
  return absl::StrCat("workers differ by ", Percent(*step.spread), ", and the straggler ",
                      step.slowest, " takes ", Percent(step.slowest_by), " longer");
}

/// One slow worker of n adds its excess / n to the mean.
std::string OneSlowWorker(const Growth& growth) {
  const double of_mean = growth.now->slowest_by / growth.now->workers;
  return of_mean >= kMainShare * std::expm1(growth.log) ? SlowestText(*growth.now) : "";
}

/// As if the run times of a node scattered as much as exponential ones.
bool Differ(const NodeEvidence& fast, const NodeEvidence& slow) {
  const double error =
      std::sqrt(1.0 / static_cast<double>(fast.jobs) + 1.0 / static_cast<double>(slow.jobs));
  const double ratio = *slow.run / *fast.run;
  return ratio >= kLeastNode && ratio - 1.0 > kNodeErrors * error;
}

std::string SlowNode(const Growth& growth) {
  std::vector<const NodeEvidence*> nodes;
  for (const NodeEvidence& node : growth.now->nodes) {
    if (node.run.value_or(0.0) > 0.0 && node.jobs > 0) nodes.push_back(&node);
  }
  if (nodes.size() < 2) return {};
  const auto [fast, slow] = std::minmax_element(
      nodes.begin(), nodes.end(),
      [](const auto* one, const auto* other) { return *one->run < *other->run; });
  if (!Differ(**fast, **slow)) return {};
  const auto text = [](const NodeEvidence& node) {
    return absl::StrCat("node ", node.node, " (", Workers(node.workers), ") ", Number(*node.run),
                        " s");
  };
  const bool crowded = (*slow)->workers > (*fast)->workers;
  return absl::StrCat("a run takes ", text(**slow), " and ", text(**fast), " on average: ",
                      crowded ? "workers contend on the fuller node" : "the node is slower");
}

struct CpuGrowth {
  double per_worker = 0.0;  ///< cores, in the base
  double log_worker = 0.0;  ///< ln of the ratio of cores a worker
  double log_job = 0.0;     ///< ln of the ratio of CPU time a job
};

std::optional<CpuGrowth> CpuOf(const Growth& growth) {
  const double base = growth.base->cpu.value_or(0.0);
  const double now = growth.now->cpu.value_or(0.0);
  if (base <= 0.0 || now <= 0.0) return std::nullopt;
  const double log_cores = std::log(now / base);
  return CpuGrowth{
      base / growth.base->workers,
      log_cores - std::log(static_cast<double>(growth.now->workers) / growth.base->workers),
      log_cores - std::log(growth.now->rate.throughput / growth.base->rate.throughput)};
}

std::string CoresText(const Growth& growth) {
  return absl::StrCat(Number(*growth.base->cpu), " cores were busy with ",
                      Workers(growth.base->workers), " and ", Number(*growth.now->cpu), " with ",
                      growth.now->workers);
}

std::string CpuShort(const Growth& growth) {
  const std::optional<CpuGrowth> cpu = CpuOf(growth);
  if (!cpu || cpu->per_worker < kComputes || -cpu->log_worker < kMainShare * growth.log) return {};
  return CoresText(growth) + ": workers contend for CPU";
}

std::string CpuSlower(const Growth& growth) {
  const std::optional<CpuGrowth> cpu = CpuOf(growth);
  if (!cpu || cpu->per_worker < kComputes || cpu->log_job < kMainShare * growth.log) return {};
  return CoresText(growth) +
         ": a job needs more CPU time, as with shared caches, hyper-threads or a lower clock";
}

std::string Contention(const Growth& growth) {
  if (!CpuOf(growth)) return "workers contend for something (their CPU time is not known)";
  return CoresText(growth) +
         ": workers contend for something that is not CPU, such as disk, network "
         "or a device";
}

struct Reason {
  Cause cause;
  std::function<std::string(const Growth&)> text;  ///< empty: this is not it
};

/// The first that holds is given.
const std::vector<Reason>& ReasonsOfRunTime() {
  static const std::vector<Reason> kReasons = {
      {Cause::kThrottled, [](const Growth& growth) { return ThrottledText(*growth.now); }},
      {Cause::kStraggler, OneSlowWorker},
      {Cause::kNode, SlowNode},
      {Cause::kCpu, CpuShort},
      {Cause::kSlowerCpu, CpuSlower},
      {Cause::kContention, Contention},
  };
  return kReasons;
}

// ---- all of it

struct Finding {
  Cause cause;
  std::string text;
};

Finding WhyRunTime(const Growth& growth) {
  for (const Reason& reason : ReasonsOfRunTime()) {
    if (std::string text = reason.text(growth); !text.empty()) return {reason.cause, text};
  }
  return {Cause::kContention, ""};
}

double FailedShare(const StepEvidence& step) {
  return step.jobs == 0 ? 0.0 : static_cast<double>(step.failed) / static_cast<double>(step.jobs);
}

std::string FailedText(const StepEvidence& step) {
  if (FailedShare(step) < kLeastFailed) return {};
  return absl::StrCat(Percent(FailedShare(step)), " of the jobs of ", Workers(step.workers),
                      " failed");
}

/// The time of jobs did not grow as the throughput says: jobs are missing.
Finding WhyFewerJobs(const Growth& growth) {
  if (std::string failed = FailedText(*growth.now); !failed.empty()) {
    return {Cause::kFailures, failed};
  }
  return {Cause::kLoad,
          "so fewer jobs were outstanding than workers: the load client was the limit"};
}

Finding WhyOf(const Growth& growth) {
  if (!TimeOfJob(*growth.base) || !TimeOfJob(*growth.now)) {
    return {Cause::kUnknown, "which part of its time grew is not known"};
  }
  double all = 0.0;
  const NamedPart* main = &kTimeParts.front();
  for (const NamedPart& part : kTimeParts) {
    all += ShareOf(growth, part);
    if (ShareOf(growth, part) > ShareOf(growth, *main)) main = &part;
  }
  Finding why;
  if (all < kMainShare) {
    why = WhyFewerJobs(growth);
  } else if (main->seconds == &StepEvidence::wait) {
    why = {Cause::kWait, "the frontend or the load client is the limit"};
  } else if (main->seconds == &StepEvidence::overhead) {
    why = {Cause::kOverhead, "network, frontend or load client is the limit"};
  } else {
    why = WhyRunTime(growth);
  }
  return {why.cause, absl::StrCat(PartsText(growth), "; ", why.text)};
}

/// What is worth knowing whether or not something grew.
std::string Notes(const StepEvidence& step, const std::string& said) {
  std::string notes;
  for (const std::string& note : {FailedText(step), ThrottledText(step), SlowestText(step)}) {
    const bool is_new = !note.empty() && said.find(note) == std::string::npos;
    if (is_new) absl::StrAppend(&notes, "; ", note);
  }
  return notes;
}

std::string NothingText(const Growth& growth) {
  if (growth.MayMatter()) {
    return absl::StrCat("with ", Workers(growth.now->workers), " a job took ", Longer(growth),
                        " longer than with ", growth.base->workers, ", which its error explains (",
                        Percent(std::expm1(growth.width)), ")");
  }
  return absl::StrCat("nothing grew: ", Workers(growth.now->workers), " did ",
                      Number(growth.now->rate.throughput / growth.base->rate.throughput),
                      " times the work of ", growth.base->workers);
}

}  // namespace

std::string_view Name(Cause cause) {
  constexpr std::array<std::string_view, 13> kNames = {
      "unknown",   "nothing",   "noise", "failures", "load",       "wait",      "overhead",
      "throttled", "straggler", "node",  "cpu",      "slower_cpu", "contention"};
  return kNames[static_cast<std::size_t>(cause)];
}

Explanation Explain(std::span<const StepEvidence> evidence) {
  const std::vector<StepEvidence> steps = MergeRepeats(evidence);
  if (steps.size() < 2) return {.text = "too few steps were measured to say why"};
  const Growth growth = MostGrowth(steps);
  if (!growth.Matters()) {
    const Cause cause = growth.MayMatter() ? Cause::kNoise : Cause::kNothing;
    const std::string text = NothingText(growth);
    return {cause, 0, 0, text + Notes(steps.back(), text)};
  }
  const Finding why = WhyOf(growth);
  const std::string text =
      absl::StrCat("with ", Workers(growth.now->workers), " a job took ", Longer(growth),
                   " longer than with ", growth.base->workers, ": ", why.text);
  return {why.cause, growth.base->workers, growth.now->workers, text + Notes(*growth.now, text)};
}

}  // namespace twofold::stats
