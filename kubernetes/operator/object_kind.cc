#include "kubernetes/operator/object_kind.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/perftest_results.h"
#include "kubernetes/operator/perftest_workers.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

void TellBenchmarkResults(const Json&, const Results& results, StatusDraft& draft) {
  draft.SetResults(results);
}

// ---- kube-perftest's

void TellPerftestResults(const Json& object, const Results& results, StatusDraft& draft) {
  const Json fields = PerftestResults(object, results);
  for (const auto& [name, value] : fields.items()) draft.SetField(name.c_str(), value);
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
