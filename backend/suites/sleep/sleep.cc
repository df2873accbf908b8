#include "backend/suites/sleep/sleep.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <charconv>

namespace twofold::backend {
namespace {

constexpr double kMostSeconds = 1e9;     // more than 31 years: a mistake, not a benchmark
constexpr std::size_t kMostQuoted = 40;  // of a bad argument in an error

}  // namespace

Result<Duration> ParseSleep(std::string_view text) {
  double seconds = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, seconds);
  if (error == std::errc() && end == text_end && seconds >= 0 && seconds <= kMostSeconds) {
    return FromSeconds(seconds);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("sleep: '", absl::CHexEscape(std::string(text.substr(0, kMostQuoted))),
                   "' is not a number of seconds from 0 to 1e9"));
}

void Sleep::Start(Slot slot, Instant now, std::span<const std::string_view> arguments) {
  if (arguments.size() > 1) {
    return Ended(slot, now, PlanError("sleep: takes one argument, the seconds"));
  }
  const Result<Duration> duration =
      arguments.empty() ? Result<Duration>(default_) : ParseSleep(arguments.front());
  if (!duration.ok()) {
    return Ended(slot, now, PlanError(std::string(duration.status().message())));
  }
  // Nothing to wait for: a turn of the timer would only cost.
  if (*duration == Duration::zero()) return Ended(slot, now, {});
  deadlines_.Set(slot, now + *duration);
}

void Sleep::Stop(Slot slot) {
  deadlines_.Clear(slot);
  Ended(slot, Now(), {});
}

}  // namespace twofold::backend
