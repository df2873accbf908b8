#include "kubernetes/operator/measurement_job.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "lib/common/printable.h"
#include "lib/common/program.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using kube::TextAt;

constexpr const char* kProgram = "/usr/local/bin/twofold";
constexpr int kUser = 65532;
constexpr std::size_t kLongestWhy = 512;  // bytes

// ---- the Job

/// Clients, so that the network policy of the frontend lets them in.
Json LabelsOf(const std::string& job) {
  return {{"app.kubernetes.io/name", "scalability-tester"},
          {"app.kubernetes.io/component", "client"},
          {"app.kubernetes.io/part-of", "twofold"},
          {"app.kubernetes.io/version", std::string(GetBuildInfo().version)},
          {kMeasurementLabel, job}};
}

Json ContainerOf(std::vector<std::string> arguments, const std::string& image) {
  return {{"name", "measurement"},
          {"image", image},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", {kProgram}},
          {"args", std::move(arguments)},
          // What it says last tells why it has ended without a verdict.
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"resources",
           {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}}, {"limits", {{"memory", "1Gi"}}}}},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", true},
            {"capabilities", {{"drop", {"ALL"}}}}}}};
}

Json PodOf(const MeasurementKind& kind, Json container) {
  return {{"serviceAccountName", kind.account},
          {"automountServiceAccountToken", kind.calls_cluster},
          {"enableServiceLinks", false},
          {"restartPolicy", "Never"},
          {"terminationGracePeriodSeconds", kind.ending.count()},
          {"securityContext",
           {{"runAsNonRoot", true},
            {"runAsUser", kUser},
            {"runAsGroup", kUser},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
          {"containers", Json::array({std::move(container)})}};
}

/// Where the pod has a Secret.
struct Mount {
  const char* name;
  std::string MeasurementSettings::*secret;
  const char* path;
};
constexpr std::array<Mount, 2> kMounts = {
    {{"tls", &MeasurementSettings::tls_secret, "/etc/twofold/tls"},
     {"token", &MeasurementSettings::token_secret, "/etc/twofold/token"}}};

void AddSecrets(const MeasurementSettings& settings, Json& pod) {
  for (const Mount& each : kMounts) {
    const std::string& secret = settings.*each.secret;
    if (secret.empty()) continue;
    pod["volumes"].push_back({{"name", each.name}, {"secret", {{"secretName", secret}}}});
    pod["containers"][0]["volumeMounts"].push_back(
        {{"name", each.name}, {"mountPath", each.path}, {"readOnly", true}});
  }
}

/// How a command gets to the frontend.
std::vector<std::string> WayTo(const MeasurementSettings& settings) {
  std::vector<std::string> options = {absl::StrCat("--frontend=", settings.frontend)};
  if (!settings.tls_secret.empty()) {
    options.insert(
        options.end(),
        {"--tls-ca=/etc/twofold/tls/ca.crt", "--tls-cert=/etc/twofold/tls/tls.crt",
         "--tls-key=/etc/twofold/tls/tls.key", "--tls-server-name=scalability-tester-frontend"});
  }
  if (!settings.token_secret.empty()) {
    options.emplace_back("--token-file=/etc/twofold/token/token");
  }
  return options;
}

// ---- how it goes

bool Has(const Json& job, std::string_view condition) {
  return kube::IsTrue(kube::FindCondition(job, condition));
}

const Json* LastOf(const std::vector<Json>& objects, const char* time) {
  const auto last = std::max_element(
      objects.begin(), objects.end(),
      [&](const Json& a, const Json& b) { return TextAt(a, time) < TextAt(b, time); });
  return last == objects.end() ? nullptr : &*last;
}

const Json* LastPod(const std::vector<Json>& pods) {
  return LastOf(pods, "/metadata/creationTimestamp");
}

/// What its only container has come to: "waiting", "terminated". nullptr: nothing of the kind.
const Json* StateOf(const Json& pod, std::string_view state) {
  return kube::At(pod, absl::StrCat("/status/containerStatuses/0/state/", std::string(state)));
}

/// What a message of the program says: the cause of its verdict, else the last line.
std::string CauseIn(const std::string& text) {
  const auto verdict = cli::ReadVerdict(text);
  if (verdict.ok()) return verdict->why;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipWhitespace());
  return lines.empty() ? "" : Printable(lines.back(), kLongestWhy);
}

/// How ends are called that the program has told itself.
struct EndWord {
  std::string_view verdict;
  const char* reason;
};
constexpr std::array<EndWord, 6> kEndWords = {{{"pass", "Passed"},
                                               {"fail", "NotPassed"},
                                               {"undecided", "Undecided"},
                                               {"invalid", "Spoiled"},
                                               {"interrupted", "Interrupted"},
                                               {"none", "NoVerdict"}}};

const char* ReasonOf(const std::string& verdict) {
  for (const EndWord& each : kEndWords) {
    if (each.verdict == verdict) return each.reason;
  }
  return "NoVerdict";
}

/// What Kubernetes has done to the pod, as OOMKilled and Evicted; empty: nothing, the program has
/// ended by itself.
std::string DoneTo(const Json& pod) {
  const Json* terminated = StateOf(pod, "terminated");
  const std::string reason = terminated == nullptr ? "" : TextAt(*terminated, "/reason");
  if (!reason.empty() && reason != "Error" && reason != "Completed") return reason;
  return TextAt(pod, "/status/reason");
}

/// The exit codes with which commands refuse their command line: of all, and of `validate`.
bool HasRefused(const Json& pod) {
  const Json* code = kube::At(pod, "/status/containerStatuses/0/state/terminated/exitCode");
  if (code == nullptr || !code->is_number_integer()) return false;
  const auto exit = code->get<std::int64_t>();
  return exit == 2 || exit == 200;
}

RunEnd FailureOf(const Json& job, const Json* pod) {
  const Json* failed = kube::FindCondition(job, "Failed");
  RunEnd end{false, "PodLost", failed == nullptr ? "" : TextAt(*failed, "/message")};
  if (pod == nullptr) return end;
  const std::string done = DoneTo(*pod);
  const Json* terminated = StateOf(*pod, "terminated");
  const std::string said = CauseIn(terminated == nullptr ? "" : TextAt(*terminated, "/message"));
  const std::string why = TextAt(*pod, "/status/message");
  end.reason = !done.empty() ? done : HasRefused(*pod) ? "InvalidSpec" : "CommandFailed";
  if (!said.empty() || !why.empty()) end.message = why.empty() ? said : why;
  return end;
}

RunEnd EndOf(const Json& job, const std::vector<Json>& pods) {
  const Json* pod = LastPod(pods);
  const auto verdict = VerdictOf(pods);
  const bool has_succeeded = Has(job, "Complete");
  if (!verdict || (pod != nullptr && !DoneTo(*pod).empty())) {
    return has_succeeded ? RunEnd{true, "Passed", ""} : FailureOf(job, pod);
  }
  return {has_succeeded, has_succeeded ? "Passed" : ReasonOf(verdict->verdict), verdict->why};
}

RunLook Lacking(std::string waits, const std::string& what) {
  RunLook look;
  look.waits = std::move(waits);
  look.lacking = Printable(what, kLongestWhy);
  return look;
}

/// Of a Job without a pod.
RunLook LookForPod(const Json& job, const std::vector<Json>& events) {
  if (Has(job, "Suspended")) return Lacking("JobSuspended", "somebody has suspended its Job");
  std::vector<Json> refusals;
  for (const Json& event : events) {
    if (TextAt(event, "/reason") == "FailedCreate") refusals.push_back(event);
  }
  const Json* last = LastOf(refusals, "/metadata/creationTimestamp");
  if (last == nullptr) return Lacking("Starting", "its Job makes a pod");
  return Lacking("PodRefused", TextAt(*last, "/note"));
}

/// Of a pod that does not run yet.
RunLook LookAtStart(const Json& pod) {
  const std::string name = absl::StrCat("pod ", kube::NameOf(pod).name);
  const Json* scheduled = kube::FindCondition(pod, "PodScheduled");
  if (scheduled != nullptr && TextAt(*scheduled, "/status") == "False") {
    return Lacking(TextAt(*scheduled, "/reason"),
                   absl::StrCat(name, ": ", TextAt(*scheduled, "/message")));
  }
  const Json* waiting = StateOf(pod, "waiting");
  const std::string reason = waiting == nullptr ? "" : TextAt(*waiting, "/reason");
  const bool is_usual =
      reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
  if (is_usual) return Lacking("Starting", name);
  return Lacking(reason, absl::StrCat(name, ": ", TextAt(*waiting, "/message")));
}

}  // namespace

