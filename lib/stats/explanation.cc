#include "lib/stats/explanation.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace twofold::stats {
namespace {

// The thresholds; docs/statistics.md, "Why", gives them with their reasons.
constexpr double kLeastGrowth = 0.05;     // of the time of a job, in ln, for twice the workers
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

using Part = std::optional<double> StepEvidence::*;

struct NamedPart {
  Part seconds;
  const char* name;
};
constexpr std::array kTimeParts = {NamedPart{&StepEvidence::run, "run time"},
                                   NamedPart{&StepEvidence::wait, "wait"},
                                   NamedPart{&StepEvidence::overhead, "overhead"}};

// ---- steps out of repeats

using Repeats = std::vector<const StepEvidence*>;

/// The mean of what is known, weighted by `weight`.
template <typename Weight>
std::optional<double> MeanKnown(const Repeats& repeats, Part part, Weight weight) {
  double sum = 0.0;
  double weights = 0.0;
  for (const StepEvidence* one : repeats) {
    if (!(one->*part)) continue;
    sum += weight(*one) * *(one->*part);
    weights += weight(*one);
  }
  return weights > 0.0 ? std::optional(sum / weights) : std::nullopt;
}

/// The geometric mean; independent errors add in squares.
Rate MeanOfRates(const Repeats& repeats) {
  Rate mean{.degrees = 0.0};
  double log_sum = 0.0;
  double squares = 0.0;
  for (const StepEvidence* one : repeats) {
    log_sum += std::log(one->rate.throughput);
    squares += one->rate.log_error * one->rate.log_error;
    mean.degrees += one->rate.degrees;
    mean.seconds += one->rate.seconds;
  }
  const auto count = static_cast<double>(repeats.size());
  mean.throughput = std::exp(log_sum / count);
  mean.log_error = std::sqrt(squares) / count;
  return mean;
}

/// Nodes and the slowest worker are those of the last repeat, as each has new pods.
StepEvidence Merged(const Repeats& repeats) {
  StepEvidence step = *repeats.back();
  step.rate = MeanOfRates(repeats);
  step.jobs = step.failed = 0;
  for (const StepEvidence* one : repeats) {
    step.jobs += one->jobs;
    step.failed += one->failed;
  }
  const auto by_jobs = [](const StepEvidence& one) { return static_cast<double>(one.jobs); };
  const auto by_time = [](const StepEvidence& one) { return one.rate.seconds; };
  for (const NamedPart& part : kTimeParts) {
    step.*part.seconds = MeanKnown(repeats, part.seconds, by_jobs);
  }
  for (const Part part : {&StepEvidence::cpu, &StepEvidence::throttled, &StepEvidence::spread}) {
    step.*part = MeanKnown(repeats, part, by_time);
  }
  return step;
}

/// Those that are known, by their number of workers.
std::vector<StepEvidence> Steps(std::span<const StepEvidence> evidence) {
  std::map<std::uint32_t, Repeats> repeats;
  for (const StepEvidence& one : evidence) {
    if (one.workers > 0 && IsKnown(one.rate)) repeats[one.workers].push_back(&one);
  }
  std::vector<StepEvidence> steps;
  for (const auto& [workers, of_step] : repeats) steps.push_back(Merged(of_step));
  return steps;
}

// ---- how much longer a job takes in one step than in a smaller one

struct TimeGrowth {
  const StepEvidence* base = nullptr;
  const StepEvidence* now = nullptr;
  double doublings = 1.0;
  double log = 0.0;    ///< ln of the ratio of the times of a job, as the throughputs say
  double width = 0.0;  ///< half of its 95 % interval

  [[nodiscard]] bool Matters() const { return log >= kLeastGrowth * doublings && log > width; }
  [[nodiscard]] bool MayMatter() const { return log + width >= kLeastGrowth * doublings; }
  [[nodiscard]] double PerDoubling() const { return log / doublings; }
  [[nodiscard]] std::string Longer() const { return Percent(std::max(std::expm1(log), 0.0)); }
};

TimeGrowth Between(const StepEvidence& base, const StepEvidence& now) {
  const double factor = static_cast<double>(now.workers) / base.workers;
  return {&base, &now, std::log2(factor),
          std::log(factor) - std::log(now.rate.throughput / base.rate.throughput),
          LogHalfWidth(base.rate, now.rate, 0.95)};
}

/// The neighbours between which most was lost, else the ends.
TimeGrowth MostOf(const std::vector<StepEvidence>& steps) {
  const TimeGrowth ends = Between(steps.front(), steps.back());
  TimeGrowth most = ends;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const TimeGrowth next = Between(steps[i - 1], steps[i]);
    if (!next.Matters()) continue;
    const bool first = most.now == ends.now && most.base == ends.base;
    if (first || next.PerDoubling() > most.PerDoubling()) most = next;
  }
  return most;
}

// ---- which part of its time grew

std::optional<double> TimeOf(const StepEvidence& step) {
  double sum = 0.0;
  for (const NamedPart& part : kTimeParts) {
    if (!(step.*part.seconds)) return std::nullopt;
    sum += *(step.*part.seconds);
  }
  return sum > 0.0 ? std::optional(sum) : std::nullopt;
}

