#include "frontend/scalers/metric_answers.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "kubernetes/aggregated/answers.h"
#include "kubernetes/aggregated/label_selector.h"
#include "lib/common/match.h"

namespace twofold::scalers {
namespace {

using aggregated::Asked;
using aggregated::Labels;
using aggregated::LabelSelector;
using aggregated::Requirement;
using kube::Json;

constexpr std::string_view kPrefix = "twofold_";
constexpr std::string_view kQueue = "queue";
/// Labels that say how a metric is made, and match everything.
constexpr std::array<std::string_view, 2> kParameters = {"utilisation", "window"};
constexpr std::array<std::string_view, 3> kLabels = {kQueue, kParameters[0], kParameters[1]};

constexpr const char* kVersion1 = "v1beta1";
constexpr const char* kVersion2 = "v1beta2";

std::string Quoted(const std::string& text) { return absl::StrCat("'", text.substr(0, 80), "'"); }

std::string NameOf(const Metric& metric) { return std::string(kPrefix).append(metric.name); }

// ---- What is asked for

/// A metric of some queues.
struct Wanted {
  std::string metric;
  Metadata parameters;
  std::vector<std::string> queues;
};

/// A number of a queue.
struct Number {
  Labels labels;
  const Metric* metric;
  Duration window;
  double value;
  Duration age;
};

Status CheckMetric(const std::string& name) {
  std::vector<std::string> names;
  for (const Metric& each : Metrics()) names.push_back(NameOf(each));
  if (std::find(names.begin(), names.end(), name) != names.end()) return absl::OkStatus();
  const std::vector<std::string_view> known(names.begin(), names.end());
  return absl::NotFoundError(
      absl::StrCat("there is no metric ", Quoted(name), Hint(name.substr(0, 80), known)));
}

bool IsParameter(std::string_view label) {
  return std::find(kParameters.begin(), kParameters.end(), label) != kParameters.end();
}

/// A queue that is named has to be there: less than all that was asked for is no sum.
Status CheckQueues(const std::vector<std::string>& queues, const Requirement& requirement) {
  for (const std::string& name : requirement.values) {
    if (std::find(queues.begin(), queues.end(), name) != queues.end()) continue;
    const std::vector<std::string_view> known(queues.begin(), queues.end());
    return absl::NotFoundError(absl::StrCat("there is no queue ", Quoted(name), Hint(name, known)));
  }
  return absl::OkStatus();
}

Status TakeParameter(const Requirement& requirement, Metadata& parameters) {
  const bool is_one =
      requirement.is == Requirement::Operator::kIn && requirement.values.size() == 1;
  if (is_one) {
    parameters[requirement.label] = requirement.values.front();
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("labelSelector: ", requirement.label,
                                                 " needs one value, ", requirement.label, "=..."));
}

Status CheckRequirement(const std::vector<std::string>& queues, const Requirement& requirement,
                        Metadata& parameters) {
  if (IsParameter(requirement.label)) return TakeParameter(requirement, parameters);
  if (requirement.label != kQueue) {
    return absl::InvalidArgumentError(
        absl::StrCat("labelSelector: metrics of queues have no label ", Quoted(requirement.label),
                     Hint(requirement.label.substr(0, 80), kLabels)));
  }
  const bool names_some = requirement.is == Requirement::Operator::kIn;
  return names_some ? CheckQueues(queues, requirement) : absl::OkStatus();
}

Result<Wanted> ReadWanted(const MetricSource& source, const std::string& metric,
                          const std::string& selector_text) {
  if (Status status = CheckMetric(metric); !status.ok()) return status;
  const auto selector = aggregated::ReadLabelSelector(selector_text);
  if (!selector.ok()) return selector.status();
  Wanted wanted{.metric = metric.substr(kPrefix.size()), .parameters = {}, .queues = {}};
  for (const Requirement& each : *selector) {
    Status status = CheckRequirement(source.queues, each, wanted.parameters);
    if (!status.ok()) return status;
  }
  for (const std::string& queue : source.queues) {
    Labels labels(wanted.parameters.begin(), wanted.parameters.end());
    labels.emplace(kQueue, queue);
    if (Matches(*selector, labels)) wanted.queues.push_back(queue);
  }
  if (!wanted.queues.empty()) return wanted;
  return absl::NotFoundError(absl::StrCat("labelSelector: no queue is like ", Quoted(selector_text),
                                          "; there are ", absl::StrJoin(source.queues, ", ")));
}

Result<Number> Read(const MetricSource& source, const Wanted& wanted, const std::string& queue) {
  Metadata metadata = wanted.parameters;
  metadata["queue"] = queue;
  metadata["metric"] = wanted.metric;
  metadata["target"] = "1";  // which the HPA has
  const auto trigger = ReadTrigger(metadata);
  if (!trigger.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("labelSelector: ", std::string(trigger.status().message())));
  }
  const auto reading = source.read(*trigger);
  if (!reading.ok()) return reading.status();
  const auto value = ValueOf(*trigger, *reading);
  if (!value.ok()) return value.status();
  Labels labels(wanted.parameters.begin(), wanted.parameters.end());
  labels.emplace(kQueue, queue);
  return Number{std::move(labels), trigger->metric, trigger->window, *value, reading->age};
}

Result<std::vector<Number>> ReadAll(const MetricSource& source, const std::string& metric,
                                    const std::string& selector) {
  const auto wanted = ReadWanted(source, metric, selector);
  if (!wanted.ok()) return wanted.status();
  std::vector<Number> numbers;
  for (const std::string& queue : wanted->queues) {
    auto number = Read(source, *wanted, queue);
    if (!number.ok()) return number.status();
    numbers.push_back(*std::move(number));
  }
  return numbers;
}

// ---- What is answered

/// Of the moment that the number is about.
std::string TimeOf(const MetricSource& source, const Number& number) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(source.wall() - number.age),
                          absl::UTCTimeZone());
}

