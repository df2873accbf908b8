#include "client/steps.h"

#include <absl/strings/str_cat.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "client/limits.h"
#include "client/window_text.h"
#include "lib/common/printable.h"

namespace twofold::client {
namespace {

constexpr std::size_t kMaxFieldShown = 80;  // bytes of a bad field in the error

/// The numbers of a record, in the order of the text; what follows is the shape of its window.
constexpr std::array kFields = {kWorkers,    kSeconds, kMeanLife, kCredit, kGroups,
                                kConfidence, kSteady,  kJobs,     kFailed};
using Numbers = std::array<double, kFields.size()>;

/// Cuts off and returns what is before the next `separator`.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

Status BadField(const Limits& field, std::string_view value) {
  return absl::InvalidArgumentError(absl::StrCat("records: ", std::string(field.name), " '",
                                                 Printable(value, kMaxFieldShown), "' is not ",
                                                 Allowed(field)));
}

/// Takes the numbers of a record off its text.
Result<Numbers> ParseNumbers(std::string_view& text) {
  Numbers numbers{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const std::string_view word = Take(text, ':');
    const std::optional<double> number = NumberWithin(kFields[i], word);
    if (!number) return BadField(kFields[i], word);
    numbers[i] = *number;
  }
  return numbers;
}

Result<stats::StepRecord> ParseRecord(std::string_view text) {
  const Result<Numbers> numbers = ParseNumbers(text);
  if (!numbers.ok()) return numbers.status();
  const auto& [workers, seconds, life, credit, groups, confidence, steady, jobs, failed] = *numbers;
  stats::StepRecord record = {.workers = static_cast<std::uint32_t>(workers),
                              .window = {.seconds = seconds,
                                         .mean_life = life,
                                         .groups = static_cast<std::uint32_t>(groups)},
                              .confidence = confidence,
                              .steady = steady != 0.0,
                              .jobs = static_cast<std::uint64_t>(jobs),
                              .failed = static_cast<std::uint64_t>(failed)};
  if (!ReadShape(text, credit, record.window)) {
    return absl::InvalidArgumentError("records: what follows the numbers is no shape of a window");
  }
  return record;
}

/// The step with so many workers, which is added at the end if it is not there.
ScalingStep& StepOf(std::uint32_t workers, ScalingFound& found) {
  for (ScalingStep& step : found.steps) {
    if (step.workers == workers) return step;
  }
  return found.steps.emplace_back(ScalingStep{.workers = workers});
}

void SetGrowth(const stats::StepVerdict& verdict, Pods pods, ScalingStep& step) {
  constexpr std::array kGrowths = {Growth::kEnough, Growth::kTooLittle, Growth::kUndecided};
  const stats::RatioInterval& interval = verdict.Of(pods);
  step.growth = kGrowths.at(static_cast<std::size_t>(interval.verdict));
  step.ratio = verdict.ratio;
  step.lower = interval.lower;
  step.upper = interval.upper;
  step.limit = verdict.limit;
  step.why = twofold::WhyUndecided(verdict, pods);
}

}  // namespace

std::string RecordText(const stats::StepRecord& record) {
  const stats::MeasuredWindow& window = record.window;
  std::string text = fmt::format(
      "{}:{:.9g}:{:.6g}:{:.9g}:{}:{:.6g}:{}:{}:{}:", record.workers, window.seconds,
      window.mean_life, std::accumulate(window.total.begin(), window.total.end(), 0.0),
      window.groups, record.confidence, record.steady ? 1 : 0, record.jobs, record.failed);
  std::erase(text, '+');  // of 1.2e+04: a blank in a URL, and not needed
  return text + ShapeText(window);
}

Result<std::vector<stats::StepRecord>> ParseRecords(std::string_view text) {
  std::vector<stats::StepRecord> records;
  while (!text.empty()) {
    Result<stats::StepRecord> record = ParseRecord(Take(text, ','));
    if (!record.ok()) return record.status();
    records.push_back(*std::move(record));
  }
  return records;
}

std::string_view VerdictOf(const stats::StepLook& look, Pods pods) {
  if (look.verdict) return stats::Name(look.verdict->Of(pods).verdict);
  const bool measured = look.record.steady && look.record.window.IsKnown();
  return measured ? "measured" : stats::Name(stats::Verdict::kUndecided);
}

std::string WhyUndecided(const stats::StepLook& look, const std::string& reason, Pods pods) {
  if (!look.record.steady) return "not steady: " + reason;
  return look.verdict ? twofold::WhyUndecided(*look.verdict, pods) : std::string();
}

ScalingFound FoundOf(std::span<const stats::StepRecord> records,
                     const stats::ScalingVerdict& scaling, const Judging& judging) {
  ScalingFound found{.scale = judging.scale};
  for (const stats::StepRecord& record : records) {
    ScalingStep& step = StepOf(record.workers, found);
    step.jobs += record.jobs;
    step.failed += record.failed;
    step.allowed = judging.allowed_failures;
    step.all_failed = step.all_failed || (record.jobs > 0 && record.jobs == record.failed);
    if (!step.all_failed && (!record.steady || !record.window.IsKnown())) {
      step.growth = Growth::kUndecided;
      step.why = record.steady ? "its throughput is not known" : "its throughput was not steady";
    }
  }
  for (const stats::StepVerdict& verdict : scaling.steps) {
    ScalingStep& step = StepOf(verdict.workers, found);
    if (!step.all_failed) SetGrowth(verdict, judging.pods, step);
  }
  return found;
}

double SpreadShare(const stats::Spread& spread) {
  return std::sqrt(std::max(spread.variance, 0.0));
}

}  // namespace twofold::client
