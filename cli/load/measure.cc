#include "cli/load/measure.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "cli/command/command.h"
#include "cli/load/record/summary.h"

namespace twofold::cli {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(250);
constexpr Duration kReachWithin = std::chrono::seconds(30);
constexpr Duration kBetweenLoadLines = std::chrono::seconds(5);
constexpr Duration kLongDrain = std::chrono::seconds(2);

std::string RateSoFar(const stats::ThroughputEstimate& estimate) {
  if (estimate.throughput <= 0) return "";
  const std::string rate = "  " + RateText(estimate.throughput);
  if (!std::isfinite(estimate.upper)) return rate;
  const double half = (estimate.upper - estimate.lower) / 2 / estimate.throughput;
  return absl::StrCat(rate, absl::StrFormat(" +-%.2g %%", 100 * half));
}

std::string LatencySoFar(const load::Snapshot& now) {
  std::string text;
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p99", 0.99}}) {
    const auto time = now.times.from_plan.Quantile(share);
    if (!time) continue;
    absl::StrAppend(&text, "  ", name, time->at_least ? " >= " : " ",
                    TimeText(ToSeconds(time->value)));
  }
  return text;
}

// ", within 2 % expected in 40 s"; empty: it is not known when.
std::string ExpectedText(const load::Snapshot& now, double until) {
  const std::optional<double> more = now.estimate.SecondsUntilKnownWithin(until);
  if (!now.warm || !more) return "";
  return absl::StrFormat(", within %g %% expected in %.0f s", 100 * until, std::ceil(*more));
}

}  // namespace

std::string ProgressText(const load::Snapshot& now, double seconds, double until) {
  std::string text = absl::StrCat(absl::StrFormat("%.0f s", seconds), RateSoFar(now.estimate),
                                  LatencySoFar(now), "  ", now.pending, " outstanding");
  if (until > 0) text += ExpectedText(now, until);
  if (now.estimate.failed > 0) absl::StrAppend(&text, ", ", now.estimate.failed, " failed");
  if (now.refused > 0) absl::StrAppend(&text, ", ", now.refused, " refused");
  if (now.link != load::Link::kConnected) {
    absl::StrAppend(&text, ", ", std::string(load::Name(now.link)));
  }
  return text;
}

Result<v1::LoadRecord> Measure(load::RunOptions options, const AwaitedSignals& signals,
                               LiveLine& line) {
  const std::string frontend = options.frontend;
  const double until = options.until;
  load::Run run(std::move(options));
  if (Status status = run.Start(); !status.ok()) return status;
  const Instant begin = Now();
  Instant next_line = begin + kBetweenLoadLines;
  bool interrupted = false;
  while (!run.Wait(kLook)) {
    interrupted = signals.Take() != 0;
    if (interrupted) break;
    const Instant now = Now();
    if (!line.terminal() && now < next_line) continue;
    next_line = now + kBetweenLoadLines;
    const load::Snapshot seen = run.Look();
    if (seen.link == load::Link::kConnecting && now > begin + kReachWithin) break;
    const std::string text = ProgressText(seen, ToSeconds(now - begin), until);
    line.terminal() ? line.Replace(text.substr(0, LiveLine::Width())) : line.Note(text);
  }
  line.Finish();
  const std::uint64_t open = run.Look().pending;
  if (open > 0 && run.Drain() >= kLongDrain) {
    line.Note(absl::StrCat("the load is over; ", open, " jobs may still end for ",
                           TimeText(ToSeconds(run.Drain())), "; Ctrl-C ends the wait"));
  }
  auto record = run.Finish([&] { return signals.Take() != 0; });
  if (record) return *std::move(record);
  if (interrupted) return EndWith(kExitInterrupted, "interrupted before the load began");
  return absl::UnavailableError(absl::StrCat("the frontend at ", frontend, " cannot be reached"));
}

}  // namespace twofold::cli