/// What items have in all groups; `window` is the name that it has in this one.
Json ItemOf(const MetricSource& source, const Number& number, const char* window) {
  Json item = {{"timestamp", TimeOf(source, number)},
               {"value", aggregated::Quantity(number.value)}};
  if (number.metric->needs_flow) {
    item[window] = std::chrono::duration_cast<std::chrono::seconds>(number.window).count();
  }
  return item;
}

Json ListOf(const Asked& asked, const char* kind, Json items) {
  return {{"kind", kind},
          {"apiVersion", aggregated::GroupVersion(asked.group, asked.version)},
          {"metadata", Json::object()},
          {"items", std::move(items)}};
}

std::string QueryOf(const Asked& asked, std::string_view name) {
  const std::string* const text = http::Find(asked.query, name);
  return text == nullptr ? "" : *text;
}

/// namespaces/NAMESPACE/METRIC. Queues are of no namespace: who may ask in one gets them all.
Result<Json> ExternalAnswer(const MetricSource& source, const Asked& asked) {
  if (asked.parts.size() != 3 || asked.parts[0] != "namespaces") {
    return absl::NotFoundError(
        absl::StrCat("external metrics are at namespaces/NAMESPACE/METRIC, not at ",
                     Quoted(absl::StrJoin(asked.parts, "/"))));
  }
  const auto numbers = ReadAll(source, asked.parts[2], QueryOf(asked, "labelSelector"));
  if (!numbers.ok()) return numbers.status();
  Json items = Json::array();
  for (const Number& number : *numbers) {
    Json item = ItemOf(source, number, "window");
    item["metricName"] = asked.parts[2];
    item["metricLabels"] = number.labels;
    items.push_back(std::move(item));
  }
  return ListOf(asked, "ExternalMetricValueList", std::move(items));
}

/// An object, and a metric of it.
struct ObjectMetric {
  std::string kind;
  std::string space;  ///< empty: it is in none
  std::string name;
  std::string metric;
};

/// The object that the path names, if it is the frontends' own: their Service, or its namespace.
Result<ObjectMetric> ReadObject(const kube::ObjectName& service,
                                const std::vector<std::string>& parts) {
  if (parts.size() < 4 || parts[0] != "namespaces" || parts[1] != service.space) {
    return absl::NotFoundError(
        absl::StrCat("custom metrics of queues are those of objects in namespace ", service.space));
  }
  if (parts.size() == 4 && parts[2] == "metrics") {
    return ObjectMetric{"Namespace", "", parts[1], parts[3]};
  }
  if (parts.size() == 5 && parts[2] == "services" && parts[3] == service.name) {
    return ObjectMetric{"Service", parts[1], parts[3], parts[4]};
  }
  return absl::NotFoundError(absl::StrCat("custom metrics of queues are those of Service ",
                                          service.name, " and of Namespace ", service.space));
}

Json Reference(const ObjectMetric& object) {
  Json reference = {{"kind", object.kind}, {"name", object.name}, {"apiVersion", "/v1"}};
  if (!object.space.empty()) reference["namespace"] = object.space;
  return reference;
}

Result<Json> CustomAnswer(const MetricSource& source, const Asked& asked) {
  const auto object = ReadObject(source.service, asked.parts);
  if (!object.ok()) return object.status();
  const auto numbers = ReadAll(source, object->metric, QueryOf(asked, "metricLabelSelector"));
  if (!numbers.ok()) return numbers.status();
  if (numbers->size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "metricLabelSelector: a metric of an object is one number: name one queue, queue=",
        source.queues.front()));
  }
  const Number& number = numbers->front();
  const Json selector = {{"matchLabels", number.labels}};
  const bool is_new = asked.version == kVersion2;
  Json item = ItemOf(source, number, is_new ? "windowSeconds" : "window");
  item["describedObject"] = Reference(*object);
  if (is_new) {
    item["metric"] = {{"name", object->metric}, {"selector", selector}};
  } else {
    item["metricName"] = object->metric;
    item["selector"] = selector;
  }
  return ListOf(asked, "MetricValueList", Json::array({std::move(item)}));
}

}  // namespace

std::vector<aggregated::ServedGroup> MetricGroups() {
  aggregated::ServedVersion external{kVersion1, {}};
  aggregated::ServedVersion custom{kVersion2, {}};
  for (const Metric& each : Metrics()) {
    const std::string name = NameOf(each);
    external.resources.push_back({name, true, "ExternalMetricValueList"});
    custom.resources.push_back({"services/" + name, true, "MetricValueList"});
    custom.resources.push_back({"namespaces/" + name, false, "MetricValueList"});
  }
  aggregated::ServedVersion older = custom;
  older.version = kVersion1;
  return {{kExternalMetrics, {std::move(external)}},
          {kCustomMetrics, {std::move(custom), std::move(older)}}};
}

http::Response AnswerMetric(const MetricSource& source, const Asked& asked) {
  const auto answer =
      asked.group == kExternalMetrics ? ExternalAnswer(source, asked) : CustomAnswer(source, asked);
  return answer.ok() ? aggregated::Answer(*answer) : aggregated::Refusal(answer.status());
}

}  // namespace twofold::scalers
