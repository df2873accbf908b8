#include "lib/runs/json.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "lib/rpc/limits.h"

namespace twofold::runs {
namespace {

Json Seconds(std::int64_t unix_ns) {
  if (unix_ns == 0) return nullptr;
  return static_cast<double>(unix_ns) * 1e-9;
}

Json CountsJson(const v1::RunCounts& counts) {
  return {
      {"planned", counts.planned()},
      {"waiting", counts.waiting()},
      {"running", counts.running()},
      {"ended", std::map<std::string, std::uint64_t>(counts.ended().begin(), counts.ended().end())},
      {"submitted_again", counts.submitted_again()}};
}

Json MetricJson(const v1::MetricResult& metric) {
  Json json = {{"name", metric.name()},
               {"unit", metric.unit()},
               {"better", Word(metric.better())},
               {"dimensions", ToJson(metric.dimensions())},
               {"n", metric.n()},
               {"mean", metric.mean()},
               {"median", metric.median()},
               {"least", metric.least()},
               {"most", metric.most()}};
  const bool known = metric.n() > 1;
  for (const v1::FoundAt& each : metric.at()) {
    json["at"].push_back({{"place", ToJson(each.place())}, {"n", each.n()}});
  }
  json["sd"] = known ? Json(metric.sd()) : Json();
  json["cv"] = known ? Json(metric.cv()) : Json();
  json["lower"] = known ? Json(metric.mean() - metric.half_width()) : Json();
  json["upper"] = known ? Json(metric.mean() + metric.half_width()) : Json();
  return json;
}

Json MeasurementJson(const v1::Measurement& one) {
  Json json = {{"name", one.name()},         {"value", one.value()},
               {"unit", one.unit()},         {"better", Word(one.better())},
               {"headline", one.headline()}, {"dimensions", ToJson(one.dimensions())}};
  if (!one.at().empty()) json["at"] = ToJson(one.at());
  return json;
}

/// How many lists and maps are inside each other, if it is JSON.
std::size_t DepthOf(std::string_view text) {
  std::size_t depth = 0;
  std::size_t most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      most = std::max(most, ++depth);
    } else if (!quoted && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return most;
}

}  // namespace

std::string Word(const v1::JobResult& job) {
  const bool has_ended =
      job.state() != v1::JOB_STATE_WAITING && job.state() != v1::JOB_STATE_RUNNING;
  if (!has_ended) return Word(job.state());
  return job.outcome() == v1::OUTCOME_UNSPECIFIED ? "unknown" : Word(job.outcome());
}

std::string LabelOf(const v1::Run& run, const std::string& name) {
  const auto label = run.labels().find(name);
  return label == run.labels().end() ? "" : label->second;
}

Json Parsed(const std::string& text) {
  if (DepthOf(text) > rpc::kMaxVariedDepth) return nullptr;
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

Json ToJson(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  Json json = Json::object();
  for (const v1::Dimension& each : dimensions) json[each.name()] = each.value();
  return json;
}

Json ToJson(const v1::Run& run) {
  Json json = {
      {"id", run.id()},
      {"name", run.name()},
      {"kind", run.kind()},
      {"state", StateOf(run)},
      {"labels", std::map<std::string, std::string>(run.labels().begin(), run.labels().end())},
      {"jobs", run.jobs()},
      {"created_unix_seconds", Seconds(run.created_unix_ns())},
      {"ended_unix_seconds", Seconds(run.ended_unix_ns())},
      {"counts", CountsJson(run.counts())}};
  if (!run.definition().empty()) json["definition"] = run.definition();
  return json;
}

Json ToJson(const v1::JobResult& job) {
  Json measurements = Json::array();
  for (const v1::Measurement& each : job.measurements())
    measurements.push_back(MeasurementJson(each));
  const v1::RunPlace& place = job.place();
  return {{"job", std::to_string(job.id())},
          {"name", place.name()},
          {"number", place.number()},
          {"repetition", place.repetition()},
          {"warm_up", place.warm_up()},
          {"outcome", Word(job)},
          {"run_seconds", static_cast<double>(job.run_ns()) * 1e-9},
          {"submitted_again_as",
           job.submitted_again_as() == 0 ? "" : std::to_string(job.submitted_again_as())},
          {"measurements", measurements}};
}

Json ToJson(const v1::PermutationResult& result) {
  Json headlines = Json::array();
  for (const v1::MetricResult& each : result.headlines()) headlines.push_back(MetricJson(each));
  Json json = {{"permutation", result.number()},  {"varied", Parsed(result.varied())},
               {"succeeded", result.succeeded()}, {"failed", result.failed()},
               {"withdrawn", result.withdrawn()}, {"unfinished", result.unfinished()},
               {"warm_ups", result.warm_ups()},   {"headlines", headlines}};
  if (result.jobs().empty()) return json;
  json["jobs"] = Json::array();
  for (const v1::JobResult& each : result.jobs()) json["jobs"].push_back(ToJson(each));
  return json;
}

}  // namespace twofold::runs
