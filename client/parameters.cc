#include "client/parameters.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/common/printable.h"

namespace twofold::client {
namespace {

constexpr std::size_t kMaxShown = 80;            // bytes of a bad value in the error
constexpr std::uint32_t kMostCount = 1'000'000;  // of workers, of repeats

// All of `text` as a number, neither NaN nor infinite.
template <typename Number>
std::optional<Number> Whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(static_cast<double>(value)) ? std::optional(value) : std::nullopt;
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
  return std::min(Whole<std::uint32_t>(digits).value_or(most), most);
}

double Parameters::Rate() {
  const std::optional<double> value = Whole<double>(ValueOf("value"));
  const bool good = value && *value >= 0 && *value <= load::kMostRate;
  if (!good) Refuse("value", ValueOf("value"), absl::StrCat("a number 0..", load::kMostRate));
  return good ? *value : 0;
}

load::Arrivals Parameters::Arrivals(load::Arrivals otherwise) {
  if (http::Find(query_, "arrivals") == nullptr) return otherwise;
  for (const load::Arrivals arrivals : {load::Arrivals::kConstant, load::Arrivals::kPoisson}) {
    if (ValueOf("arrivals") == load::Name(arrivals)) return arrivals;
  }
  Refuse("arrivals", ValueOf("arrivals"), "constant or poisson");
  return otherwise;
}

double Parameters::Positive(std::string_view name) {
  const std::optional<double> value = Whole<double>(ValueOf(name));
  if (!value || *value <= 0) Refuse(name, ValueOf(name), "a number above 0");
  return value.value_or(0);
}

double Parameters::FromZero(std::string_view name) {
  const std::optional<double> value = Whole<double>(ValueOf(name));
  if (!value || *value < 0) Refuse(name, ValueOf(name), "a number from 0");
  return value.value_or(0);
}

std::uint32_t Parameters::Count(std::string_view name) {
  const std::optional<std::uint32_t> count = Whole<std::uint32_t>(ValueOf(name));
  if (!count || *count < 1 || *count > kMostCount) {
    Refuse(name, ValueOf(name), absl::StrCat("a whole number 1..", kMostCount));
  }
  return count.value_or(0);
}

double Parameters::LogError() {
  const std::string_view text = ValueOf("log_error");
  if (text == "inf" || text == "null") return std::numeric_limits<double>::infinity();
  return FromZero("log_error");
}

stats::Rate Parameters::Base() {
  return {FromZero("throughput"), LogError(), Positive("df"), FromZero("seconds")};
}

stats::StepPlan Parameters::Plan() {
  stats::StepPlan plan{
      .workers = Count("workers"), .scale = Positive("scale"), .cap = Positive("cap")};
  if (http::Find(query_, "repeats") != nullptr) plan.repeats = Count("repeats");
  return plan;
}

std::vector<stats::StepRecord> Parameters::Records() {
  Result<std::vector<stats::StepRecord>> records = ParseRecords(ValueOf("records"));
  if (records.ok()) return *std::move(records);
  status_.Update(records.status());
  return {};
}

Pods Parameters::WhichPods() {
  const std::string* pods = http::Find(query_, "pods");
  if (pods != nullptr && *pods == "these") return Pods::kThese;
  if (pods != nullptr && *pods != "any") Refuse("pods", *pods, "any or these");
  return Pods::kAny;
}

}  // namespace twofold::client
