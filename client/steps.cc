#include "client/steps.h"

#include <absl/strings/str_cat.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "lib/common/printable.h"

namespace twofold::client {
namespace {

constexpr std::size_t kMaxFieldShown = 80;  // bytes of a bad field in the error

/// The numbers of a record, in the order of the text.
struct Field {
  std::string_view name;
  double least;
  double most;
};
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr std::array kFields = {
    Field{"workers", 1, 1e6},   Field{"throughput", 0, kMost},  Field{"log_error", 0, kInfinity},
    Field{"df", 0.5, 1e9},      Field{"seconds", kTiny, kMost}, Field{"confidence", 0.5, 0.9999},
    Field{"steady", 0, 1},      Field{"drift", -kMost, kMost},  Field{"spread_variance", -1e6, 1e6},
    Field{"spread_df", 0, 1e9},
};
using Numbers = std::array<double, kFields.size()>;

/// Cuts off and returns what is before the next `separator`.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

Status BadField(const Field& field, std::string_view value) {
  return absl::InvalidArgumentError(
      absl::StrCat("records: ", std::string(field.name), " '", Printable(value, kMaxFieldShown),
                   "' is not a number ", field.least, "..", field.most));
}

Result<Numbers> ParseNumbers(std::string_view text) {
  Numbers numbers{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const std::string_view word = Take(text, ':');
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers[i]);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    const bool inside = numbers[i] >= kFields[i].least && numbers[i] <= kFields[i].most;
    if (!whole || !inside) return BadField(kFields[i], word);
  }
  if (!text.empty()) return absl::InvalidArgumentError("records: one has more than ten fields");
  return numbers;
}

}  // namespace

std::string RecordText(const stats::StepRecord& record) {
  std::string text =
      fmt::format("{}:{:.9g}:{:.6g}:{:.4g}:{:.6g}:{:.6g}:{}:{:.4g}:{:.6g}:{:.6g}", record.workers,
                  record.rate.throughput, record.rate.log_error, record.rate.degrees,
                  record.rate.seconds, record.confidence, record.steady ? 1 : 0, record.drift,
                  record.spread.variance, record.spread.degrees);
  std::erase(text, '+');  // of 1.2e+04: a blank in a URL, and not needed
  return text;
}

Result<std::vector<stats::StepRecord>> ParseRecords(std::string_view text) {
  std::vector<stats::StepRecord> records;
  while (!text.empty()) {
    const Result<Numbers> numbers = ParseNumbers(Take(text, ','));
    if (!numbers.ok()) return numbers.status();
    const auto& [workers, throughput, log_error, df, seconds, confidence, steady, drift, variance,
                 spread_df] = *numbers;
    records.push_back({.workers = static_cast<std::uint32_t>(workers),
                       .rate = {throughput, log_error, df, seconds},
                       .confidence = confidence,
                       .steady = steady != 0.0,
                       .drift = drift,
                       .spread = {variance, spread_df}});
  }
  return records;
}

std::string_view VerdictOf(const stats::StepLook& look, Pods pods) {
  if (look.verdict) return stats::Name(Chosen(*look.verdict, pods).verdict);
  const bool measured = look.record.steady && stats::IsKnown(look.record.rate);
  return measured ? "measured" : stats::Name(stats::Verdict::kUndecided);
}

std::string_view VerdictOf(const stats::ScalingVerdict& scaling, Pods pods) {
  const auto any = [&](stats::Verdict verdict) {
    return std::any_of(scaling.steps.begin(), scaling.steps.end(),
                       [&](const auto& step) { return Chosen(step, pods).verdict == verdict; });
  };
  if (any(stats::Verdict::kFail)) return stats::Name(stats::Verdict::kFail);
  const bool undecided = scaling.steps.empty() || any(stats::Verdict::kUndecided);
  return stats::Name(undecided ? stats::Verdict::kUndecided : stats::Verdict::kPass);
}

std::string WhyUndecided(const stats::StepVerdict& step, Pods pods) {
  const stats::RatioInterval& interval = Chosen(step, pods);
  if (interval.verdict != stats::Verdict::kUndecided) return {};
  if (pods == Pods::kAny || !std::isfinite(step.time_width) || !step.steady) return step.why;
  return fmt::format("{:.4g} is inside {:.4g}..{:.4g}: a longer cap helps", step.limit,
                     interval.lower, interval.upper);
}

std::string WhyUndecided(const stats::StepLook& look, const std::string& reason, Pods pods) {
  if (!look.record.steady) return "not steady: " + reason;
  return look.verdict ? WhyUndecided(*look.verdict, pods) : std::string();
}

double SpreadShare(const stats::Spread& spread) {
  return std::sqrt(std::max(spread.variance, 0.0));
}

}  // namespace twofold::client
