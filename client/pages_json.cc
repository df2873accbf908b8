#include <nlohmann/json.hpp>

#include "client/pages.h"

namespace twofold::client::json {
namespace {

using Object = nlohmann::ordered_json;

std::string Dump(const Object& object) {
  return object.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

template <typename Result>
std::string SingleOf(const Result& result, std::string_view info) {
  return Dump(Object{{"result", result}, {"info", info}});
}

Object Seconds(const std::optional<Duration>& duration) {
  return duration ? Object(ToSeconds(*duration)) : Object(nullptr);
}

Object Latency(const LatencySummary& times) {
  return {{"max", Seconds(times.max)},   {"avg", Seconds(times.avg)}, {"min", Seconds(times.min)},
          {"p50", Seconds(times.p50)},   {"p90", Seconds(times.p90)}, {"p99", Seconds(times.p99)},
          {"p99.9", Seconds(times.p999)}};
}

Object Latencies(const Snapshot& snapshot) {
  const auto of = [&](Part part) {
    return Latency(snapshot.latencies[static_cast<std::size_t>(part)]);
  };
  return {{"wait", of(Part::kWait)},
          {"run_time", of(Part::kRun)},
          {"overhead", of(Part::kOverhead)},
          {"round_trip", of(Part::kRoundTrip)},
          {"clamped_overheads", snapshot.clamped_overheads}};
}

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
          {"verdict", stats::Name(Chosen(step, pods).verdict)},
          {"why", WhyUndecided(step, pods)},
          {"repeats_needed", step.repeats_needed}};
}

}  // namespace

Object WindowFacts(const Snapshot& snapshot) {
  const stats::ThroughputEstimate& estimate = snapshot.estimate;
  return {{"throughput", estimate.throughput},
          {"log_error", estimate.log_error},
          {"df", estimate.degrees},
          {"interval", Object::array({estimate.lower, estimate.upper})},
          {"jobs", estimate.succeeded + estimate.failed},
          {"succeeded", estimate.succeeded},
          {"failed", estimate.failed},
          {"rejected", snapshot.rejected},
          {"seconds", estimate.seconds},
          {"parallelism", snapshot.parallelism},
          {"pending", snapshot.pending},
          {"interruptions", snapshot.interruptions},
          {"steady", estimate.steady},
          {"reason", estimate.reason},
          {"errors", snapshot.errors}};
}

std::string Single(std::uint64_t result, std::string_view info) { return SingleOf(result, info); }
std::string Single(double result, std::string_view info) { return SingleOf(result, info); }
std::string Single(std::string_view result, std::string_view info) {
  return SingleOf(result, info);
}

std::string Window(const Snapshot& snapshot) { return Dump(WindowFacts(snapshot)); }

std::string Stats(const Snapshot& snapshot) {
  Object stats = {{"queue", snapshot.queue},
                  {"frontend", snapshot.frontend},
                  {"connection", Name(snapshot.link)},
                  {"held_back", snapshot.held_back},
                  {"interruptions_since_start", snapshot.all_interruptions},
                  {"unknown_answers", snapshot.unknown_answers}};
  stats.update(WindowFacts(snapshot));
  stats["latency_seconds"] = Latencies(snapshot);
  return Dump(stats);
}

std::string Places(const Snapshot& snapshot, By by) {
  const char* what = by == By::kNode ? "node" : "pod";
  const std::vector<PlaceGroup> groups = GroupPlaces(snapshot.places, by);
  std::uint64_t all = 0;
  for (const PlaceGroup& group : groups) all += group.jobs();
  Object list = Object::array();
  for (const PlaceGroup& group : groups) {
    list.push_back(
        {{what, group.name},
         {"device", group.device},
         {"percent", 100.0 * static_cast<double>(group.jobs()) / static_cast<double>(all)},
         {"jobs", group.jobs()},
         {"succeeded", group.succeeded},
         {"failed", group.failed}});
  }
  return Dump({{"jobs", all}, {"places", list}, {"errors", snapshot.errors}});
}

Object ComparisonFacts(const stats::Comparison& comparison) {
  return {{"ratio", comparison.ratio},
          {"lower", comparison.lower},
          {"upper", comparison.upper},
          {"verdict", stats::Name(comparison.verdict)},
          {"more_seconds", comparison.more_seconds},
          {"more_seconds_each", comparison.more_seconds_each}};
}

std::string Comparison(const stats::Comparison& comparison) {
  return Dump(ComparisonFacts(comparison));
}

std::string Look(const Snapshot& snapshot, const stats::StepLook& look, Pods pods) {
  return Dump({{"done", look.done},
               {"next_seconds", look.done ? 0.0 : look.look.next_seconds},
               {"verdict", VerdictOf(look, pods)},
               {"why", WhyUndecided(look, snapshot.estimate.reason, pods)},
               {"step", look.verdict ? Step(*look.verdict, pods) : Object(nullptr)},
               {"record", RecordText(look.record)},
               {"window", WindowFacts(snapshot)}});
}

std::string Scaling(const stats::ScalingVerdict& scaling, Pods pods) {
  Object steps = Object::array();
  for (const stats::StepVerdict& step : scaling.steps) steps.push_back(Step(step, pods));
  return Dump({{"verdict", VerdictOf(scaling, pods)},
               {"spread", SpreadShare(scaling.spread)},
               {"spread_df", scaling.spread.degrees},
               {"steps", steps}});
}

}  // namespace twofold::client::json
