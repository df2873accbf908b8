#include "lib/words/scaling.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "lib/common/counted.h"
#include "lib/stats/share.h"

namespace twofold {
namespace {

struct CauseText {
  stats::Verdict verdict;
  std::string_view lead;  ///< what the headline begins with
};

// In the order of ScalingCause.
constexpr std::array<CauseText, 8> kCauseTexts = {
    {{stats::Verdict::kPass, "Pass"},
     {stats::Verdict::kUndecided, "Nothing compared"},
     {stats::Verdict::kFail, "Fail: too little growth"},
     {stats::Verdict::kFail, "Fail: too little growth, and jobs failed"},
     {stats::Verdict::kFail, "Fail: jobs failed"},
     {stats::Verdict::kFail, "Fail: jobs failed, though the throughput grew enough"},
     {stats::Verdict::kFail,
      "Fail: jobs failed, and whether the throughput grew enough is undecided"},
     {stats::Verdict::kUndecided, "Undecided"}}};

const CauseText& TextOf(ScalingCause cause) {
  return kCauseTexts.at(static_cast<std::size_t>(cause));
}

std::string Workers(std::uint32_t count) { return Counted(count, "worker"); }

bool IsFailed(const ScalingStep& step) { return step.Failures() == stats::Verdict::kFail; }
bool IsDoubtful(const ScalingStep& step) { return step.Failures() == stats::Verdict::kUndecided; }

// ---- what one step has to say; `base` is the one before it, null: none

std::string IntervalOf(const ScalingStep& step) {
  if (step.upper <= 0.0 || std::isinf(step.upper)) return kTooLittleSeen;
  return absl::StrFormat("95 %%: %.4g to %.4g", step.lower, step.upper);
}

std::string Compared(const ScalingStep& step, const ScalingStep* base) {
  return absl::StrFormat("%s did %.4g (%s) times the work of %s, limit %.4g", Workers(step.workers),
                         step.ratio, IntervalOf(step),
                         base == nullptr ? "fewer" : absl::StrCat(base->workers), step.limit);
}

std::string Failed(const ScalingStep& step, const ScalingStep* /*base*/) {
  return TextOfFailures(step);
}

std::string Undecided(const ScalingStep& step, const ScalingStep* base) {
  return absl::StrCat(Workers(step.workers),
                      base == nullptr ? "" : absl::StrCat(" beside ", base->workers),
                      step.why.empty() ? "" : ": ", absl::StripSuffix(step.why, "."));
}

/// What the first step has to say for which `holds`, and how many more there are; empty: none.
std::string FirstOf(const ScalingFound& found, bool (*holds)(const ScalingStep&),
                    std::string (*text)(const ScalingStep&, const ScalingStep*)) {
  const auto first = std::find_if(found.steps.begin(), found.steps.end(), holds);
  if (first == found.steps.end()) return {};
  const auto more = std::count_if(first + 1, found.steps.end(), holds);
  return absl::StrCat(
      text(*first, first == found.steps.begin() ? nullptr : &*(first - 1)),
      more == 0 ? "" : absl::StrCat("; ", more, more == 1 ? " step" : " steps", " more likewise"));
}

template <Growth growth>
bool Has(const ScalingStep& step) {
  return step.growth == growth;
}

bool Any(const ScalingFound& found, bool (*holds)(const ScalingStep&)) {
  return std::any_of(found.steps.begin(), found.steps.end(), holds);
}

std::string Sentences(std::vector<std::string> details) {
  std::erase(details, "");
  return absl::StrJoin(details, ". ");
}

/// The numbers behind the verdict.
std::string Details(ScalingCause cause, const ScalingFound& found) {
  if (cause == ScalingCause::kGrew) {
    return absl::StrFormat("at least %.4g times the work for twice the workers, up to %s",
                           found.scale, Workers(found.steps.back().workers));
  }
  if (cause == ScalingCause::kNothingCompared) {
    return found.steps.empty() ? "no step was measured"
                               : "no job failed, but one step has none before it";
  }
  const std::string growth = FirstOf(found, Has<Growth::kUndecided>, Undecided);
  const std::string failures = FirstOf(found, IsDoubtful, Failed);
  const std::string undecided = Sentences({growth, failures});
  const bool is_first = cause == ScalingCause::kUndecided;
  return Sentences({FirstOf(found, Has<Growth::kTooLittle>, Compared),
                    FirstOf(found, IsFailed, Failed),
                    undecided.empty() || is_first ? undecided : "Undecided: " + undecided});
}

}  // namespace

stats::Verdict ScalingStep::Failures() const {
  return all_failed ? stats::Verdict::kFail : stats::JudgeShare(failed, jobs, allowed);
}

std::string WordOf(std::string growth, stats::Verdict failures) {
  if (failures == stats::Verdict::kPass || growth == "failures") return growth;
  return growth + (failures == stats::Verdict::kFail ? "+failures" : "+failures?");
}

std::string TextOfFailures(const ScalingStep& step) {
  const std::string of = step.all_failed ? absl::StrCat("all ", Counted(step.failed, "job"))
                         : step.jobs > 0
                             ? absl::StrCat(step.failed, " of ", Counted(step.jobs, "job"))
                             : Counted(step.failed, "job");
  std::string share;
  if (step.allowed > 0.0 && step.jobs > 0) {
    const stats::ShareInterval interval = stats::IntervalOfShare(step.failed, step.jobs);
    share =
        absl::StrFormat(" (%.3g %%, 95 %%: %.3g %% to %.3g %%; %.3g %% allowed)",
                        100.0 * static_cast<double>(step.failed) / static_cast<double>(step.jobs),
                        100.0 * interval.lower, 100.0 * interval.upper, 100.0 * step.allowed);
  }
  return absl::StrCat(of, " of ", Workers(step.workers), " failed", share,
                      step.error.empty() ? "" : ": ", absl::StripSuffix(step.error, "."));
}

ScalingCause CauseOf(const ScalingFound& found) {
  const bool failed = Any(found, IsFailed);
  if (Any(found, Has<Growth::kTooLittle>)) {
    return failed ? ScalingCause::kTooLittleAndFailed : ScalingCause::kTooLittle;
  }
  if (Any(found, Has<Growth::kUndecided>) || (!failed && Any(found, IsDoubtful))) {
    return failed ? ScalingCause::kUndecidedAndFailed : ScalingCause::kUndecided;
  }
  if (Any(found, [](const ScalingStep& step) { return step.all_failed; })) {
    return ScalingCause::kFailed;  // so nobody knows how that step would have grown
  }
  if (Any(found, Has<Growth::kEnough>)) {
    return failed ? ScalingCause::kGrewButFailed : ScalingCause::kGrew;
  }
  return failed ? ScalingCause::kFailed : ScalingCause::kNothingCompared;
}

stats::Verdict VerdictOf(ScalingCause cause) { return TextOf(cause).verdict; }

std::string HeadlineOf(const ScalingFound& found) {
  const ScalingCause cause = CauseOf(found);
  return absl::StrCat(std::string(TextOf(cause).lead), ": ", Details(cause, found), ".");
}

std::string TextOfStep(const ScalingFound& found, std::size_t index) {
  const ScalingStep& step = found.steps.at(index);
  const ScalingStep* base = index == 0 ? nullptr : &found.steps[index - 1];
  std::vector<std::string> parts;
  if (step.ratio > 0.0) parts.push_back(Compared(step, base));
  if (step.growth == Growth::kUndecided) parts.push_back(Undecided(step, base));
  if (step.failed > 0 || step.all_failed) parts.push_back(TextOfFailures(step));
  return parts.empty() ? Workers(step.workers) : absl::StrJoin(parts, "; ");
}

std::string HeadlineWithoutVerdict(const std::string& reason, const ScalingFound& found) {
  std::vector<std::uint32_t> workers;
  for (const ScalingStep& step : found.steps) workers.push_back(step.workers);
  return absl::StrCat("No verdict", reason.empty() ? "" : ": ", reason, ".",
                      workers.empty()
                          ? " No step was measured."
                          : absl::StrCat(" Measured until then: ", absl::StrJoin(workers, ", "),
                                         workers.back() == 1 ? " worker." : " workers."));
}

std::string LeftOut(const stats::StepVerdict& step) {
  if (step.cut <= 0.0) return {};
  const double speed = 1.0 + step.cut_change;
  const bool slower = speed < 1.0;
  if (speed <= 0.0) return absl::StrFormat("first %.3g s left out: nothing was done", step.cut);
  return absl::StrFormat("first %.3g s left out: jobs were %.2g %% %s", step.cut,
                         100.0 * (slower ? 1.0 / speed - 1.0 : 1.0 - 1.0 / speed),
                         slower ? "slower" : "faster");
}

std::string WhyUndecided(const stats::StepVerdict& step, stats::Pods pods) {
  using stats::Doubt;
  const stats::RatioInterval& interval = step.Of(pods);
  if (interval.verdict != stats::Verdict::kUndecided) return {};
  if (step.doubt == Doubt::kNotMeasured || step.doubt == Doubt::kNotSteady) {
    return absl::StrCat("the throughput of ", Workers(step.doubtful_workers),
                        step.doubt == Doubt::kNotSteady ? " was not steady" : " is not known");
  }
  if (pods == stats::Pods::kAny && step.doubt == Doubt::kOneWorker) {
    return "one worker says nothing about others: repeat with new pods, or ask about these pods";
  }
  if (std::isinf(interval.upper)) {
    return absl::StrCat(kTooLittleSeen, " of the ratio: measure longer",
                        pods == stats::Pods::kAny ? ", or repeat with new pods" : "");
  }
  const std::string inside =
      absl::StrFormat("the limit of %.4g is inside the interval of the ratio, %.4g to %.4g",
                      step.limit, interval.lower, interval.upper);
  if (pods == stats::Pods::kThese || step.doubt == Doubt::kNoise)
    return inside + ": a longer cap helps";
  const std::string differ =
      absl::StrFormat("%s, as workers differ by %.1f %%", inside, 100.0 * step.spread);
  if (step.repeats_needed == 0) return differ + ", and the ratio is near the limit";
  return absl::StrFormat("%s: %d repeats with new pods would decide", differ, step.repeats_needed);
}

}  // namespace twofold
