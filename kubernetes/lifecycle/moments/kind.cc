#include "kubernetes/lifecycle/moments/kind.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <set>

namespace twofold::lifecycle {
namespace {

using By = Sign::By;

const kube::Resource kJobSet = {"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"};
const kube::Resource kPyTorchJob = {"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"};
const kube::Resource kMpiJob = {"kubeflow.org", "v2beta1", "mpijobs", "MPIJob"};
const kube::Resource kTrainJob = {"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"};
// v0.15 came with v1beta2; v1beta1 goes on being served.
const Versions kKueueWorkload = {{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload"},
                                 {"kueue.x-k8s.io", "v1beta1", "workloads", "Workload"}};
const kube::Resource kVolcanoJob = {"batch.volcano.sh", "v1alpha1", "jobs", "Job"};
const kube::Resource kVolcanoGroup = {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"};
const kube::Resource kKaiGroup = {"scheduling.run.ai", "v2alpha2", "podgroups", "PodGroup"};
const kube::Resource kBindRequest = {"scheduling.run.ai", "v1alpha2", "bindrequests",
                                     "BindRequest"};
const kube::Resource kRunaiJob = {"run.ai", "v1", "runaijobs", "RunaiJob"};
const kube::Resource kTraining = {"run.ai", "v2alpha1", "trainingworkloads", "TrainingWorkload"};
const kube::Resource kDistributed = {"run.ai", "v2alpha1", "distributedworkloads",
                                     "DistributedWorkload"};
const kube::Resource kInteractive = {"run.ai", "v2alpha1", "interactiveworkloads",
                                     "InteractiveWorkload"};

constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";
constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kTrainingName = "training.kubeflow.org/job-name";
constexpr std::string_view kReplicaType = "training.kubeflow.org/replica-type";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";

constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";
const std::vector<std::string_view> kJobSetSlots = {"jobset.sigs.k8s.io/replicatedjob-name",
                                                    "jobset.sigs.k8s.io/job-index", kJobIndex};

constexpr MomentSign kJobComplete = {Moment::kComplete, {"Job", By::kCondition, "Complete"}};
constexpr MomentSign kJobFailed = {Moment::kFailed, {"Job", By::kCondition, "Failed"}};
constexpr MomentSign kGroup = {Moment::kGroupCreated, {"PodGroup", By::kExists, ""}};

// Limits of names, by what is made of them: pods of a Job have an index and a random end.
constexpr std::string_view kJobSetTail = "-workers-0-#-xxxxx";
constexpr std::string_view kWorkerTail = "-worker-#";

// The phase of a PodGroup of Volcano has no time in it, so only the watch knows when it came.
constexpr std::string_view kVolcanoIn = "/status/phase=Inqueue|Running|Completed";
constexpr std::string_view kVolcanoSince = "/status/state/lastTransitionTime";
constexpr std::string_view kVolcanoOut = "/status/phase=Pending";

std::vector<Kind> BatchKinds() {
  return {
      {.name = "pod", .help = "a Pod by itself", .own = kube::kPods, .one_pod = true},
      {.name = "job",
       .help = "a Job with one pod or several",
       .own = kube::kJobs,
       .pod_labels = {kJobName, "job-name"},
       .signs = {kJobComplete, kJobFailed},
       .held = Sign{"Job", By::kField, "/spec/suspend=true"}},
      {.name = "indexed-job",
       .help = "a Job whose pods have an index, so that a replaced pod is known as such",
       .own = kube::kJobs,
       .pod_labels = {kJobName, "job-name"},
       .slot_labels = {kJobIndex},
       .signs = {kJobComplete, kJobFailed},
       .held = Sign{"Job", By::kField, "/spec/suspend=true"}},
      {.name = "jobset",
       .help = "a JobSet with one replicated Job",
       .own = kJobSet,
       .beside = {{kube::kJobs}},
       .pod_labels = {kJobSetName},
       .slot_labels = kJobSetSlots,
       .signs = {{Moment::kChildCreated, {"Job", By::kExists, ""}},
                 {Moment::kComplete, {"JobSet", By::kCondition, "Completed"}},
                 {Moment::kFailed, {"JobSet", By::kCondition, "Failed"}}},
       .held = Sign{"JobSet", By::kField, "/spec/suspend=true"},
       .tail = kJobSetTail,
       .letter_first = true},
  };
}

std::vector<Kind> OperatorKinds() {
  return {
      {.name = "pytorchjob",
       .help = "a PyTorchJob of Kubeflow's training operator",
       .own = kPyTorchJob,
       .pod_labels = {kTrainingName},
       .slot_labels = {kReplicaType, kReplicaIndex},
       .signs = {{Moment::kComplete, {"PyTorchJob", By::kCondition, "Succeeded"}},
                 {Moment::kFailed, {"PyTorchJob", By::kCondition, "Failed"}}},
       .aside = {Moment::kFinished},  // it is complete with its master
       .held = Sign{"PyTorchJob", By::kField, "/spec/runPolicy/suspend=true"},
       .controller = "training-operator",
       .tail = kWorkerTail,
       .letter_first = true},
      {.name = "mpijob",
       .help = "an MPIJob of Kubeflow's MPI operator",
       .own = kMpiJob,
       .beside = {{kube::kJobs}},
       .pod_labels = {kTrainingName},
       .slot_labels = {"training.kubeflow.org/job-role", kReplicaIndex},
       .leader = "launcher",
       .signs = {{Moment::kChildCreated, {"Job", By::kExists, ""}},
                 {Moment::kComplete, {"MPIJob", By::kCondition, "Succeeded"}},
                 {Moment::kFailed, {"MPIJob", By::kCondition, "Failed"}}},
       // The operator makes the workers before the launcher's Job; it is complete with its
       // launcher.
       .aside = {Moment::kChildCreated, Moment::kFinished},
       .held = Sign{"MPIJob", By::kField, "/spec/runPolicy/suspend=true"},
       .controller = "mpi-operator",
       .tail = kWorkerTail,
       .letter_first = true},
      {.name = "trainjob",
       .help = "a TrainJob of Kubeflow's Trainer, by its runtime torch-distributed",
       .own = kTrainJob,
       .beside = {{kJobSet}, {kube::kJobs}},
       .pod_labels = {kJobSetName},
       .slot_labels = kJobSetSlots,
       .signs = {{Moment::kChildCreated, {"JobSet", By::kExists, ""}},
                 {Moment::kComplete, {"TrainJob", By::kCondition, "Complete"}},
                 {Moment::kFailed, {"TrainJob", By::kCondition, "Failed"}}},
       .held = Sign{"TrainJob", By::kField, "/spec/suspend=true"},
       .tail = "-node-0-#-xxxxx",
       .letter_first = true},
  };
}

std::vector<Kind> SchedulerKinds() {
  return {
      {.name = "volcano-job",
       .help = "a Job of Volcano with its PodGroup",
       .own = kVolcanoJob,
       .beside = {{kVolcanoGroup}},
       .pod_labels = {"volcano.sh/job-name"},
       .slot_labels = {"volcano.sh/task-spec", "volcano.sh/task-index"},
       .signs = {kGroup,
                 {Moment::kAdmitted, {"PodGroup", By::kField, kVolcanoIn}},
                 {Moment::kComplete,
                  {"Job", By::kField, "/status/state/phase=Completed", kVolcanoSince}},
                 {Moment::kFailed,
                  {"Job", By::kField, "/status/state/phase=Failed|Aborted|Terminated",
                   kVolcanoSince}}},
       .held = Sign{"PodGroup", By::kField, kVolcanoOut},
       .scheduler = "volcano",
       .controller = "vc-controller-manager"},
      {.name = "volcano-podgroup",
       .help = "a Job whose pods are scheduled as a PodGroup of Volcano",
       .own = kube::kJobs,
       .beside = {{kVolcanoGroup}},
       .pod_labels = {kJobName, "job-name"},
       .slot_labels = {kJobIndex},
       .signs = {kGroup,
                 {Moment::kAdmitted, {"PodGroup", By::kField, kVolcanoIn}},
                 kJobComplete,
                 kJobFailed},
       .held = Sign{"PodGroup", By::kField, kVolcanoOut},
       .scheduler = "volcano"},
      {.name = "kai-job",
       .help = "a Job in a queue of the KAI scheduler, with the PodGroup that KAI makes of it",
       .own = kube::kJobs,
       .beside = {{kKaiGroup}, {kBindRequest}},
       .pod_labels = {kJobName, "job-name"},
       .slot_labels = {kJobIndex},
       .signs = {kGroup, kJobComplete, kJobFailed},
       .held = Sign{"Job", By::kField, "/spec/suspend=true"},
       .has_decisions = true,
       .queue = "default-queue",
       .scheduler = "kai-scheduler"},
  };
}

Kind RunaiKind(std::string_view name, std::string_view help, const kube::Resource& own,
               const kube::Resource& child) {
  const bool one_pod = child == kRunaiJob;
  return {.name = name,
          .help = help,
          .own = own,
          .beside = {{child}, {kKaiGroup}, {kBindRequest}},
          .pod_labels = {"release", kJobName, "job-name", kTrainingName},
          .slot_labels = {kReplicaType, kReplicaIndex},
          .signs = {kGroup, {Moment::kChildCreated, {child.kind, By::kExists, ""}}},
          .has_decisions = true,
          .scheduler = "runai-scheduler",
          .controller = "runai",
          .one_pod = one_pod};
}

std::vector<Kind> RunaiKinds() {
  return {
      RunaiKind("runai-training", "a training workload of Run:ai", kTraining, kRunaiJob),
      RunaiKind("runai-distributed", "a distributed training workload of Run:ai", kDistributed,
                kPyTorchJob),
      RunaiKind("runai-interactive", "an interactive workload of Run:ai", kInteractive, kRunaiJob)};
}

struct Queued {
  std::string_view kind;
  std::string_view name;
  std::string_view help;
};

// The kinds whose objects Kueue lets in by itself or, as PyTorchJobs, once it is told to.
constexpr Queued kQueued[] = {
    {"pod", "kueue-pod", "a Pod that waits in a LocalQueue of Kueue"},
    {"indexed-job", "kueue-job", "a Job that waits in a LocalQueue of Kueue"},
    {"jobset", "kueue-jobset", "a JobSet that waits in a LocalQueue of Kueue"},
    {"pytorchjob", "kueue-pytorchjob", "a PyTorchJob that waits in a LocalQueue of Kueue"},
    {"mpijob", "kueue-mpijob", "an MPIJob that waits in a LocalQueue of Kueue"},
    {"trainjob", "kueue-trainjob", "a TrainJob that waits in a LocalQueue of Kueue"},
};

Kind OverKueue(const Queued& row, Kind kind) {
  kind.queued = kind.name;
  kind.name = row.name;
  kind.help = row.help;
  kind.beside.push_back(kKueueWorkload);
  kind.signs.push_back({Moment::kQuotaReserved, {"Workload", By::kCondition, "QuotaReserved"}});
  kind.signs.push_back({Moment::kAdmitted, {"Workload", By::kCondition, "Admitted"}});
  kind.evicted = Sign{"Workload", By::kCondition, "Evicted"};
  return kind;
}

/// Those with a template of their own come first, in the order of the templates.
std::vector<Kind> AllKinds() {
  std::vector<Kind> all;
  for (auto& some : {BatchKinds(), OperatorKinds(), SchedulerKinds(), RunaiKinds()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  for (const Queued& row : kQueued) {
    const auto plain = std::find_if(all.begin(), all.end(),
                                    [&](const Kind& kind) { return kind.name == row.kind; });
    all.push_back(OverKueue(row, *plain));
  }
  return all;
}

bool HasValue(const Object& object, std::string_view what) {
  const std::size_t equals = what.find('=');
  const Object* const field = At(object, what.substr(0, equals));
  if (field == nullptr) return false;
  const std::string value = field->is_string() ? field->get<std::string>() : field->dump();
  std::string_view words = what.substr(equals + 1);
  while (true) {
    const std::size_t bar = words.find('|');
    if (words.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    words.remove_prefix(bar + 1);
  }
}

}  // namespace

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = AllKinds();
  return kinds;
}

Result<const Kind*> FindKind(std::string_view name) {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("kind: '", std::string(name), "' is none of ", absl::StrJoin(names, ", ")));
}

std::vector<Moment> Kind::Moments(bool gang, bool volumes) const {
  using enum Moment;
  std::set<Moment> all = {kPlanned,   kSent,    kReplied,     kCreated, kFirstPod,
                          kScheduled, kSandbox, kInitialized, kStarted, kReady,
                          kFinished,  kFailed,  kDeleted};
  for (const MomentSign& each : signs) all.insert(each.moment);
  if (has_decisions) all.insert(kDecided);
  if (volumes) all.insert({kVolumeRequested, kVolumeBound});
  if (IsPod()) {
    for (const Moment of_others : {kFirstPod, kFailed}) all.erase(of_others);
    return {all.begin(), all.end()};
  }
  if (gang) {
    all.insert({kLastPod, kFirstScheduled, kFirstStarted, kFirstReady, kFirstFinished});
    if (has_decisions) all.insert(kFirstDecided);
  }
  return {all.begin(), all.end()};
}

std::optional<Shown> Look(const Sign& sign, const Object& object) {
  if (TextAt(object, "/kind") != sign.object) return std::nullopt;
  switch (sign.by) {
    case By::kExists:
      return Shown{SecondAt(object, "/metadata/creationTimestamp")};
    case By::kCondition: {
      const Object* const condition = FindCondition(object, sign.what);
      if (!IsTrue(condition)) return std::nullopt;
      return Shown{SecondAt(*condition, "/lastTransitionTime")};
    }
    case By::kField:
      if (!HasValue(object, sign.what)) return std::nullopt;
      return sign.since.empty() ? Shown{} : Shown{SecondAt(object, sign.since)};
  }
  return std::nullopt;
}

}  // namespace twofold::lifecycle