Result<Json> MeasurementJob(const MeasurementKind& kind, const RunOrder& order,
                            const MeasurementSettings& settings) {
  const Json* spec = kube::At(order.of, "/spec");
  const Json none = Json::object();
  auto arguments =
      kind.arguments(spec == nullptr ? none : *spec, TextAt(order.of, "/metadata/uid"));
  if (!arguments.ok()) return arguments.status();
  // Options stand before what the spec has behind them.
  std::vector<std::string> more = {"--verdict=/dev/termination-log"};
  if (kind.asks_frontend) {
    const auto way = WayTo(settings);
    more.insert(more.end(), way.begin(), way.end());
  }
  const auto behind = std::find(arguments->begin(), arguments->end(), "--");
  arguments->insert(behind, more.begin(), more.end());
  Json pod = PodOf(kind, ContainerOf(*std::move(arguments), settings.image));
  if (kind.asks_frontend) AddSecrets(settings, pod);
  const Json labels = LabelsOf(order.id);
  return Json{{"apiVersion", kube::ApiVersion(kube::kJobs)},
              {"kind", kube::kJobs.kind},
              {"metadata",
               {{"name", order.id},
                {"namespace", kube::NameOf(order.of).space},
                {"labels", labels},
                {"ownerReferences", Json::array({controller::OwnerReference(order.of)})}}},
              {"spec",
               {{"backoffLimit", 0},
                {"template", {{"metadata", {{"labels", labels}}}, {"spec", std::move(pod)}}}}}};
}

