#include "kubernetes/nodes/model/pod_status.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <cstddef>
#include <utility>

#include "kubernetes/nodes/model/names.h"

namespace twofold::nodes {
namespace {

constexpr int kKilledCode = 137;      // by SIGKILL, as an eviction ends containers
constexpr int kTerminatedCode = 143;  // by SIGTERM, as a deletion does

// What Kubernetes says of each ending; in the order of Ending.
struct EndingRow {
  const char* phase;
  const char* reason;
  const char* message;
  const char* container_reason;
  std::optional<int> exit_code;  // else the one of the fate
};
constexpr std::array<EndingRow, 6> kEndings = {{
    {"Succeeded", "", "", "Completed", std::nullopt},
    {"Failed", "", "", "Error", std::nullopt},
    {"Failed", "Evicted", "The node was low on resource: memory. ", "Error", kKilledCode},
    {"Failed", "", "", "Error", kTerminatedCode},
    {"Failed", "UnexpectedAdmissionError", "", "Error", std::nullopt},
    {"Failed", "InvalidAnnotation", "", "Error", std::nullopt},
}};

const EndingRow& RowOf(Ending ending) { return kEndings[static_cast<std::size_t>(ending)]; }

Json PodCondition(const char* type, bool status, const char* reason, Moment now) {
  Json condition = {{"type", type},
                    {"status", status ? "True" : "False"},
                    {"lastTransitionTime", InSeconds(now)}};
  if (*reason != '\0') condition["reason"] = reason;
  return condition;
}

Json State(const char* name, Json what) { return {{name, std::move(what)}}; }

Json Terminated(int exit_code, const char* reason, Moment start, Moment end) {
  return State("terminated", {{"exitCode", exit_code},
                              {"reason", reason},
                              {"startedAt", InSeconds(start)},
                              {"finishedAt", InSeconds(end)}});
}

Json ContainerStatus(const Pod& pod, const Container& container, Json state, bool is_ready,
                     int restarts) {
  return {{"name", container.name},
          {"image", container.image},
          {"imageID", ""},
          {"containerID", absl::StrCat("twofold://", pod.uid, "/", container.name)},
          {"ready", is_ready},
          {"started", is_ready},
          {"restartCount", restarts},
          {"state", std::move(state)}};
}

Json RunningContainers(const Pod& pod, const Running& running) {
  Json list = Json::array();
  for (const Container& container : pod.containers) {
    Json status =
        ContainerStatus(pod, container, State("running", {{"startedAt", InSeconds(running.since)}}),
                        true, running.restarts);
    if (running.restarts > 0) {
      status["lastState"] = Terminated(running.exit_code, "Error", running.before, running.failed);
    }
    list.push_back(std::move(status));
  }
  return list;
}

Json EndedContainers(const Pod& pod, const Running& running, int exit_code, const char* reason,
                     Moment now) {
  Json list = Json::array();
  for (const Container& container : pod.containers) {
    list.push_back(ContainerStatus(pod, container,
                                   Terminated(exit_code, reason, running.since, now), false,
                                   running.restarts));
  }
  return list;
}

// Those that prepare have ended when the pod runs; sidecars run until it ends.
Json InitContainers(const Pod& pod, const Running& running, std::optional<Moment> end) {
  Json list = Json::array();
  for (const Container& container : pod.init) {
    const Moment start = running.planned.start;
    const bool runs = container.is_sidecar && !end;
    Json state = runs ? State("running", {{"startedAt", InSeconds(start)}})
                      : Terminated(0, "Completed", start, container.is_sidecar ? *end : start);
    list.push_back(
        ContainerStatus(pod, container, std::move(state), runs || !container.is_sidecar, 0));
  }
  return list;
}

kube::Call StatusPatch(const Pod& pod, Json metadata, const Json& status) {
  metadata["uid"] = pod.uid;
  return kube::Patch(kube::kPods, pod.name, kube::PatchKind::kStrategic,
                     {{"metadata", std::move(metadata)}, {"status", status}}, {}, "status");
}

}  // namespace

std::string ToText(const Planned& planned) {
  Json json = {{"seen", InNanoseconds(planned.seen)}, {"start", InNanoseconds(planned.start)}};
  if (planned.end) json["end"] = InNanoseconds(*planned.end);
  return json.dump();
}

std::optional<Planned> ReadPlanned(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto seen = kube::TimeAt(json, "/seen");
  const auto start = kube::TimeAt(json, "/start");
  if (!seen || !start) return std::nullopt;
  return Planned{*seen, *start, kube::TimeAt(json, "/end")};
}

kube::Call RunningPatch(const Pod& pod, const Running& running) {
  const Moment start = running.since;
  Json status = {
      {"phase", "Running"},
      {"startTime", InSeconds(running.planned.seen)},
      {"podIP", running.ip},
      {"podIPs", Json::array({Json{{"ip", running.ip}}})},
      {"conditions",
       {PodCondition("PodReadyToStartContainers", true, "", start),
        PodCondition("Initialized", true, "", start),
        PodCondition("ContainersReady", true, "", start), PodCondition("Ready", true, "", start)}},
      {"containerStatuses", RunningContainers(pod, running)}};
  if (!pod.init.empty()) status["initContainerStatuses"] = InitContainers(pod, running, {});
  Json annotations = {{kPlanned, ToText(running.planned)}};
  if (!running.gpu.empty()) annotations[kReservedGpu] = running.gpu;
  return StatusPatch(pod, {{"annotations", std::move(annotations)}}, status);
}

kube::Call EndedPatch(const Pod& pod, const Fate& fate, const std::optional<Running>& running,
                      const std::string& message, Moment now) {
  const EndingRow& row = RowOf(fate.ending);
  const bool succeeded = fate.ending == Ending::kSucceeded;
  const char* reason = succeeded ? "PodCompleted" : "PodFailed";
  Json status = {{"phase", row.phase},
                 {"conditions",
                  {PodCondition("ContainersReady", false, reason, now),
                   PodCondition("Ready", false, reason, now)}}};
  if (fate.ending == Ending::kEvicted) {
    status["conditions"].push_back(
        PodCondition("DisruptionTarget", true, "TerminationByKubelet", now));
  }
  if (*row.reason != '\0') {
    status["reason"] = row.reason;
    status["message"] = absl::StrCat(row.message, message);
  }
  if (running) {
    const int exit_code = row.exit_code.value_or(fate.exit_code);
    status["containerStatuses"] =
        EndedContainers(pod, *running, exit_code, row.container_reason, now);
    if (!pod.init.empty()) status["initContainerStatuses"] = InitContainers(pod, *running, now);
  } else {
    status["startTime"] = InSeconds(now);
  }
  return StatusPatch(pod, Json::object(), status);
}

kube::Call RemovePod(const Pod& pod) {
  kube::DeleteOptions options;
  options.grace_s = 0;
  options.uid = pod.uid;
  return kube::Delete(kube::kPods, pod.name, options);
}

}  // namespace twofold::nodes
