#include "kubernetes/nodes/model/fate.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/nodes/model/names.h"
#include "lib/common/random.h"

namespace twofold::nodes {
namespace {

Status SetTime(Distribution& time, const std::string& text) {
  auto parsed = Distribution::Parse(text);
  if (!parsed.ok()) return parsed.status();
  time = *std::move(parsed);
  return absl::OkStatus();
}

Status SetRun(std::optional<Distribution>& run, const std::string& text) {
  if (text == "never") {
    run.reset();
    return absl::OkStatus();
  }
  auto parsed = Distribution::Parse(text);
  if (!parsed.ok()) return parsed.status();
  run = *std::move(parsed);
  return absl::OkStatus();
}

Status SetFailures(Habits& habits, const std::string& text) {
  double share = 0;
  if (!absl::SimpleAtod(text, &share) || !(share >= 0 && share <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a share from 0 to 1"));
  }
  habits.failures = share;
  return absl::OkStatus();
}

// A pod that names its exit code ends with it: 0 never fails.
Status SetExitCode(Habits& habits, const std::string& text) {
  int code = 0;
  if (!absl::SimpleAtoi(text, &code) || code < 0 || code > 255) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not an exit code, 0 to 255"));
  }
  habits.exit_code = code;
  habits.failures = code == 0 ? 0 : 1;
  return absl::OkStatus();
}

Status SetEviction(Habits& habits, const std::string& text) {
  habits.evictions = 1;
  return SetTime(habits.evict_after, text);
}

Status SetUtilisation(Habits& habits, const std::string& text) {
  const auto parsed = ParseUtilisation(text);
  if (parsed.ok()) habits.utilisation = *parsed;
  return parsed.status();
}

struct Wish {
  const char* name;
  Status (*set)(Habits& habits, const std::string& text);
};

// In the order in which they are obeyed: an exit code decides over a share of failures.
constexpr Wish kWishes[] = {
    {kStartTime,
     [](Habits& habits, const std::string& text) { return SetTime(habits.start, text); }},
    {kRunTime, [](Habits& habits, const std::string& text) { return SetRun(habits.run, text); }},
    {kStopTime, [](Habits& habits, const std::string& text) { return SetTime(habits.stop, text); }},
    {kFailures, SetFailures},
    {kExitCode, SetExitCode},
    {kEvictAfter, SetEviction},
    {kUtilisation, SetUtilisation},
};

Status Obey(const Pod& pod, Habits& habits) {
  for (const Wish& wish : kWishes) {
    const auto found = pod.wishes.find(wish.name);
    if (found == pod.wishes.end()) continue;
    if (const Status set = wish.set(habits, found->second); !set.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("annotation ", wish.name, ": ", std::string(set.message())));
    }
  }
  return absl::OkStatus();
}

// Draws everything, needed or not, so that one setting does not change what others give.
Fate Drawn(const Habits& habits, const Pod& pod, int attempt) {
  Random draws(habits.seed, absl::StrCat(pod.name.space, "/", pod.name.name, "#", attempt));
  Fate fate;
  fate.start = habits.start.Draw(draws);
  const Duration run = habits.run ? habits.run->Draw(draws) : Duration::zero();
  fate.stop = habits.stop.Draw(draws);
  const bool fails = draws.Share() < habits.failures;
  const bool is_evicted = draws.Share() < habits.evictions;
  const Duration evict_after = habits.evict_after.Draw(draws);
  const int span = habits.utilisation.most - habits.utilisation.least + 1;
  fate.utilisation = habits.utilisation.least + static_cast<int>(draws.Share() * span);
  if (habits.run && pod.restart != Restart::kAlways) fate.run = run;
  fate.ending = fails ? Ending::kFailed : Ending::kSucceeded;
  fate.exit_code = fails ? habits.exit_code : 0;
  if (is_evicted && evict_after < fate.run.value_or(Duration::max())) {
    fate.run = evict_after;
    fate.ending = Ending::kEvicted;
  }
  return fate;
}

}  // namespace

Result<Utilisation> ParseUtilisation(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string most = dash == text.size() ? text : text.substr(dash + 1);
  Utilisation range;
  if (absl::SimpleAtoi(text.substr(0, dash), &range.least) && absl::SimpleAtoi(most, &range.most) &&
      0 <= range.least && range.least <= range.most && range.most <= 100) {
    return range;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a percentage or a range of them, such as 70 or 60-90"));
}

Result<Fate> FateOf(const Habits& habits, const Pod& pod, int attempt) {
  const bool has_wishes =
      std::any_of(std::begin(kWishes), std::end(kWishes),
                  [&](const Wish& wish) { return pod.wishes.contains(wish.name); });
  if (!has_wishes) return Drawn(habits, pod, attempt);
  Habits own = habits;
  if (const Status obeyed = Obey(pod, own); !obeyed.ok()) return obeyed;
  return Drawn(own, pod, attempt);
}

}  // namespace twofold::nodes
