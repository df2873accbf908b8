#include "client/parameters.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "client/step_records.h"
#include "lib/common/printable.h"

namespace twofold::client {
namespace {

constexpr std::size_t kMaxShown = 80;  // bytes of a bad value in the error

Status Bad(std::string_view name, std::string_view value, std::string_view allowed) {
  const std::string subject(name);
  if (value.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(subject, " is missing; it must be ", std::string(allowed)));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(subject, " '", Printable(value, kMaxShown), "' is not ", std::string(allowed)));
}

std::string_view ValueOf(const http::Params& query, std::string_view name) {
  const std::string* value = http::Find(query, name);
  return value == nullptr ? std::string_view() : *value;
}

/// All of `text` as a number, neither NaN nor infinite.
std::optional<double> Finite(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Result<double> FromZero(const http::Params& query, std::string_view name) {
  const std::string_view text = ValueOf(query, name);
  const std::optional<double> value = Finite(text);
  if (!value || *value < 0) return Bad(name, text, "a number from 0");
  return *value;
}

constexpr std::uint32_t kMostCount = 1'000'000;  // of workers, of repeats

Result<std::uint32_t> CountParameter(const http::Params& query, std::string_view name) {
  const std::string_view text = ValueOf(query, name);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && count >= 1 && count <= kMostCount) return count;
  return Bad(name, text, absl::StrCat("a whole number 1..", kMostCount));
}

Result<double> ErrorParameter(const http::Params& query) {
  const std::string_view text = ValueOf(query, "log_error");
  if (text == "inf" || text == "null") return std::numeric_limits<double>::infinity();
  return FromZero(query, "log_error");
}

}  // namespace

Result<std::uint32_t> ParallelismParameter(const http::Params& query, std::uint32_t most) {
  const std::string_view text = ValueOf(query, "value");
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  const bool whole =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits.empty() || !whole) return Bad("value", text, "a whole number");
  if (text.starts_with('-')) return 0U;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? std::min(value, most) : most;  // the only error left is "too large"
}

Result<double> PositiveParameter(const http::Params& query, std::string_view name) {
  const std::string_view text = ValueOf(query, name);
  const std::optional<double> value = Finite(text);
  if (!value || *value <= 0) return Bad(name, text, "a number above 0");
  return *value;
}

Result<stats::Rate> BaseParameters(const http::Params& query) {
  const Result<double> throughput = FromZero(query, "throughput");
  if (!throughput.ok()) return throughput.status();
  const Result<double> log_error = ErrorParameter(query);
  if (!log_error.ok()) return log_error.status();
  const Result<double> degrees = PositiveParameter(query, "df");
  if (!degrees.ok()) return degrees.status();
  const Result<double> seconds = FromZero(query, "seconds");
  if (!seconds.ok()) return seconds.status();
  return stats::Rate{*throughput, *log_error, *degrees, *seconds};
}

Result<stats::StepPlan> PlanParameters(const http::Params& query) {
  const Result<std::uint32_t> workers = CountParameter(query, "workers");
  if (!workers.ok()) return workers.status();
  const Result<double> scale = PositiveParameter(query, "scale");
  if (!scale.ok()) return scale.status();
  const Result<double> cap = PositiveParameter(query, "cap");
  if (!cap.ok()) return cap.status();
  stats::StepPlan plan{.workers = *workers, .scale = *scale, .cap = *cap};
  if (http::Find(query, "repeats") == nullptr) return plan;
  const Result<std::uint32_t> repeats = CountParameter(query, "repeats");
  if (!repeats.ok()) return repeats.status();
  plan.repeats = *repeats;
  return plan;
}

Result<std::vector<stats::StepRecord>> RecordsParameter(const http::Params& query) {
  return ParseRecords(ValueOf(query, "records"));
}

Result<Pods> PodsParameter(const http::Params& query) {
  const std::string* pods = http::Find(query, "pods");
  if (pods == nullptr || *pods == "any") return Pods::kAny;
  if (*pods == "these") return Pods::kThese;
  return Bad("pods", *pods, "any or these");
}

}  // namespace twofold::client
