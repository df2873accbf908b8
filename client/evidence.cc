#include "client/evidence.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <optional>

#include "client/limits.h"
#include "client/steps.h"
#include "lib/common/printable.h"

namespace twofold::client {
namespace {

using stats::NodeEvidence;
using stats::StepEvidence;

constexpr std::size_t kMostNodes = 8;
constexpr std::size_t kMostNameBytes = 63;
constexpr std::size_t kMostShown = 80;  // bytes of a bad field in the error
constexpr std::string_view kUnknown = "-";

/// A number of the text; an absent one is "-".
struct NumberField {
  Limits limits;
  std::optional<double> (*get)(const StepEvidence&);
  void (*set)(StepEvidence&, double);
};

template <auto kMember>
constexpr NumberField Known(const Limits& limits) {
  return {limits,
          [](const StepEvidence& of) { return std::optional(static_cast<double>(of.*kMember)); },
          [](StepEvidence& of, double value) {
            of.*kMember = static_cast<std::remove_reference_t<decltype(of.*kMember)>>(value);
          }};
}

template <double stats::Rate::*kMember>
constexpr NumberField OfRate(const Limits& limits) {
  return {limits, [](const StepEvidence& of) { return std::optional(of.rate.*kMember); },
          [](StepEvidence& of, double value) { of.rate.*kMember = value; }};
}

template <std::optional<double> StepEvidence::*kMember>
constexpr NumberField Perhaps(const Limits& limits) {
  return {limits, [](const StepEvidence& of) { return of.*kMember; },
          [](StepEvidence& of, double value) { of.*kMember = value; }};
}

constexpr std::array kNumbers = {
    Perhaps<&StepEvidence::cpu>(kCpu),          Perhaps<&StepEvidence::throttled>(kThrottled),
    Known<&StepEvidence::workers>(kWorkers),    OfRate<&stats::Rate::throughput>(kThroughput),
    OfRate<&stats::Rate::log_error>(kLogError), OfRate<&stats::Rate::degrees>(kDegrees),
    OfRate<&stats::Rate::seconds>(kSeconds),    Known<&StepEvidence::jobs>(kJobs),
    Known<&StepEvidence::failed>(kFailed),      Perhaps<&StepEvidence::wait>(kWait),
    Perhaps<&StepEvidence::run>(kRun),          Perhaps<&StepEvidence::overhead>(kOverhead),
    Perhaps<&StepEvidence::spread>(kSpread),    Known<&StepEvidence::slowest_by>(kSlowestBy),
};
constexpr std::size_t kFieldCount = kNumbers.size() + 2;  // and `slowest`, `nodes`

// ---- writing

std::string NumberText(const std::optional<double>& value) {
  if (!value) return std::string(kUnknown);
  std::string text = fmt::format("{:.6g}", *value);
  std::erase(text, '+');  // a blank in a URL, and not needed
  return text;
}

std::string NameText(std::string_view name) {
  std::string text(name.substr(0, kMostNameBytes));
  for (char& c : text) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return text.empty() ? std::string(kUnknown) : text;
}

/// The first and the last ones by their mean run time say most.
std::vector<NodeEvidence> Extremes(std::vector<NodeEvidence> nodes) {
  if (nodes.size() <= kMostNodes) return nodes;
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeEvidence& one, const NodeEvidence& other) { return one.run < other.run; });
  nodes.erase(nodes.begin() + kMostNodes / 2, nodes.end() - kMostNodes / 2);
  return nodes;
}

std::string NodesText(const StepEvidence& evidence) {
  std::vector<std::string> texts;
  for (const NodeEvidence& node : Extremes(evidence.nodes)) {
    texts.push_back(absl::StrCat(NameText(node.node), "!", node.workers, "!", node.jobs, "!",
                                 NumberText(node.run)));
  }
  return texts.empty() ? std::string(kUnknown) : absl::StrJoin(texts, "~");
}

// ---- reading

Status BadValue(std::string_view name, const std::string& value, const std::string& allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "evidence: ", std::string(name), " '", Printable(value, kMostShown), "' is not ", allowed));
}

Result<std::optional<double>> ParseNumber(const std::string& text, const Limits& limits) {
  if (text == kUnknown) return std::optional<double>();
  const std::optional<double> value = NumberWithin(limits, text);
  if (value) return value;
  return BadValue(limits.name, text, Allowed(limits) + " or -");
}

