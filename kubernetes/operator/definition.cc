#include "kubernetes/operator/definition.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "kubernetes/controller/conditions.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/perftest_crds.h"
#include "lib/spec/field.h"
#include "lib/spec/schema.h"
#include "suites/table/table.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

/// What a scheduled Benchmark keeps for itself.
constexpr std::array kOwnersOnly = {"schedule", "timeZone", "startingDeadlineSeconds", "suspend"};
constexpr std::size_t kLongestOwner = 240;  // bytes of a name, before the minutes of its time
constexpr std::size_t kLongestName = 60;    // bytes of a run's id that are the object's name

const Json& SpecOf(const Json& benchmark) {
  static const Json kNone = Json::object();
  const Json* spec = kube::At(benchmark, "/spec");
  return spec == nullptr ? kNone : *spec;
}

/// A default of the definition stands in each object, and nobody has asked for it. A worker of ours
/// may have its image from any registry.
Json WithoutDefaultImage(const std::string& kind, Json spec) {
  if (spec.is_object() && kube::TextAt(spec, "/image") == PerftestImage(kind)) spec.erase("image");
  return spec;
}

/// Theirs is version 2, whose numbers are not those of iperf3.
Json WithIperf2(const std::string& kind, Json spec) {
  if (kind == "IPerf" && spec.is_object()) spec.emplace("tool", "iperf2");
  if (kind == spec::kBenchmarkSet && kube::TextAt(spec, "/template/kind") == "IPerf") {
    Json& of = spec["template"]["spec"];
    if (of.is_null() || of.is_object()) of.emplace("tool", "iperf2");
  }
  return spec;
}

/// What the operator does itself is no business of the run.
Json WithoutHandling(Json spec) {
  if (!spec.is_object()) return spec;
  for (const spec::Field& field : spec::HandlingFields()) {
    if (field.name != spec::kQueueField) spec.erase(std::string(field.name));
  }
  return spec;
}

/// It is a file nearly as it stands, as those of kube-perftest are.
Json FileOf(const Json& benchmark) {
  Json metadata = {{"name", kube::NameOf(benchmark).name}};
  const std::string version = kube::TextAt(benchmark, "/apiVersion");
  if (version == spec::kApiVersions[1]) {
    const std::string kind = kube::TextAt(benchmark, "/kind");
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", std::move(metadata)},
            {"spec", WithIperf2(kind, WithoutDefaultImage(kind, SpecOf(benchmark)))}};
  }
  return {{"apiVersion", std::string(spec::kObjectVersion)},
          {"kind", std::string(spec::kBenchmark)},
          {"metadata", std::move(metadata)},
          {"spec", WithoutHandling(SpecOf(benchmark))}};
}

Json WithoutStatus(Json object) {
  object.erase("status");
  return object;
}

std::optional<Duration> SecondsAt(const Json& object, std::string_view path) {
  const Json* seconds = kube::At(object, path);
  if (seconds == nullptr || !seconds->is_number_integer()) return std::nullopt;
  return FromSeconds(seconds->get<double>());
}

std::optional<Schedule> ScheduleOf(const Json& benchmark) {
  std::string cron = kube::TextAt(benchmark, "/spec/schedule");
  if (cron.empty()) return std::nullopt;
  return Schedule{std::move(cron), kube::TextAt(benchmark, "/spec/timeZone"),
                  SecondsAt(benchmark, "/spec/startingDeadlineSeconds")};
}

}  // namespace

std::string RunIdOf(const Json& benchmark) {
  if (FindMeasurement(benchmark) != nullptr) return MeasurementJobName(benchmark);
  return absl::StrCat(kube::NameOf(benchmark).name.substr(0, kLongestName), "-",
                      kube::TextAt(benchmark, "/metadata/uid"));
}

std::string RunKindOf(const Json& object) {
  std::string kind = kube::TextAt(object, "/kind");
  const bool is_set = kind == spec::kBenchmark || kind == spec::kBenchmarkSet;
  return is_set ? kube::TextAt(object, "/spec/template/kind") : kind;
}

std::string QueueOf(const Json& benchmark) {
  if (const auto* kind = FindMeasurement(benchmark)) return kind->queue(SpecOf(benchmark));
  std::string queue = kube::TextAt(benchmark, "/spec/queue");
  if (!queue.empty()) return queue;
  const suite::Suite* suite = suite::FindSuite(RunKindOf(benchmark));
  return suite == nullptr ? "" : std::string(suite->name);
}

RunOrder OrderOf(const Json& benchmark) {
  const kube::ObjectName name = kube::NameOf(benchmark);
  return {
      .id = RunIdOf(benchmark),
      .object = absl::StrCat(name.space, "/", name.name),
      .queue = QueueOf(benchmark),
      .definition = FileOf(benchmark).dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
      .of = WithoutStatus(benchmark)};
}

Json ScheduledBenchmark(const Json& owner, kube::UnixTime due) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(due).time_since_epoch().count();
  const kube::ObjectName name = kube::NameOf(owner);
  Json spec = SpecOf(owner);
  for (const char* field : kOwnersOnly) spec.erase(field);
  return {{"apiVersion", kube::TextAt(owner, "/apiVersion")},
          {"kind", kube::TextAt(owner, "/kind")},
          {"metadata",
           {{"name", absl::StrCat(name.name.substr(0, kLongestOwner), "-", minutes)},
            {"namespace", name.space},
            {"annotations", {{kScheduledAt, controller::TimeText(due)}}},
            {"ownerReferences", Json::array({controller::OwnerReference(owner)})}}},
          {"spec", std::move(spec)}};
}

bool IsScheduledBy(const Json& benchmark, const Json& owner) {
  const Json* owners = kube::At(benchmark, "/metadata/ownerReferences");
  if (owners == nullptr || !owners->is_array()) return false;
  const std::string uid = kube::TextAt(owner, "/metadata/uid");
  return std::any_of(owners->begin(), owners->end(),
                     [&](const Json& each) { return kube::TextAt(each, "/uid") == uid; });
}

Handling HandlingOf(const Json& benchmark) {
  const Json* suspend = kube::At(benchmark, "/spec/suspend");
  return {.suspend = suspend != nullptr && *suspend == true,
          .deadline = SecondsAt(benchmark, "/spec/activeDeadlineSeconds"),
          .keep = SecondsAt(benchmark, "/spec/ttlSecondsAfterFinished"),
          .schedule = ScheduleOf(benchmark)};
}

}  // namespace twofold::benchmarks
