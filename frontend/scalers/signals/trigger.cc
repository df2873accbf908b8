#include "frontend/scalers/signals/trigger.h"

#include <absl/strings/numbers.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "frontend/scalers/signals/history.h"
#include "lib/common/match.h"

namespace twofold::scalers {
namespace {

/// Of what no rate can be divided by, there is no end.
double Quotient(double amount, double rate) {
  if (amount == 0) return 0;
  return rate > 0 ? amount / rate : std::numeric_limits<double>::infinity();
}

double Drain(const Trigger&, const Reading& reading) {
  const Counts& now = reading.now;
  const std::uint64_t may_run = now.waiting - std::min(now.waiting, now.held_back);
  return Quotient(static_cast<double>(may_run), reading.flow->ends);
}

/// Arrivals by mean run time is how many jobs run at once in the long run. The mean run time comes
/// of the same law: jobs at once by ends (J. Little, 1961).
double WantedByRate(const Trigger& trigger, const Reading& reading) {
  const Flow& flow = *reading.flow;
  return Quotient(flow.arrivals * flow.running, flow.ends) / trigger.utilisation;
}

constexpr std::array kMetrics = {
    Metric{"wanted", "", false,
           [](auto&, auto& reading) { return static_cast<double>(reading.now.wanted_workers); }},
    Metric{"waiting", "", false,
           [](auto&, auto& reading) { return static_cast<double>(reading.now.waiting); }},
    Metric{"running", "", false,
           [](auto&, auto& reading) { return static_cast<double>(reading.now.running); }},
    Metric{"oldest_seconds", "seconds that a job may wait", false,
           [](auto&, auto& reading) { return ToSeconds(reading.now.oldest_waiting); }},
    Metric{"arrivals_per_second", "jobs a second that one pod does", true,
           [](auto&, auto& reading) { return reading.flow->arrivals; }},
    Metric{"drain_seconds", "seconds that the jobs which wait may take", true, Drain},
    Metric{"wanted_by_rate", "", true, WantedByRate},
};

// ---- Metadata

constexpr std::array<std::string_view, 6> kFields = {"queue",      "metric",      "target",
                                                     "activation", "utilisation", "window"};

Status Wrong(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{} {}", field, why));
}

std::string Quoted(std::string_view text) { return fmt::format("'{}'", text.substr(0, 80)); }

/// nullptr: it is not there.
const std::string* Find(const Metadata& metadata, std::string_view field) {
  auto found = metadata.find(field);
  if (found == metadata.end()) found = metadata.find(fmt::format("{}FromEnv", field));
  return found == metadata.end() ? nullptr : &found->second;
}

/// A field that is mistyped would be left out in silence.
Status CheckFields(const Metadata& metadata) {
  for (const auto& [given, value] : metadata) {
    std::string_view field = given;
    if (field.ends_with("FromEnv")) field.remove_suffix(7);
    if (std::find(kFields.begin(), kFields.end(), field) != kFields.end()) continue;
    const std::string_view meant = Nearest(field, kFields);
    if (!meant.empty()) return Wrong(Quoted(given), "is not known" + Hint(field, kFields));
  }
  return absl::OkStatus();
}

struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool is_above = false;  ///< the least itself is too little
  std::string_view words;
};

Status ReadNumber(const Metadata& metadata, std::string_view field, const Range& range,
                  double& number) {
  const std::string* const text = Find(metadata, field);
  if (text == nullptr) return absl::OkStatus();
  double read = 0;
  const bool fits = absl::SimpleAtod(*text, &read) && std::isfinite(read) && read >= range.least &&
                    read <= range.most && !(range.is_above && read == range.least);
  if (!fits)
    return Wrong(field, fmt::format("is {}, and has to be {}", Quoted(*text), range.words));
  number = read;
  return absl::OkStatus();
}

Status ReadMetric(const Metadata& metadata, Trigger& trigger) {
  trigger.metric = kMetrics.data();
  const std::string* const name = Find(metadata, "metric");
  if (name == nullptr) return absl::OkStatus();
  trigger.metric = std::find_if(kMetrics.begin(), kMetrics.end(),
                                [&](const Metric& metric) { return metric.name == *name; });
  if (trigger.metric != kMetrics.end()) return absl::OkStatus();
  std::array<std::string_view, kMetrics.size()> names;
  std::transform(kMetrics.begin(), kMetrics.end(), names.begin(),
                 [](const Metric& metric) { return metric.name; });
  return Wrong("metric", fmt::format("is {}, which is none{}", Quoted(*name), Hint(*name, names)));
}

Status ReadTarget(const Metadata& metadata, Trigger& trigger) {
  const Metric& metric = *trigger.metric;
  if (!metric.unit.empty() && Find(metadata, "target") == nullptr) {
    return Wrong("target",
                 fmt::format("is missing: {} needs one, the {}", metric.name, metric.unit));
  }
  return ReadNumber(metadata, "target",
                    {.is_above = true, .words = "a number above 0, such as \"1\""}, trigger.target);
}

Status ReadWindow(const Metadata& metadata, Trigger& trigger) {
  double seconds = ToSeconds(trigger.window);
  const double least = ToSeconds(History::kShortest);
  const double most = ToSeconds(History::kLongestWindow);
  const std::string words = fmt::format("{} to {} seconds, such as \"{}\"", least, most, seconds);
  const Range range{.least = least, .most = most, .words = words};
  if (Status status = ReadNumber(metadata, "window", range, seconds); !status.ok()) return status;
  trigger.window = FromSeconds(seconds);
  return absl::OkStatus();
}

Status ReadAll(const Metadata& metadata, Trigger& trigger) {
  if (Status status = CheckFields(metadata); !status.ok()) return status;
  const std::string* const queue = Find(metadata, "queue");
  if (queue == nullptr || queue->empty()) {
    return Wrong("queue", "is missing: name one of the frontend's queues, such as queue: sleep");
  }
  trigger.queue = *queue;
  if (Status status = ReadMetric(metadata, trigger); !status.ok()) return status;
  if (Status status = ReadTarget(metadata, trigger); !status.ok()) return status;
  Status status = ReadNumber(metadata, "activation", {.words = "a number from 0 on, such as \"0\""},
                             trigger.activation);
  if (!status.ok()) return status;
  status = ReadNumber(
      metadata, "utilisation",
      {.most = 1, .is_above = true, .words = "a share above 0, 1 at most, such as \"0.8\""},
      trigger.utilisation);
  if (!status.ok()) return status;
  return ReadWindow(metadata, trigger);
}

}  // namespace

