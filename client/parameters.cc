#include "client/parameters.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

#include "client/evidence.h"
#include "lib/common/printable.h"

namespace twofold::client {
namespace {

constexpr std::size_t kMaxShown = 80;  // bytes of a bad value in the error
constexpr Limits kRate = {"value", 0, load::kMostRate};

// All of `text` as a whole number.
std::optional<std::uint32_t> Whole(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view Parameters::ValueOf(std::string_view name) const {
  const std::string* value = http::Find(query_, name);
  return value == nullptr ? std::string_view() : *value;
}

void Parameters::Refuse(std::string_view name, std::string_view value, std::string_view allowed) {
  const std::string what = value.empty()
                               ? " is missing; it must be "
                               : absl::StrCat(" '", Printable(value, kMaxShown), "' is not ");
  status_.Update(
      absl::InvalidArgumentError(absl::StrCat(std::string(name), what, std::string(allowed))));
}

std::uint32_t Parameters::Parallelism(std::uint32_t most) {
  const std::string_view text = ValueOf("value");
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  const bool whole =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits.empty() || !whole) Refuse("value", text, "a whole number");
  if (text.starts_with('-')) return 0;
  // Of digits alone the only error left is "too large".
  return std::min(Whole(digits).value_or(most), most);
}

double Parameters::Rate() { return Number(kRate); }

load::Arrivals Parameters::Arrivals(load::Arrivals otherwise) {
  if (http::Find(query_, "arrivals") == nullptr) return otherwise;
  for (const load::Arrivals arrivals : {load::Arrivals::kConstant, load::Arrivals::kPoisson}) {
    if (ValueOf("arrivals") == load::Name(arrivals)) return arrivals;
  }
  Refuse("arrivals", ValueOf("arrivals"), "constant or poisson");
  return otherwise;
}

double Parameters::Number(const Limits& limits) {
  const std::optional<double> value = NumberWithin(limits, ValueOf(limits.name));
  if (!value) Refuse(limits.name, ValueOf(limits.name), Allowed(limits));
  return value.value_or(0);
}

std::uint32_t Parameters::Count(const Limits& limits) {
  const auto least = static_cast<std::uint32_t>(limits.least);
  const auto most = static_cast<std::uint32_t>(limits.most);
  const std::optional<std::uint32_t> count = Whole(ValueOf(limits.name));
  if (!count || *count < least || *count > most) {
    Refuse(limits.name, ValueOf(limits.name), absl::StrCat("a whole number ", least, "..", most));
  }
  return count.value_or(0);
}

double Parameters::LogError() {
  if (ValueOf(kLogError.name) == "null") return std::numeric_limits<double>::infinity();
  return Number(kLogError);
}

stats::Rate Parameters::Base() {
  return {Number(kThroughput), LogError(), Number(kDegrees), Number(kSeconds)};
}

stats::StepPlan Parameters::Plan() {
  stats::StepPlan plan{.workers = Count(kWorkers), .scale = Number(kScale)};
  plan.cap.seconds = Number(kCap);
  if (http::Find(query_, kPatience.name) != nullptr) plan.cap.patience = Number(kPatience);
  if (http::Find(query_, kRepeats.name) != nullptr) plan.repeats = Count(kRepeats);
  plan.next = NextStep();
  plan.pods = WhichPods();
  return plan;
}

std::vector<stats::StepRecord> Parameters::Records() {
  Result<std::vector<stats::StepRecord>> records = ParseRecords(ValueOf("records"));
  if (records.ok()) return *std::move(records);
  status_.Update(records.status());
  return {};
}

std::vector<stats::StepEvidence> Parameters::Evidence() {
  Result<std::vector<stats::StepEvidence>> evidence = ParseEvidence(ValueOf("evidence"));
  if (evidence.ok()) return *std::move(evidence);
  status_.Update(evidence.status());
  return {};
}

Judging Parameters::HowJudged() {
  Judging judging{.scale = Number(kScale), .pods = WhichPods()};
  if (http::Find(query_, kAllowFailures.name) != nullptr) {
    judging.allowed_failures = Number(kAllowFailures);
  }
  return judging;
}

stats::Next Parameters::NextStep() {
  if (http::Find(query_, "next") == nullptr) return stats::Next::kAlways;
  constexpr std::array kNext = {"always", "unless-failed", "never"};  // in the order of the values
  for (std::size_t i = 0; i < kNext.size(); ++i) {
    if (ValueOf("next") == kNext[i]) return static_cast<stats::Next>(i);
  }
  Refuse("next", ValueOf("next"), "always, unless-failed or never");
  return stats::Next::kAlways;
}

Pods Parameters::WhichPods() {
  const std::string* pods = http::Find(query_, "pods");
  if (pods != nullptr && *pods == "these") return Pods::kThese;
  if (pods != nullptr && *pods != "any") Refuse("pods", *pods, "any or these");
  return Pods::kAny;
}

}  // namespace twofold::client
