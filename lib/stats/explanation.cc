#include "lib/stats/explanation.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/common/counted.h"
#include "lib/stats/slowdown.h"

namespace twofold::stats {
namespace {

// The thresholds, beside Slowdown::kLeast; docs/statistics.md, "Why", gives them with their
// reasons.
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
  const bool small = std::abs(percent) < 9.95;
  return small ? absl::StrFormat("%.2g %%", percent) : absl::StrFormat("%.0f %%", percent);
}

/// 0.000312, 1.98, 128
std::string Number(double value) {
  return std::abs(value) < 100.0 ? absl::StrFormat("%.3g", value) : absl::StrFormat("%.0f", value);
}

// ---- which part of its time grew

std::string Longer(const Slowdown& slowdown) {
  return Percent(std::max(std::expm1(slowdown.log), 0.0));
}

std::string FromTo(const Slowdown& slowdown, const NamedPart& part) {
  return absl::StrCat(part.name, " grew from ", Number(*(slowdown.base->*part.seconds)), " s to ",
                      Number(*(slowdown.now->*part.seconds)), " s");
}

/// "run time grew from 0.2 s to 0.4 s, wait and overhead did not"
std::string PartsText(const Slowdown& slowdown) {
  std::vector<std::string> grew;
  std::vector<std::string> stayed;
  for (const NamedPart& part : kTimeParts) {
    const bool worth_it = ShareOf(slowdown, part) >= kOtherShare;
    (worth_it ? grew : stayed).push_back(worth_it ? FromTo(slowdown, part) : part.name);
  }
  if (grew.empty()) return "neither run time nor wait nor overhead grew as much";
  const std::string rest =
      stayed.empty() ? "" : absl::StrCat(", ", absl::StrJoin(stayed, " and "), " did not");
  return absl::StrCat(absl::StrJoin(grew, ", "), rest);
}

// ---- why run time grew: each rule says so with its numbers, or nothing

std::string Workers(std::uint32_t count) { return Counted(count, "worker"); }

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
std::string OneSlowWorker(const Slowdown& slowdown) {
  const double of_mean = slowdown.now->slowest_by / slowdown.now->workers;
  return of_mean >= kMainShare * std::expm1(slowdown.log) ? SlowestText(*slowdown.now) : "";
}

/// As if the run times of a node scattered as much as exponential ones.
bool Differ(const NodeEvidence& fast, const NodeEvidence& slow) {
  const double error =
      std::sqrt(1.0 / static_cast<double>(fast.jobs) + 1.0 / static_cast<double>(slow.jobs));
  const double ratio = *slow.run / *fast.run;
  return ratio >= kLeastNode && ratio - 1.0 > kNodeErrors * error;
}

std::string SlowNode(const Slowdown& slowdown) {
  std::vector<const NodeEvidence*> nodes;
  for (const NodeEvidence& node : slowdown.now->nodes) {
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

struct CpuChange {
  double per_worker = 0.0;  ///< cores, in the base
  double log_worker = 0.0;  ///< ln of the ratio of cores a worker
  double log_job = 0.0;     ///< ln of the ratio of CPU time a job
};

std::optional<CpuChange> CpuOf(const Slowdown& slowdown) {
  const double base = slowdown.base->cpu.value_or(0.0);
  const double now = slowdown.now->cpu.value_or(0.0);
  if (base <= 0.0 || now <= 0.0) return std::nullopt;
  const double log_cores = std::log(now / base);
  return CpuChange{
      base / slowdown.base->workers,
      log_cores - std::log(static_cast<double>(slowdown.now->workers) / slowdown.base->workers),
      log_cores - std::log(slowdown.now->rate.throughput / slowdown.base->rate.throughput)};
}

std::string CoresText(const Slowdown& slowdown) {
  return absl::StrCat(Number(*slowdown.base->cpu), " cores were busy with ",
                      Workers(slowdown.base->workers), " and ", Number(*slowdown.now->cpu),
                      " with ", slowdown.now->workers);
}

std::string CpuShort(const Slowdown& slowdown) {
  const std::optional<CpuChange> cpu = CpuOf(slowdown);
  if (!cpu || cpu->per_worker < kComputes || -cpu->log_worker < kMainShare * slowdown.log)
    return {};
  return CoresText(slowdown) + ": workers contend for CPU";
}

std::string CpuSlower(const Slowdown& slowdown) {
  const std::optional<CpuChange> cpu = CpuOf(slowdown);
  if (!cpu || cpu->per_worker < kComputes || cpu->log_job < kMainShare * slowdown.log) return {};
  return CoresText(slowdown) +
         ": a job needs more CPU time, as with shared caches, hyper-threads or a lower clock";
}

std::string Contention(const Slowdown& slowdown) {
  if (!CpuOf(slowdown)) return "workers contend for something (their CPU time is not known)";
  return CoresText(slowdown) +
         ": while they run, workers wait for something, such as disk, network, a device or a "
         "CPU that others use";
}

struct Finding {
  Cause cause;
  std::string text;
};

struct Reason {
  Cause cause;
  std::string (*text)(const Slowdown& slowdown);  ///< empty: this is not it
};

/// The first that holds is given; the last one always does.
constexpr std::array kReasonsOfRunTime = {
    Reason{Cause::kThrottled,
           [](const Slowdown& slowdown) { return ThrottledText(*slowdown.now); }},
    Reason{Cause::kStraggler, OneSlowWorker},
    Reason{Cause::kNode, SlowNode},
    Reason{Cause::kCpu, CpuShort},
    Reason{Cause::kSlowerCpu, CpuSlower},
    Reason{Cause::kContention, Contention}};

Finding WhyRunTime(const Slowdown& slowdown) {
  for (const Reason& reason : kReasonsOfRunTime) {
    if (std::string text = reason.text(slowdown); !text.empty()) return {reason.cause, text};
  }
  return {};
}

// ---- all of it

double FailedShare(const StepEvidence& step) {
  return step.jobs == 0 ? 0.0 : static_cast<double>(step.failed) / static_cast<double>(step.jobs);
}

std::string FailedText(const StepEvidence& step) {
  if (FailedShare(step) < kLeastFailed) return {};
  return absl::StrCat(Percent(FailedShare(step)), " of the jobs of ", Workers(step.workers),
                      " failed");
}

/// The time of jobs did not grow as the throughput says: jobs are missing.
Finding WhyFewerJobs(const Slowdown& slowdown) {
  if (std::string failed = FailedText(*slowdown.now); !failed.empty()) {
    return {Cause::kFailures, failed};
  }
  return {Cause::kLoad,
          "so fewer jobs were outstanding than workers: the load client was the limit"};
}

/// Workers without a free core are late with results as well.
Finding WhyOverhead(const Slowdown& slowdown) {
  if (std::string text = CpuShort(slowdown); !text.empty()) return {Cause::kCpu, text};
  return {Cause::kOverhead, "network, frontend or load client is the limit"};
}

Finding WhyOf(const Slowdown& slowdown) {
  if (!TimeOfJob(*slowdown.base) || !TimeOfJob(*slowdown.now)) {
    return {Cause::kUnknown, "which part of its time grew is not known"};
  }
  double all = 0.0;
  const NamedPart* main = &kTimeParts.front();
  for (const NamedPart& part : kTimeParts) {
    all += ShareOf(slowdown, part);
    if (ShareOf(slowdown, part) > ShareOf(slowdown, *main)) main = &part;
  }
  Finding why;
  if (all < kMainShare) {
    why = WhyFewerJobs(slowdown);
  } else if (main->seconds == &StepEvidence::wait) {
    why = {Cause::kWait, "the frontend or the load client is the limit"};
  } else if (main->seconds == &StepEvidence::overhead) {
    why = WhyOverhead(slowdown);
  } else {
    why = WhyRunTime(slowdown);
  }
  return {why.cause, absl::StrCat(PartsText(slowdown), "; ", why.text)};
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

/// "with 16 workers a job took 12 % longer than with 8"
std::string LongerText(const Slowdown& slowdown, const std::string& longer) {
  return absl::StrCat("with ", Workers(slowdown.now->workers), " a job took ", longer,
                      " longer than with ", slowdown.base->workers);
}

std::string NoiseText(const Slowdown& slowdown) {
  return absl::StrCat(LongerText(slowdown, Longer(slowdown)), ", with an error of ",
                      Percent(std::expm1(slowdown.width)),
                      ": too little to tell growth from chance");
}

/// Growth is ruled out as far as the error goes, so the bound is what is known.
std::string NothingText(const Slowdown& slowdown) {
  const double most = std::expm1(slowdown.log + slowdown.width);
  return absl::StrCat(LongerText(slowdown, most > 0.0 ? "at most " + Percent(most) : "no"),
                      ", wait, run time and overhead together: ", slowdown.now->workers, " did ",
                      Number(slowdown.now->rate.throughput / slowdown.base->rate.throughput),
                      " times the work of ", slowdown.base->workers);
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
  if (steps.size() < 2) {
    return {.text = "the throughput of fewer than two steps is known, so nothing can be compared"};
  }
  const Slowdown slowdown = LargestSlowdown(steps);
  if (!slowdown.Matters()) {
    const Cause cause = slowdown.MayMatter() ? Cause::kNoise : Cause::kNothing;
    const std::string text = cause == Cause::kNoise ? NoiseText(slowdown) : NothingText(slowdown);
    return {cause, 0, 0, text + Notes(steps.back(), text)};
  }
  const Finding why = WhyOf(slowdown);
  const std::string text = absl::StrCat(LongerText(slowdown, Longer(slowdown)), ": ", why.text);
  return {why.cause, slowdown.base->workers, slowdown.now->workers,
          text + Notes(*slowdown.now, text)};
}

}  // namespace twofold::stats