std::span<const Metric> Metrics() { return kMetrics; }

Result<Trigger> ReadTrigger(const Metadata& metadata) {
  Trigger trigger;
  if (Status status = ReadAll(metadata, trigger); !status.ok()) return status;
  return trigger;
}

std::string MetricName(const Trigger& trigger) {
  std::string name = fmt::format("{}-{}", trigger.queue, trigger.metric->name);
  std::replace(name.begin(), name.end(), '/',
               '-');  // of a shard; names of metrics are parts of paths
  return name;
}

namespace {

Status NotKnown(const Trigger& trigger, std::string_view why) {
  return absl::UnavailableError(
      fmt::format("{} of queue {} is not known: {}", trigger.metric->name, trigger.queue, why));
}

Status CheckFlow(const Trigger& trigger, const Reading& reading) {
  if (!trigger.metric->needs_flow || reading.flow.has_value()) return absl::OkStatus();
  return NotKnown(trigger, fmt::format("it has to be watched for {} s before there are rates",
                                       ToSeconds(History::kShortest)));
}

}  // namespace

Result<double> ValueOf(const Trigger& trigger, const Reading& reading) {
  if (Status status = CheckFlow(trigger, reading); !status.ok()) return status;
  const double value = trigger.metric->value(trigger, reading);
  if (std::isfinite(value)) return value;
  return NotKnown(trigger,
                  fmt::format("no job has ended in the last {} s", ToSeconds(trigger.window)));
}

Result<bool> IsActive(const Trigger& trigger, const Reading& reading) {
  if (reading.now.running > 0) return true;
  if (Status status = CheckFlow(trigger, reading); !status.ok()) return status;
  return trigger.metric->value(trigger, reading) > trigger.activation;
}

}  // namespace twofold::scalers