/// The share of the growth that the part has.
double ShareOf(const TimeGrowth& growth, const NamedPart& part) {
  const double more = *(growth.now->*part.seconds) - *(growth.base->*part.seconds);
  return more / (*TimeOf(*growth.base) * std::expm1(growth.log));
}

std::string FromTo(const TimeGrowth& growth, const NamedPart& part) {
  return absl::StrFormat("%s grew from %.3g s to %.3g s", part.name, *(growth.base->*part.seconds),
                         *(growth.now->*part.seconds));
}

/// "run time grew from 0.2 s to 0.4 s, wait and overhead did not"
std::string PartsText(const TimeGrowth& growth) {
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
std::string OneSlowWorker(const TimeGrowth& growth) {
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

std::string SlowNode(const TimeGrowth& growth) {
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
    return absl::StrFormat("node %s (%s) %.3g s", node.node, Workers(node.workers), *node.run);
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

std::optional<CpuGrowth> CpuOf(const TimeGrowth& growth) {
  const double base = growth.base->cpu.value_or(0.0);
  const double now = growth.now->cpu.value_or(0.0);
  if (base <= 0.0 || now <= 0.0) return std::nullopt;
  const double log_cores = std::log(now / base);
  return CpuGrowth{
      base / growth.base->workers,
      log_cores - std::log(static_cast<double>(growth.now->workers) / growth.base->workers),
      log_cores - std::log(growth.now->rate.throughput / growth.base->rate.throughput)};
}

std::string CoresText(const TimeGrowth& growth) {
  return absl::StrFormat("%.2g cores were busy with %s and %.2g with %d", *growth.base->cpu,
                         Workers(growth.base->workers), *growth.now->cpu, growth.now->workers);
}

std::string CpuShort(const TimeGrowth& growth) {
  const std::optional<CpuGrowth> cpu = CpuOf(growth);
  if (!cpu || cpu->per_worker < kComputes || -cpu->log_worker < kMainShare * growth.log) return {};
  return CoresText(growth) + ": workers contend for CPU";
}

std::string CpuSlower(const TimeGrowth& growth) {
  const std::optional<CpuGrowth> cpu = CpuOf(growth);
  if (!cpu || cpu->per_worker < kComputes || cpu->log_job < kMainShare * growth.log) return {};
  return CoresText(growth) +
         ": a job needs more CPU time, as with shared caches, hyper-threads or a lower clock";
}

std::string Contention(const TimeGrowth& growth) {
  if (!CpuOf(growth)) return "workers contend for something (their CPU time is not known)";
  return CoresText(growth) +
         ": workers contend for something that is not CPU, such as disk, network "
         "or a device";
}

struct Reason {
  Cause cause;
  std::function<std::string(const TimeGrowth&)> text;  ///< empty: this is not it
};

/// The first that holds is given.
const std::vector<Reason>& ReasonsOfRunTime() {
  static const std::vector<Reason> kReasons = {
      {Cause::kThrottled, [](const TimeGrowth& growth) { return ThrottledText(*growth.now); }},
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

Finding WhyRunTime(const TimeGrowth& growth) {
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
Finding WhyFewerJobs(const TimeGrowth& growth) {
  if (std::string failed = FailedText(*growth.now); !failed.empty()) {
    return {Cause::kFailures, failed};
  }
  return {Cause::kLoad,
          "so fewer jobs were outstanding than workers: the load client was the limit"};
}

Finding WhyOf(const TimeGrowth& growth) {
  if (!TimeOf(*growth.base) || !TimeOf(*growth.now)) {
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

std::string NothingText(const TimeGrowth& growth) {
  if (growth.MayMatter()) {
    return absl::StrCat("with ", Workers(growth.now->workers), " a job took ", growth.Longer(),
                        " longer than with ", growth.base->workers, ", which its error explains (",
                        Percent(std::expm1(growth.width)), ")");
  }
  return absl::StrFormat(
      "nothing grew: %s did %.3g times the work of %d", Workers(growth.now->workers),
      growth.now->rate.throughput / growth.base->rate.throughput, growth.base->workers);
}

}  // namespace

std::string_view Name(Cause cause) {
  constexpr std::array<std::string_view, 13> kNames = {
      "unknown",   "nothing",   "noise", "failures", "load",       "wait",      "overhead",
      "throttled", "straggler", "node",  "cpu",      "slower_cpu", "contention"};
  return kNames[static_cast<std::size_t>(cause)];
}

Explanation Explain(std::span<const StepEvidence> evidence) {
  const std::vector<StepEvidence> steps = Steps(evidence);
  if (steps.size() < 2) return {.text = "too few steps were measured to say why"};
  const TimeGrowth growth = MostOf(steps);
  if (!growth.Matters()) {
    const Cause cause = growth.MayMatter() ? Cause::kNoise : Cause::kNothing;
    const std::string text = NothingText(growth);
    return {cause, 0, 0, text + Notes(steps.back(), text)};
  }
  const Finding why = WhyOf(growth);
  const std::string text =
      absl::StrCat("with ", Workers(growth.now->workers), " a job took ", growth.Longer(),
                   " longer than with ", growth.base->workers, ": ", why.text);
  return {why.cause, growth.base->workers, growth.now->workers, text + Notes(*growth.now, text)};
}

}  // namespace twofold::stats
