#include "client/pages.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "client/evidence.h"
#include "client/latencies.h"

namespace twofold::client {
namespace {

using Object = nlohmann::ordered_json;

constexpr double kBar = 0.4;                        // characters for 1 %
constexpr std::string_view kInterval = "interval";  // how its key ends

std::string Dump(const Object& object) {
  return object.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::string Text(const Object& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  // Also of what JSON cannot write: infinity.
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

std::string Rounded(double value) { return fmt::format("{:.6g}", value); }

// Facts as `key value` lines; what has nothing to say is left out.
std::string Lines(const Object& facts) {
  std::string text;
  const auto add = [&text](std::string_view key, const std::string& value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text), "{} {}\n", key, value);
  };
  for (const auto& [key, value] : facts.items()) {
    if (key.ends_with(kInterval)) {
      const std::string of = key.substr(0, key.size() - kInterval.size());
      add(of + "lower", Text(value[0]));
      add(of + "upper", Text(value[1]));
    } else if (key == "errors") {
      for (const auto& [error, count] : value.items()) {
        add("error", fmt::format("{} {}", count.get<std::uint64_t>(), error));
      }
    } else if (key == "nodes") {
      for (const Object& node : value) {
        const std::string run = node["run"].is_null() ? "-" : Text(node["run"]);
        add("node", fmt::format("{} {} {} {}", Text(node["workers"]), Text(node["jobs"]), run,
                                Text(node["node"])));
      }
    } else {
      add(key, Text(value));
    }
  }
  return text;
}

// What only an open loop has.
Object OpenFacts(const load::Snapshot& snapshot) {
  Object facts = Object::object();
  if (snapshot.rate) facts["rate"] = *snapshot.rate;
  if (!HasOpenLoop(snapshot)) return facts;
  facts["sent"] = snapshot.jobs.sent;
  facts["sent_late"] = snapshot.jobs.sent_late;
  return facts;
}

Object WindowFacts(const load::Snapshot& snapshot) {
  const stats::ThroughputEstimate& estimate = snapshot.estimate;
  Object facts = {{"throughput", estimate.throughput},
                  {"log_error", estimate.log_error},
                  {"df", estimate.degrees},
                  {"interval", Object::array({estimate.lower, estimate.upper})},
                  {"jobs", estimate.succeeded + estimate.failed},
                  {"succeeded", estimate.succeeded},
                  {"failed", estimate.failed},
                  {"rejected", snapshot.refused},
                  {"seconds", estimate.seconds},
                  {"parallelism", snapshot.parallelism},
                  {"pending", snapshot.pending},
                  {"interruptions", snapshot.interruptions},
                  {"steady", estimate.steady},
                  {"reason", estimate.reason},
                  {"errors", snapshot.errors}};
  facts.update(OpenFacts(snapshot));
  return facts;
}

Object Perhaps(const std::optional<double>& value) {
  return value ? Object(*value) : Object(nullptr);
}

// What jobs that have not ended hide is not known.
std::optional<Duration> KnownOf(const std::optional<stats::CensoredTimes::Bound>& bound) {
  return bound && !bound->at_least ? std::optional(bound->value) : std::nullopt;
}

/// Where the time of the window's jobs went, in the words of proto/twofold/v1/validation.proto.
Object WorkFacts(const load::Snapshot& snapshot) {
  const stats::StepEvidence evidence = EvidenceOf(snapshot, 1);
  const stats::CensoredTimes run{snapshot.times.run, {}};
  const stats::CensoredTimes& round_trip = snapshot.times.from_send;
  Object facts = {
      {"wait", Perhaps(evidence.wait)},
      {"run", Perhaps(evidence.run)},
      {"overhead", Perhaps(evidence.overhead)},
      {"run_p99", SecondsJson(KnownOf(run.Quantile(0.99)))},
      {"run_p99_interval", IntervalJson(run.IntervalOfQuantile(0.99))},
      {"round_trip_p99", SecondsJson(KnownOf(round_trip.Quantile(0.99)))},
      {"round_trip_p99_interval", IntervalJson(round_trip.IntervalOfQuantile(0.99))},
      {"spread", Perhaps(evidence.spread)},
      {"slowest", evidence.slowest},
      {"slowest_by", evidence.slowest.empty() ? Object(nullptr) : Object(evidence.slowest_by)}};
  facts["nodes"] = Object::array();
  for (const stats::NodeEvidence& node : evidence.nodes) {
    facts["nodes"].push_back({{"node", node.node},
                              {"workers", node.workers},
                              {"jobs", node.jobs},
                              {"run", Perhaps(node.run)}});
  }
  return facts;
}

// Where the profile is.
std::string StageText(const load::Snapshot& snapshot) {
  if (snapshot.load_over) return "over";
  if (!snapshot.stage) return "waits for the frontend";
  const auto& stages = snapshot.profile->stages;
  return fmt::format("stage {} of {}: {}", *snapshot.stage + 1, stages.size(),
                     stages[*snapshot.stage].name);
}

std::string StatsText(const load::Snapshot& snapshot) {
  std::string text;
  const auto line = [&text](std::string_view name, const auto& value) {
    fmt::format_to(std::back_inserter(text), "{:<15}{}\n", name, value);
  };
  const stats::ThroughputEstimate& estimate = snapshot.estimate;
  line("queue",
       fmt::format("{} at {}, {}", snapshot.queue, snapshot.frontend, Name(snapshot.link)));
  line("parallelism", snapshot.parallelism);
  if (snapshot.profile) line("profile", StageText(snapshot));
  if (snapshot.rate) line("rate", fmt::format("{:.6g} jobs/s", *snapshot.rate));
  line("pending", snapshot.pending);
  if (HasOpenLoop(snapshot)) {
    line("sent", fmt::format("{}, {} of them more than 10 ms late", snapshot.jobs.sent,
                             snapshot.jobs.sent_late));
  }
  line("held back", snapshot.held_back);
  line("failed", estimate.failed);
  line("succeeded", estimate.succeeded);
  line("rejected", snapshot.refused);
  line("seconds", fmt::format("{:.3f}", estimate.seconds));
  line("throughput",
       fmt::format("{:.6f} jobs/s ({})", estimate.throughput,
                   std::isinf(estimate.upper) ? kTooLittleSeen
                                              : fmt::format("95 % interval {:.6f} .. {:.6f}",
                                                            estimate.lower, estimate.upper)));
  line("steady", estimate.steady ? "yes" : "no: " + estimate.reason);
  line("interruptions", fmt::format("{} in this window, {} since the start", snapshot.interruptions,
                                    snapshot.totals.interruptions));
  if (snapshot.totals.unknown_answers > 0)
    line("ignored", fmt::format("{} answers to jobs that are not outstanding",
                                snapshot.totals.unknown_answers));
  return text + '\n' + LatenciesText(snapshot);
}

// ---- places

std::string NameOf(const load::PlaceGroup& group) {
  return group.name.empty() ? "(no worker)" : group.name;
}

std::string Counts(std::string_view title, const load::ErrorCounts::Map& counts) {
  std::string text = fmt::format("\n{}:{}\n", title, counts.empty() ? " none" : "");
  for (const auto& [what, count] : counts) {
    fmt::format_to(std::back_inserter(text), "{:>9}  {}\n", count, what);
  }
  return text;
}

// ---- the live page

Object StatsFacts(const load::Snapshot& snapshot) {
  Object stats = {{"queue", snapshot.queue},
                  {"frontend", snapshot.frontend},
                  {"connection", Name(snapshot.link)},
                  {"held_back", snapshot.held_back},
                  {"interruptions_since_start", snapshot.totals.interruptions},
                  {"unknown_answers", snapshot.totals.unknown_answers}};
  stats.update(WindowFacts(snapshot));
  stats["latency_seconds"] = LatenciesJson(snapshot);
  return stats;
}

Object PlaceFacts(const load::PlaceGroup& group, const char* what, std::uint64_t all) {
  return {{what, group.name},
          {"device", group.device},
          {"percent", 100.0 * static_cast<double>(group.jobs()) / static_cast<double>(all)},
          {"jobs", group.jobs()},
          {"succeeded", group.succeeded},
          {"failed", group.failed}};
}

std::uint64_t JobsOf(const std::vector<load::PlaceGroup>& groups) {
  std::uint64_t all = 0;
  for (const load::PlaceGroup& group : groups) all += group.jobs();
  return all;
}

// ---- steps

Object Interval(const stats::RatioInterval& interval) {
  return {{"lower", interval.lower},
          {"upper", interval.upper},
          {"verdict", stats::Name(interval.verdict)}};
}

Object Step(const stats::StepVerdict& step, Pods pods) {
  return {{"workers", step.workers},
          {"base_workers", step.base_workers},
          {"repeats", step.repeats},
          {"throughput", step.throughput},
          {"ratio", step.ratio},
          {"least", step.limit},
          {"these_pods", Interval(step.these_pods)},
          {"any_pods", Interval(step.any_pods)},
          {"verdict", stats::Name(step.Of(pods).verdict)},
          {"why", twofold::WhyUndecided(step, pods)},
          {"left_out_seconds", step.cut},
          {"left_out", LeftOut(step)},
          {"repeats_needed", step.repeats_needed}};
}

Object RatioFacts(const stats::StepVerdict& step, Pods pods) {
  const stats::RatioInterval& chosen = step.Of(pods);
  return {{"ratio", Rounded(step.ratio)},
          {"ratio_lower", Rounded(chosen.lower)},
          {"ratio_upper", Rounded(chosen.upper)},
          {"least", Rounded(step.limit)},
          {"these_lower", Rounded(step.these_pods.lower)},
          {"these_upper", Rounded(step.these_pods.upper)},
          {"any_lower", Rounded(step.any_pods.lower)},
          {"any_upper", Rounded(step.any_pods.upper)},
          {"left_out", LeftOut(step)}};
}

/// Whether only new pods would decide it: that workers differ is what keeps it open.
bool HelpsWithMorePods(const stats::StepVerdict& step, Pods pods) {
  return step.Of(pods).verdict == stats::Verdict::kUndecided &&
         step.doubt == stats::Doubt::kWorkers && step.repeats_needed > 0;
}

/// Empty: the step is done, or more time does not help.
Object ExpectedFacts(const stats::StepLook& look) {
  Object facts = Object::object();
  if (!look.expected || look.done) return facts;
  facts["expected_seconds"] = look.expected->seconds - look.record.window.seconds;
  if (look.verdict && look.expected->lower > 0.0) {
    facts["expected_lower"] = look.expected->lower;
    facts["expected_upper"] = look.expected->upper;
  }
  return facts;
}

std::string StepLines(const stats::StepVerdict& step, Pods pods) {
  const stats::RatioInterval& chosen = step.Of(pods);
  const std::string why = twofold::WhyUndecided(step, pods);
  return Lines(
      {{"step", fmt::format("{} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {} {}", step.workers,
                            step.throughput, step.ratio, chosen.lower, chosen.upper, step.limit,
                            stats::Name(chosen.verdict), step.repeats_needed)},
       {"why", why.empty() ? "" : fmt::format("{} {}", step.workers, why)},
       {"more_pods_help", HelpsWithMorePods(step, pods) ? std::to_string(step.workers) : ""}});
}

}  // namespace

Page SinglePage(std::string title, const std::variant<std::uint64_t, double, std::string>& result,
                std::string_view info) {
  const auto* const number = std::get_if<double>(&result);
  const Object value = std::visit([](const auto& of) { return Object(of); }, result);
  return {std::move(title), (number != nullptr ? fmt::format("{:f}", *number) : Text(value)) + "\n",
          Dump({{"result", value}, {"info", info}})};
}

Page StatsPage(const load::Snapshot& snapshot) {
  return {"Statistics", StatsText(snapshot), Dump(StatsFacts(snapshot)), Forms(snapshot)};
}

std::string EventData(const load::Snapshot& snapshot, Instant now) {
  std::vector<load::PlaceGroup> nodes = GroupPlaces(snapshot.places, load::By::kNode);
  const std::uint64_t all = JobsOf(nodes);
  std::ranges::stable_sort(nodes, std::greater(), &load::PlaceGroup::jobs);
  Object event = StatsFacts(snapshot);
  event["clock_seconds"] = ToSeconds(now.time_since_epoch());
  if (snapshot.profile) event["profile"] = StageText(snapshot);
  event["nodes"] = Object::array();
  const std::size_t shown = std::min(nodes.size(), kMostEventNodes);
  for (std::size_t i = 0; i < shown; ++i) {
    event["nodes"].push_back(PlaceFacts(nodes[i], "node", all));
  }
  event["nodes_left_out"] = nodes.size() - shown;
  return event.dump(-1, ' ', false, Object::error_handler_t::replace);
}

Page PlacesPage(const load::Snapshot& snapshot, load::By by) {
  const char* const what = by == load::By::kNode ? "node" : "pod";
  const std::vector<load::PlaceGroup> groups = load::GroupPlaces(snapshot.places, by);
  const std::uint64_t all = JobsOf(groups);
  std::string text = fmt::format("jobs by {} and device:{}\n", what, groups.empty() ? " none" : "");
  Object list = Object::array();
  load::ErrorCounts::Map failures;
  for (const load::PlaceGroup& group : groups) {
    const double percent = 100.0 * static_cast<double>(group.jobs()) / static_cast<double>(all);
    const std::string bar(static_cast<std::size_t>(std::lround(percent * kBar)), '#');
    fmt::format_to(std::back_inserter(text), "{:5.1f} % {:<40} {:>9}  {}{}{}\n", percent, bar,
                   group.jobs(), NameOf(group), group.device.empty() ? "" : "  ", group.device);
    list.push_back(PlaceFacts(group, what, all));
    if (group.failed > 0) failures[NameOf(group)] += group.failed;
  }
  text += Counts(fmt::format("failures by {}", what), failures);
  return {by == load::By::kNode ? "Nodes" : "Pods", text + Counts("errors", snapshot.errors),
          Dump({{"jobs", all}, {"places", list}, {"errors", snapshot.errors}})};
}

Page WindowPage(const load::Snapshot& snapshot) {
  Object facts = WindowFacts(snapshot);
  facts.update(WorkFacts(snapshot));
  return {"Window", Lines(facts), Dump(facts)};
}

Page ProfilePage(const load::Snapshot& snapshot) {
  Object facts = {{"running", snapshot.profile != nullptr && !snapshot.load_over}};
  if (snapshot.profile) {
    const load::Profile& profile = *snapshot.profile;
    const bool ends = profile.seconds() < load::kForever;
    facts.update({{"at_seconds", ToSeconds(snapshot.load_time)},
                  {"of_seconds", ends ? Object(profile.seconds()) : Object(nullptr)},
                  {"stage", snapshot.stage ? Object(*snapshot.stage + 1) : Object(nullptr)},
                  {"stages", profile.stages.size()},
                  {"what", StageText(snapshot)},
                  {"rate", snapshot.rate ? Object(*snapshot.rate) : Object(nullptr)},
                  {"arrivals", Name(profile.arrivals)},
                  {"seed", profile.seed}});
  }
  const std::string plain = Lines(facts);
  facts["profile"] = snapshot.profile ? Object(snapshot.profile->text) : Object(nullptr);
  return {"Profile", plain, Dump(facts)};
}

Page ComparisonPage(const stats::Comparison& comparison) {
  const Object facts = {{"ratio", comparison.ratio},
                        {"lower", comparison.lower},
                        {"upper", comparison.upper},
                        {"verdict", stats::Name(comparison.verdict)},
                        {"more_seconds", comparison.more_seconds},
                        {"more_seconds_each", comparison.more_seconds_each}};
  return {"Comparison", Lines(facts), Dump(facts)};
}

Page LookPage(const load::Snapshot& snapshot, const stats::StepLook& look, Pods pods) {
  const double next_seconds = look.done ? 0.0 : look.look.next_seconds;
  const std::string_view verdict = VerdictOf(look, pods);
  const std::string why = WhyUndecided(look, snapshot.estimate.reason, pods);
  const std::string record = RecordText(look.record);
  const std::string evidence = EvidenceText(EvidenceOf(snapshot, look.record.workers));
  Object window = WindowFacts(snapshot);
  window.update(WorkFacts(snapshot));
  Object plain = {
      {"done", look.done}, {"next_seconds", Rounded(next_seconds)}, {"verdict", verdict}};
  if (look.verdict) plain.update(RatioFacts(*look.verdict, pods));
  const Object expected = ExpectedFacts(look);
  plain.update(expected);
  plain.update({{"why", why}, {"record", record}, {"evidence", evidence}});
  return {"Look", Lines(plain) + Lines(window),
          Dump({{"done", look.done},
                {"next_seconds", next_seconds},
                {"verdict", verdict},
                {"why", why},
                {"step", look.verdict ? Step(*look.verdict, pods) : Object(nullptr)},
                {"expected", expected.empty() ? Object(nullptr) : expected},
                {"record", record},
                {"evidence", evidence},
                {"window", window}})};
}

Page ScalingPage(std::span<const stats::StepRecord> records, const Judging& judging) {
  const stats::ScalingVerdict scaling = stats::JudgeScaling(records, judging.scale);
  const ScalingFound found = FoundOf(records, scaling, judging);
  const double spread = SpreadShare(scaling.spread);
  Object facts = {{"verdict", stats::Name(VerdictOf(CauseOf(found)))},
                  {"spread", Rounded(spread)},
                  {"spread_df", scaling.spread.degrees}};
  std::string plain = Lines(facts);
  Object steps = Object::array();
  for (const stats::StepVerdict& step : scaling.steps) {
    plain += StepLines(step, judging.pods);
    steps.push_back(Step(step, judging.pods));
  }
  const std::string headline = HeadlineOf(found);
  facts["spread"] = spread;
  facts["steps"] = steps;
  facts["headline"] = headline;
  return {"Verdict", plain + Lines({{"headline", headline}}), Dump(facts)};
}

Page ExplanationPage(const stats::Explanation& explanation) {
  const Object facts = {{"cause", stats::Name(explanation.cause)},
                        {"base_workers", explanation.base_workers},
                        {"workers", explanation.workers},
                        {"why", explanation.text}};
  return {"Why", Lines(facts), Dump(facts)};
}

}  // namespace twofold::client
