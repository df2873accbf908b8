#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "client/pages.h"

namespace twofold::client::text {
namespace {

constexpr int kBar = 40;  // characters for 100 %

std::string Seconds(const std::optional<Duration>& duration) {
  return duration ? fmt::format("{:.6f}", ToSeconds(*duration)) : "-";
}

std::string_view PartName(Part part) {
  static constexpr std::array<std::string_view, kParts.size()> kNames = {"wait", "run time",
                                                                         "overhead", "round trip"};
  return kNames[static_cast<std::size_t>(part)];
}

void AppendLatencies(std::string& out, const Snapshot& snapshot) {
  constexpr const char* kRow = "{:<12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n";
  const auto append = std::back_inserter(out);
  fmt::format_to(append, kRow, "seconds", "max", "avg", "min", "p50", "p90", "p99", "p99.9");
  for (const Part part : kParts) {
    const LatencySummary& times = snapshot.latencies[static_cast<std::size_t>(part)];
    fmt::format_to(append, kRow, PartName(part), Seconds(times.max), Seconds(times.avg),
                   Seconds(times.min), Seconds(times.p50), Seconds(times.p90), Seconds(times.p99),
                   Seconds(times.p999));
  }
  if (snapshot.clamped_overheads == 0) return;
  fmt::format_to(append, "{} overheads came out negative (clocks disagree) and count as 0\n",
                 snapshot.clamped_overheads);
}

std::string Throughput(const stats::ThroughputEstimate& estimate) {
  return fmt::format("{:.6f} jobs/s (95 % interval {:.6f} .. {:.6f})", estimate.throughput,
                     estimate.lower, estimate.upper);
}

std::string NameOf(const std::string& name) { return name.empty() ? "(no worker)" : name; }

void AppendBars(std::string& out, const std::vector<PlaceGroup>& groups) {
  std::uint64_t all = 0;
  for (const PlaceGroup& group : groups) all += group.jobs();
  for (const PlaceGroup& group : groups) {
    const double share = static_cast<double>(group.jobs()) / static_cast<double>(all);
    const std::string bar(static_cast<std::size_t>(std::lround(share * kBar)), '#');
    fmt::format_to(std::back_inserter(out), "{:5.1f} % {:<40} {:>9}  {}{}{}\n", share * 100.0, bar,
                   group.jobs(), NameOf(group.name), group.device.empty() ? "" : "  ",
                   group.device);
  }
}

void AppendCounts(std::string& out, std::string_view title, const ErrorCounts::Map& counts) {
  const auto append = std::back_inserter(out);
  fmt::format_to(append, "\n{}:{}\n", title, counts.empty() ? " none" : "");
  for (const auto& [text, count] : counts) fmt::format_to(append, "{:>9}  {}\n", count, text);
}

ErrorCounts::Map FailuresByName(const std::vector<PlaceGroup>& groups) {
  ErrorCounts::Map failures;
  for (const PlaceGroup& group : groups) {
    if (group.failed > 0) failures[NameOf(group.name)] += group.failed;
  }
  return failures;
}

std::string Rounded(double value) { return fmt::format("{:.6g}", value); }

/// Appends `key value` lines.
class Lines {
 public:
  template <typename Value>
  Lines& Add(std::string_view key, const Value& value) {
    fmt::format_to(std::back_inserter(text_), "{} {}\n", key, value);
    return *this;
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string Word(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  // Also of what JSON cannot write: infinity.
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

// The facts of a JSON page as lines; what has nothing to say is left out.
std::string Plain(const nlohmann::ordered_json& facts) {
  Lines lines;
  for (const auto& [key, value] : facts.items()) {
    if (key == "interval") {
      lines.Add("lower", Word(value[0])).Add("upper", Word(value[1]));
    } else if (key == "errors") {
      for (const auto& [error, count] : value.items()) {
        lines.Add("error", fmt::format("{} {}", count.get<std::uint64_t>(), error));
      }
    } else if (const std::string word = Word(value); !word.empty()) {
      lines.Add(key, word);
    }
  }
  return lines.Take();
}

}  // namespace

std::string Stats(const Snapshot& snapshot) {
  std::string out;
  const auto line = [&out](std::string_view name, const auto& value) {
    fmt::format_to(std::back_inserter(out), "{:<15}{}\n", name, value);
  };
  const stats::ThroughputEstimate& estimate = snapshot.estimate;
  line("queue",
       fmt::format("{} at {}, {}", snapshot.queue, snapshot.frontend, Name(snapshot.link)));
  line("parallelism", snapshot.parallelism);
  line("pending", snapshot.pending);
  line("held back", snapshot.held_back);
  line("failed", estimate.failed);
  line("succeeded", estimate.succeeded);
  line("rejected", snapshot.rejected);
  line("seconds", fmt::format("{:.3f}", estimate.seconds));
  line("throughput", Throughput(estimate));
  line("steady", estimate.steady ? "yes" : "no: " + estimate.reason);
  line("interruptions", fmt::format("{} in this window, {} since the start", snapshot.interruptions,
                                    snapshot.all_interruptions));
  if (snapshot.unknown_answers > 0)
    line("ignored",
         fmt::format("{} answers to jobs that are not outstanding", snapshot.unknown_answers));
  out += '\n';
  AppendLatencies(out, snapshot);
  return out;
}

std::string Places(const Snapshot& snapshot, By by) {
  const std::vector<PlaceGroup> groups = GroupPlaces(snapshot.places, by);
  const std::string_view what = by == By::kNode ? "node" : "pod";
  std::string out = fmt::format("jobs by {} and device:{}\n", what, groups.empty() ? " none" : "");
  AppendBars(out, groups);
  AppendCounts(out, fmt::format("failures by {}", what), FailuresByName(groups));
  AppendCounts(out, "errors", snapshot.errors);
  return out;
}

std::string Window(const Snapshot& snapshot) { return Plain(json::WindowFacts(snapshot)); }

std::string Comparison(const stats::Comparison& comparison) {
  return Plain(json::ComparisonFacts(comparison));
}

std::string Look(const Snapshot& snapshot, const stats::StepLook& look, Pods pods) {
  Lines lines;
  lines.Add("done", look.done)
      .Add("next_seconds", Rounded(look.done ? 0.0 : look.look.next_seconds))
      .Add("verdict", VerdictOf(look, pods));
  if (look.verdict) {
    const stats::RatioInterval& chosen = Chosen(*look.verdict, pods);
    lines.Add("ratio", Rounded(look.verdict->ratio))
        .Add("ratio_lower", Rounded(chosen.lower))
        .Add("ratio_upper", Rounded(chosen.upper))
        .Add("least", Rounded(look.verdict->limit))
        .Add("these_lower", Rounded(look.verdict->these_pods.lower))
        .Add("these_upper", Rounded(look.verdict->these_pods.upper))
        .Add("any_lower", Rounded(look.verdict->any_pods.lower))
        .Add("any_upper", Rounded(look.verdict->any_pods.upper));
  }
  const std::string why = WhyUndecided(look, snapshot.estimate.reason, pods);
  if (!why.empty()) lines.Add("why", why);
  lines.Add("record", RecordText(look.record));
  return lines.Take() + Window(snapshot);
}

std::string Scaling(const stats::ScalingVerdict& scaling, Pods pods) {
  Lines lines;
  lines.Add("verdict", VerdictOf(scaling, pods))
      .Add("spread", Rounded(SpreadShare(scaling.spread)))
      .Add("spread_df", scaling.spread.degrees);
  for (const stats::StepVerdict& step : scaling.steps) {
    const stats::RatioInterval& chosen = Chosen(step, pods);
    lines.Add("step", fmt::format("{} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {} {}", step.workers,
                                  step.throughput, step.ratio, chosen.lower, chosen.upper,
                                  step.limit, stats::Name(chosen.verdict), step.repeats_needed));
    const std::string why = WhyUndecided(step, pods);
    if (!why.empty()) lines.Add("why", fmt::format("{} {}", step.workers, why));
  }
  return lines.Take();
}

}  // namespace twofold::client::text