Result<NodeEvidence> ParseNode(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '!');
  if (parts.size() != 4) return BadValue("nodes", text, "NODE!WORKERS!JOBS!RUN");
  NodeEvidence node{.node = parts[0]};
  const auto workers = ParseNumber(parts[1], kNodeWorkers);
  const auto jobs = ParseNumber(parts[2], kNodeJobs);
  const auto run = ParseNumber(parts[3], kNodeRun);
  for (const auto* number : {&workers, &jobs, &run}) {
    if (!number->ok()) return number->status();
  }
  node.workers = static_cast<std::uint32_t>(workers->value_or(0));
  node.jobs = static_cast<std::uint64_t>(jobs->value_or(0));
  node.run = *run;
  return node;
}

Result<StepEvidence> ParseStep(const std::string& text) {
  const std::vector<std::string> fields = absl::StrSplit(text, ':');
  if (fields.size() != kFieldCount) {
    return BadValue("step", text, absl::StrCat(kFieldCount, " fields with ':' between"));
  }
  StepEvidence step;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    const NumberField& field = kNumbers[i];
    const auto value = ParseNumber(fields[i], field.limits);
    if (!value.ok()) return value.status();
    if (*value) field.set(step, **value);
  }
  if (fields[kNumbers.size()] != kUnknown) step.slowest = fields[kNumbers.size()];
  if (fields.back() == kUnknown) return step;
  const std::vector<std::string> nodes = absl::StrSplit(fields.back(), '~');
  for (const std::string& node : nodes) {
    auto parsed = ParseNode(node);
    if (!parsed.ok()) return parsed.status();
    step.nodes.push_back(*std::move(parsed));
  }
  return step;
}

std::optional<double> MeanOf(const stats::Histogram& times) {
  const std::optional<Duration> mean = times.Mean();
  return mean ? std::optional(ToSeconds(*mean)) : std::nullopt;
}

std::vector<NodeEvidence> NodesOf(const load::Snapshot& snapshot) {
  std::vector<NodeEvidence> nodes;
  for (const load::PlaceGroup& group : GroupPlaces(snapshot.places, load::By::kWholeNode)) {
    if (group.name.empty()) continue;
    const bool ran = group.runs.count() > 0;
    nodes.push_back({group.name, group.workers, group.jobs(),
                     ran ? std::optional(group.runs.mean()) : std::nullopt});
  }
  return nodes;
}

void SetSlowest(const load::Snapshot& snapshot, StepEvidence& evidence) {
  std::vector<stats::Moments> workers;
  for (const load::Place& place : snapshot.places) workers.push_back(place.times);
  const auto slowest = stats::SlowestWorker(workers);
  if (!slowest) return;
  const load::Place& place = snapshot.places[slowest->worker];
  evidence.slowest = place.pod.empty() ? place.node : place.pod;
  evidence.slowest_by = slowest->by;
}

}  // namespace

StepEvidence EvidenceOf(const load::Snapshot& snapshot, std::uint32_t workers) {
  const stats::ThroughputEstimate& estimate = snapshot.estimate;
  StepEvidence evidence{
      .workers = workers,
      .rate = {estimate.throughput, estimate.log_error, estimate.degrees, estimate.seconds},
      .jobs = estimate.succeeded + estimate.failed,
      .failed = estimate.failed,
      .wait = MeanOf(snapshot.times.wait),
      .run = MeanOf(snapshot.times.run),
      .overhead = MeanOf(snapshot.times.overhead),
      .nodes = NodesOf(snapshot)};
  if (snapshot.spread.degrees > 0.0) evidence.spread = SpreadShare(snapshot.spread);
  SetSlowest(snapshot, evidence);
  return evidence;
}

std::string EvidenceText(const StepEvidence& evidence) {
  std::vector<std::string> fields;
  for (const NumberField& field : kNumbers) fields.push_back(NumberText(field.get(evidence)));
  fields.push_back(NameText(evidence.slowest));
  fields.push_back(NodesText(evidence));
  return absl::StrJoin(fields, ":");
}

Result<std::vector<StepEvidence>> ParseEvidence(std::string_view text) {
  std::vector<StepEvidence> steps;
  const std::vector<std::string> texts = absl::StrSplit(std::string(text), ',');
  for (const std::string& one : texts) {
    auto step = ParseStep(one);
    if (!step.ok()) return step.status();
    steps.push_back(*std::move(step));
  }
  return steps;
}

}  // namespace twofold::client
