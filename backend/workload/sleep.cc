#include "backend/workload/sleep.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <charconv>

namespace twofold::backend {
namespace {

constexpr double kMostSeconds = 1e9;         // more than 31 years: a mistake, not a benchmark
constexpr std::size_t kMostOfArgument = 40;  // of a bad argument in an error

}  // namespace

Result<Duration> ParseSleep(std::string_view text) {
  double seconds = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, seconds);
  if (error == std::errc() && end == text_end && seconds >= 0 && seconds <= kMostSeconds) {
    return FromSeconds(seconds);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("sleep: '", absl::CHexEscape(std::string(text.substr(0, kMostOfArgument))),
                   "' is not a number of seconds from 0 to 1e9"));
}

void Sleep::Start(Slot slot, Instant now, const Job& job) {
  if (job.arguments.size() > 1) {
    return Ended(slot, now, Failed("plan: sleep: takes one argument, the seconds"));
  }
  const Result<Duration> duration =
      job.arguments.empty() ? Result<Duration>(default_) : ParseSleep(job.arguments.front());
  if (!duration.ok()) {
    return Ended(slot, now, Failed(absl::StrCat("plan: ", duration.status().message())));
  }
  if (job.gang == nullptr) return Run(slot, now, *duration);
  prepared_[slot] = *duration;
  Ready(slot);
}

void Sleep::Go(Slot slot, Instant now) {
  const Duration duration = prepared_.at(slot);
  prepared_.erase(slot);
  Run(slot, now, duration);
}

void Sleep::Run(Slot slot, Instant now, Duration duration) {
  // Nothing to wait for: a turn of the timer would only cost.
  if (duration == Duration::zero()) return Ended(slot, now, {});
  deadlines_.Set(slot, now + duration);
}

void Sleep::Stop(Slot slot) {
  prepared_.erase(slot);
  deadlines_.Clear(slot);
  Ended(slot, Now(), {});
}

}  // namespace twofold::backend