bool HasEnded(const Json& job) { return Has(job, "Complete") || Has(job, "Failed"); }

bool IsReady(const Json& job) {
  const Json* ready = kube::At(job, "/status/ready");
  return ready != nullptr && ready->is_number_integer() && *ready > 0;
}

RunLook LookAt(const Json& job, const std::vector<Json>& pods, const std::vector<Json>& events) {
  RunLook look;
  look.jobs = 1;
  if (HasEnded(job)) {
    look.over = true;
    look.end = EndOf(job, pods);
    return look;
  }
  const Json* pod = LastPod(pods);
  const std::string phase = pod == nullptr ? "" : TextAt(*pod, "/status/phase");
  if (!IsReady(job) && pod == nullptr) return LookForPod(job, events);
  if (!IsReady(job) && (phase.empty() || phase == "Pending")) return LookAtStart(*pod);
  look.running = 1;
  return look;
}

std::optional<cli::Verdict> VerdictOf(const std::vector<Json>& pods) {
  const Json* pod = LastPod(pods);
  const Json* terminated = pod == nullptr ? nullptr : StateOf(*pod, "terminated");
  if (terminated == nullptr) return std::nullopt;
  auto verdict = cli::ReadVerdict(TextAt(*terminated, "/message"));
  return verdict.ok() ? std::optional(*std::move(verdict)) : std::nullopt;
}

}  // namespace twofold::benchmarks
