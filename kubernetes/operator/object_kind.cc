#include "kubernetes/operator/object_kind.h"

#include <absl/strings/str_format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/perftest_workers.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

void TellBenchmarkResults(const Json&, const Results& results, StatusDraft& draft) {
  draft.SetResults(results);
}

// ---- kube-perftest's

/// Where a kind's status has a headline, and whether as a number or as a text with its unit.
struct Place {
  std::string_view kind;
  const char* field;
  std::string_view headline;
  std::string_view dimension;  ///< "rw=read"; empty: any
  bool is_number = false;
};
constexpr Place kPlaces[] = {
    {"IPerf", "summaryResult", "throughput", ""},
    {"MPIPingPong", "peakBandwidth", "peak_bandwidth", ""},
    {"MPIPingPong", "minimumLatency", "min_latency", ""},
    {"OpenFOAM", "result/wallclockTime", "solver_time", "", true},
    {"RDMABandwidth", "peakBandwidth", "peak_bandwidth", ""},
    {"RDMALatency", "minimumAverageLatency", "min_latency", ""},
    {"Fio", "readBwResult", "bandwidth", "rw=read"},
    {"Fio", "writeBwResult", "bandwidth", "rw=write"},
    {"Fio", "readIopsResult", "iops", "rw=read", true},
    {"Fio", "writeIopsResult", "iops", "rw=write", true},
};

const Headline* Find(const Results& results, const Place& place) {
  for (const Headline& each : results.headlines) {
    const std::string dimensions = " " + each.dimensions + " ";
    const std::string wanted = " " + std::string(place.dimension) + " ";
    const bool fits = place.dimension.empty() || dimensions.find(wanted) != std::string::npos;
    if (each.name == place.headline && fits) return &each;
  }
  return nullptr;
}

void TellPerftestResults(const Json& object, const Results& results, StatusDraft& draft) {
  const std::string kind = kube::TextAt(object, "/kind");
  for (const Place& place : kPlaces) {
    const Headline* headline = place.kind == kind ? Find(results, place) : nullptr;
    if (headline == nullptr) continue;
    Json value = headline->mean;
    if (!place.is_number) value = absl::StrFormat("%.4g %s", headline->mean, headline->unit);
    const std::string field = place.field;
    const std::size_t slash = field.find('/');
    if (slash == std::string::npos) {
      draft.SetField(field.c_str(), std::move(value));
    } else {
      draft.SetField(field.substr(0, slash).c_str(), {{field.substr(slash + 1), std::move(value)}});
    }
  }
}

/// kube-perftest's phase of a run that is over.
const char* PhaseOfEnd(const std::string& reason) {
  if (reason == "Succeeded") return "Completed";
  return reason == "Cancelled" || reason == "DeadlineExceeded" ? "Aborted" : "Failed";
}

/// No job of it waits or runs.
bool HasEnded(const Json& status) {
  const auto count = [&](const char* name) { return status.value(name, std::uint64_t{0}); };
  const std::uint64_t jobs = count("jobs");
  return jobs > 0 && count("succeeded") + count("failed") + count("withdrawn") == jobs;
}

const char* PhaseOf(const Json& object, const Json& status) {
  const Json around = {{"status", status}};
  const Json* running = kube::FindCondition(around, "Running");
  if (running == nullptr) return "Unknown";
  const std::string reason = kube::TextAt(*running, "/reason");
  if (status.contains("completionTime")) return PhaseOfEnd(reason);
  if (controller::IsBeingDeleted(object)) return "Terminating";
  if (HasEnded(status)) return "Summarising";
  if (kube::TextAt(*running, "/status") != "False") return "Running";
  return reason == "Starting" ? "Preparing" : "Pending";
}

void CopyField(const char* from, const char* to, StatusDraft& draft) {
  const Json& status = draft.status();
  if (status.contains(from)) draft.SetField(to, Json(status[from]));
}

void TellPerftest(const Json& object, StatusDraft& draft) {
  draft.SetField("phase", PhaseOf(object, draft.status()));
  CopyField("startTime", "startedAt", draft);
  CopyField("completionTime", "finishedAt", draft);
}

void TellPerftestSet(const Json& object, StatusDraft& draft) {
  CopyField("completionTime", "finishedAt", draft);
  CopyField("jobs", "count", draft);
  const Json* repetitions = kube::At(object, "/spec/repetitions");
  const Json& status = draft.status();
  if (!status.contains("jobs") || repetitions == nullptr || !repetitions->is_number_integer())
    return;
  const auto each = repetitions->get<std::int64_t>();
  if (each > 0) draft.SetField("permutationCount", status["jobs"].get<std::int64_t>() / each);
}

std::vector<ObjectKind> MakePerftestKinds() {
  std::vector<ObjectKind> kinds;
  for (const yaml::Json& definition : PerftestDefinitions()) {
    const yaml::Json& names = definition["spec"]["names"];
    const std::string kind = names["kind"];
    const bool is_set = kind == spec::kBenchmarkSet;
    kinds.push_back({{kPerftestGroup, "v1alpha1", names["plural"], kind, true},
                     is_set ? TellPerftestSet : TellPerftest,
                     TellPerftestResults,
                     IsLeftToKubePerftest});
  }
  return kinds;
}

}  // namespace

bool IsLeftToKubePerftest(const Json& object) {
  if (!IsOfPerftest(object)) return false;
  const std::string phase = kube::TextAt(object, "/status/phase");
  const bool has_begun = (!phase.empty() && phase != "Unknown") ||
                         kube::At(object, "/status/permutationCount") != nullptr;
  return has_begun && kube::TextAt(object, "/status/runId").empty();
}

void TellVerdict(const kube::Json&, const Results& results, StatusDraft& draft) {
  if (results.verdict) draft.SetVerdict(*results.verdict);
}

const ObjectKind& BenchmarkKind() {
  static const ObjectKind kind{kBenchmarks, nullptr, TellBenchmarkResults};
  return kind;
}

std::span<const ObjectKind> PerftestKinds() {
  static const std::vector<ObjectKind> kinds = MakePerftestKinds();
  return kinds;
}

}  // namespace twofold::benchmarks
