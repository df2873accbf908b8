#include "backend/workload/sleep.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <charconv>

#include "lib/common/random.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kMostOfArgument = 40;  // of a bad argument in an error

Status Wrong(const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("sleep: ", why));
}

}  // namespace

Duration SleepTimes::Of(const AttemptId& id) const {
  Random draws(seed, id.job);
  return time.Draw(draws);
}

Result<SleepTimes> ParseSleep(std::span<const std::string_view> arguments) {
  if (arguments.empty() || arguments.size() > 2) {
    return Wrong("takes one or two arguments, TIME [SEED]: 0.5 or exponential:0.5 7");
  }
  auto time = Distribution::Parse(arguments[0]);
  if (!time.ok()) return Wrong(std::string(time.status().message()));
  SleepTimes times{*std::move(time)};
  if (arguments.size() == 1) return times;
  const std::string_view seed = arguments[1];
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), times.seed);
  if (error == std::errc() && end == seed.data() + seed.size()) return times;
  return Wrong(absl::StrCat("the seed '",
                            absl::CHexEscape(std::string(seed.substr(0, kMostOfArgument))),
                            "' is not a whole number from 0 to 2^64 - 1"));
}

Result<Duration> Sleep::TimeOf(const Job& job) const {
  if (job.arguments.empty()) return default_.Of(job.id);
  const Result<SleepTimes> times = ParseSleep(job.arguments);
  if (!times.ok()) return times.status();
  return times->Of(job.id);
}

void Sleep::Start(Slot slot, Instant now, const Job& job) {
  const Result<Duration> duration = TimeOf(job);
  if (!duration.ok()) {
    return Ended(slot, now,
                 Failed(absl::StrCat("plan: ", std::string(duration.status().message()))));
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
