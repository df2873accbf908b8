#include "kubernetes/operator/reconciler.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "kubernetes/api/errors.h"
#include "kubernetes/controller/conditions.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/line.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/status.h"
#include "kubernetes/operator/timetable.h"
#include "kubernetes/pools/pods.h"

namespace twofold::benchmarks {
namespace {

using controller::Next;
using controller::StatusCondition;
using controller::Truth;
using kube::Json;

/// The next one in line is told when its turn comes; this is for what nobody has told.
constexpr Duration kInLine = std::chrono::minutes(10);

constexpr const char* kLastTime = "lastScheduleTime";
constexpr const char* kNextTime = "nextScheduleTime";

kube::WriteOptions AsOperator() {
  kube::WriteOptions options;
  options.field_manager = kManager;
  return options;
}

std::string CountsText(const RunLook& look) {
  std::string text = absl::StrCat(look.succeeded, " of ", look.jobs, " jobs succeeded");
  if (look.failed > 0) absl::StrAppend(&text, ", ", look.failed, " failed");
  if (look.withdrawn > 0) absl::StrAppend(&text, ", ", look.withdrawn, " were cancelled");
  if (!look.first_failure.empty()) absl::StrAppend(&text, "; ", look.first_failure);
  return text;
}

RunEnd EndOf(const RunLook& look) {
  if (look.end) return *look.end;
  const std::string text = CountsText(look);
  if (look.stopped == Stopped::kFailFast) return {false, "FailFast", text};
  if (look.stopped == Stopped::kRunLimit) return {false, "RunLimitExceeded", text};
  if (look.failed > 0) return {false, "JobsFailed", text};
  if (look.withdrawn > 0) return {false, "JobsCancelled", text};
  return {true, "AllJobsSucceeded", text};
}

/// What a call to the frontend that failed means for a Benchmark.
struct Trouble {
  absl::StatusCode code;
  bool is_end;         ///< it will not become better
  const char* reason;  ///< of the condition Running, or Failed
};
constexpr std::array<Trouble, 9> kTroubles = {{
    {absl::StatusCode::kInvalidArgument, true, "InvalidSpec"},
    {absl::StatusCode::kCancelled, true, "Cancelled"},
    {absl::StatusCode::kDataLoss, true, "RunLost"},
    {absl::StatusCode::kNotFound, false, "NoSuchQueue"},
    {absl::StatusCode::kAlreadyExists, false, "AttendedElsewhere"},
    {absl::StatusCode::kFailedPrecondition, false, "FrontendRefuses"},
    {absl::StatusCode::kPermissionDenied, false, "FrontendRefuses"},
    {absl::StatusCode::kUnauthenticated, false, "FrontendRefuses"},
    {absl::StatusCode::kResourceExhausted, false, "FrontendIsFull"},
}};

Trouble TroubleOf(const Status& status, const char* away) {
  for (const Trouble& each : kTroubles) {
    if (each.code == status.code()) return each;
  }
  return {status.code(), false, away};
}

bool IsAway(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

/// One look at one object.
class Pass {
 public:
  Pass(const ObjectKind& kind, Runs& runs, Reconciler& reconciler, Cluster& cluster,
       controller::Snapshot object, Instant now, kube::UnixTime wall)
      : kind_(kind),
        runs_(runs),
        reconciler_(reconciler),
        cluster_(cluster),
        object_(std::move(object)),
        order_(runs.OrderFor(*object_)),
        handling_(HandlingOf(*object_)),
        now_(now),
        wall_(wall),
        draft_(*object_, wall) {}

  Result<Next> Run() {
    if (kind_.is_of_another != nullptr && kind_.is_of_another(*object_)) return LeaveAlone();
    if (controller::IsBeingDeleted(*object_)) return Leave();
    if (handling_.schedule) return KeepTo(*handling_.schedule);
    if (IsOver(*object_)) return Retire();
    if (!controller::HasFinalizer(*object_, kRunFinalizer)) {
      // The object is another one then: the next pass goes on with it.
      Status held =
          Write(controller::AddFinalizer(kind_.resource, *object_, kRunFinalizer, AsOperator()));
      return held.ok() ? Result<Next>(Next{Duration::zero()}) : held;
    }
    if (Status refused = Check(); !refused.ok()) return Refuse(refused);
    if (const std::optional<Bar> bar = runs().BarTo(order_)) return Halt(*bar);
    if (handling_.suspend) return Rest();
    const auto started = kube::TimeAt(*object_, "/status/startTime");
    return started ? Carry(*started) : TakeTurn();
  }

 private:
  Runs& runs() { return runs_; }
  const Settings& settings() { return reconciler_.settings_; }

  /// To run it as well would measure twice.
  Result<Next> LeaveAlone() {
    Tell({true, "LeftToKubePerftest", "Run",
          "kube-perftest's operator has begun it; it is left alone"});
    return Next{};
  }

  // ---- a schedule

  /// At each of its times it makes a Benchmark that is run.
  Result<Next> KeepTo(const Schedule& schedule) {
    const auto times = Timetable::Parse(schedule.cron, schedule.zone);
    const Status wrong = times.ok() ? runs().Check(order_).status() : times.status();
    if (!wrong.ok()) {  // its schedule may be mended
      draft_.Set({"Accepted", Truth::kFalse, "InvalidSpec", std::string(wrong.message())});
      draft_.EraseField(kNextTime);
      return Idle("InvalidSpec", std::string(wrong.message()), std::nullopt);
    }
    if (const std::optional<Bar> bar = runs().BarTo(order_)) {
      draft_.Set({"Accepted", Truth::kFalse, bar->reason, bar->message});
      draft_.EraseField(kNextTime);
      return Idle(bar->reason, bar->message, settings().patience);
    }
    draft_.Set({"Accepted", Truth::kTrue, "Checked", ""});
    if (handling_.suspend) {  // times that pass meanwhile are not missed
      draft_.EraseField(kNextTime);
      return Idle("Suspended", "spec.suspend is true", std::nullopt);
    }
    const auto next = kube::TimeAt(*object_, "/status/nextScheduleTime");
    if (next && *next <= wall_) {
      if (Status made = Make(times->Latest(*next, wall_), schedule.late); !made.ok()) return made;
    }
    return AwaitNext(times->After(wall_));
  }

  Result<Next> AwaitNext(std::optional<kube::UnixTime> next) {
    if (!next) return Idle("Scheduled", "its schedule has no more times", std::nullopt);
    draft_.SetField(kNextTime, controller::TimeText(*next));
    return Idle("Scheduled", absl::StrCat("next at ", controller::TimeText(*next)), *next - wall_);
  }

  /// Of several times that were missed the last one counts.
  Status Make(kube::UnixTime due, std::optional<Duration> late) {
    const std::string time = controller::TimeText(due);
    if (late && wall_ - due > *late) {
      Tell({true, "TimeMissed", "Schedule",
            absl::StrCat("nothing was begun for ", time, ": that is too long ago")});
      return absl::OkStatus();
    }
    const Json benchmark = ScheduledBenchmark(*object_, due);
    const kube::ObjectName name = kube::NameOf(benchmark);
    const auto all = cluster_.All();
    const auto goes_on = std::find_if(all.begin(), all.end(), [&](const auto& each) {
      return !IsOver(*each) && IsScheduledBy(*each, *object_) && kube::NameOf(*each) != name;
    });
    if (goes_on != all.end()) {
      Tell({true, "TimeMissed", "Schedule",
            absl::StrCat("nothing was begun for ", time, ": ", kube::NameOf(**goes_on).name,
                         " still goes on")});
      return absl::OkStatus();
    }
    const Status made = Write(kube::Create(kind_.resource, benchmark, AsOperator()));
    if (!made.ok() && !absl::IsAlreadyExists(made)) return made;
    draft_.SetField(kLastTime, time);
    Tell({false, "Made", "Schedule", absl::StrCat(kind_.resource.kind, " ", name.name)});
    return absl::OkStatus();
  }

  // ---- the steps of a life

  /// Once: the spec does not change.
  Status Check() {
    draft_.SetField("runId", order_.id);
    draft_.SetField("queue", order_.queue);
    if (HasOwnWorkers(order_.of)) draft_.SetField("workerPool", pools::PoolNameFor(order_.of));
    if (!kube::IsTrue(kube::FindCondition(*object_, "Accepted"))) {
      const Result<std::uint64_t> jobs = runs().Check(order_);
      if (!jobs.ok()) return jobs.status();
      if (*jobs > 0) draft_.SetField("jobs", *jobs);
    }
    draft_.Set({"Accepted", Truth::kTrue, "Checked", ""});
    return absl::OkStatus();
  }

  Result<Next> Refuse(const Status& why) {
    draft_.Set({"Accepted", Truth::kFalse, "InvalidSpec", std::string(why.message())});
    return Conclude({false, "InvalidSpec", std::string(why.message())}, std::nullopt);
  }

  /// Whether the run has begun does not count.
  Result<Next> Halt(const Bar& bar) {
    const auto started = kube::TimeAt(*object_, "/status/startTime");
    const bool is_late = started && handling_.deadline && wall_ - *started >= *handling_.deadline;
    if (!bar.is_end && !is_late) return Await(bar.reason, bar.message);
    std::string why = bar.message;
    if (started) {
      const Status cancelled = runs().Cancel(order_);
      if (IsAway(cancelled)) return Suffer(cancelled);
      if (!cancelled.ok()) absl::StrAppend(&why, "; so the run was not cancelled");
    }
    if (!bar.is_end) return Conclude({false, "DeadlineExceeded", why}, std::nullopt);
    draft_.Set({"Accepted", Truth::kFalse, bar.reason, bar.message});
    return Conclude({false, bar.reason, why}, std::nullopt);
  }

  Result<Next> Rest() {
    if (kube::At(*object_, "/status/startTime") == nullptr) {
      return Idle("Suspended", "spec.suspend is true", std::nullopt);
    }
    const Result<RunLook> look = runs().Pause(order_);
    if (!look.ok()) return Suffer(look.status());
    if (look->jobs > 0) Count(*look);
    if (look->over && look->withdrawn == 0) return Finish(*look);
    const bool is_still = look->running == 0;
    if (is_still) {
      runs().Forget(order_.id);
      draft_.EraseField("startTime");  // the time for which it is suspended does not count
      if (HasOwnWorkers(order_.of)) draft_.Set({"WorkersReady", Truth::kFalse, "Suspended", ""});
    }
    return Idle("Suspended", is_still ? "spec.suspend is true" : "what runs may end",
                is_still ? std::nullopt : std::optional(settings().poll));
  }

  /// One object at a time looks and writes, so that no two take one turn.
  Result<Next> TakeTurn() {
    if (HasOwnWorkers(order_.of) && !KnowsItsPods(*object_)) {
      return Idle("Starting", "", Duration::zero());
    }
    const MutexLock lock(reconciler_.turns_);
    const auto all = cluster_.All();
    if (const auto before = Before(*object_, all)) {
      return Idle("Queued", absl::StrCat("behind ", before->space, "/", before->name), kInLine);
    }
    draft_.SetField("startTime", controller::TimeText(wall_));
    return Idle("Starting", "", Duration::zero());
  }

  /// The run is begun, and goes on.
  Result<Next> Carry(kube::UnixTime started) {
    const Duration since = std::max<Duration>(wall_ - started, Duration::zero());
    if (handling_.deadline && since >= *handling_.deadline) return Miss();
    const Result<RunLook> look = runs().Advance(order_, since, !HasRun());
    if (!look.ok()) return Suffer(look.status());
    if (!look->lacking.empty()) return Lack(*look, since);
    if (look->end && look->jobs == 0) return GiveUp(*look->end);
    Count(*look);
    // Who may not list workers learns by the jobs that there are some.
    if (kind_.by_frontend && look->running + look->succeeded + look->failed > 0) {
      draft_.Set({"WorkersReady", Truth::kTrue, "WorkersFound", ""});
    }
    if (look->over) return Finish(*look);
    draft_.Set({"Succeeded", Truth::kUnknown, "Running", ""});
    return Show({"Running", Truth::kTrue, "Running", ""}, Until(settings().poll, since));
  }

  Result<Next> Lack(const RunLook& look, Duration since) {
    if (kind_.by_frontend) {
      draft_.Set({"WorkersReady", Truth::kFalse, look.lack, look.lacking});
    }
    return Idle(look.waits, look.lacking, Until(settings().patience, since));
  }

  void Count(const RunLook& look) {
    if (kind_.by_frontend) draft_.SetCounts(look);
  }

  /// activeDeadlineSeconds are over.
  Result<Next> Miss() {
    std::string text = absl::StrCat("its ", ToSeconds(*handling_.deadline),
                                    " s (activeDeadlineSeconds) are over; the run was cancelled");
    const Json* workers = kube::FindCondition(*object_, "WorkersReady");
    const std::string lacking = workers == nullptr || kube::TextAt(*workers, "/status") != "False"
                                    ? ""
                                    : kube::TextAt(*workers, "/message");
    if (!lacking.empty()) absl::StrAppend(&text, "; workers were missing: ", lacking);
    return Abandon({false, "DeadlineExceeded", text});
  }

  /// Workers that it needs do not come.
  Result<Next> GiveUp(const RunEnd& end) {
    draft_.Set({"WorkersReady", Truth::kFalse, end.reason, end.message});
    return Abandon(end);
  }

  Result<Next> Abandon(const RunEnd& end) {
    const Status cancelled = runs().Cancel(order_);
    if (!cancelled.ok()) return Suffer(cancelled);
    const Result<Results> results = runs().Summary(order_);
    return Conclude(end, results.ok() ? std::optional(*results) : std::nullopt);
  }

  /// The frontend does not do what we want, for now or for good.
  Result<Next> Suffer(const Status& status) {
    const Trouble trouble = TroubleOf(status, kind_.away);
    const std::string why(status.message());
    if (trouble.is_end) return Conclude({false, trouble.reason, why}, std::nullopt);
    return Await(trouble.reason, why);
  }

  /// Nothing can be done now; what runs goes on.
  Result<Next> Await(const std::string& reason, const std::string& why) {
    const StatusCondition running = {"Running", HasRun() ? Truth::kUnknown : Truth::kFalse, reason,
                                     why};
    return Show(running, settings().patience);
  }

  Result<Next> Finish(const RunLook& look) {
    if (look.stopped != Stopped::kNo) {
      const Status cancelled = runs().Cancel(order_);
      if (!cancelled.ok()) return Suffer(cancelled);
    }
    const Result<Results> results = runs().Summary(order_);
    if (!results.ok()) return Suffer(results.status());
    return Conclude(EndOf(look), *results);
  }

  /// The last word of the status.
  Result<Next> Conclude(const RunEnd& end, const std::optional<Results>& results) {
    draft_.SetField("completionTime", controller::TimeText(wall_));
    const Truth truth = end.succeeded ? Truth::kTrue : Truth::kFalse;
    draft_.Set({"Succeeded", truth, end.reason, end.message});
    if (!end.succeeded) draft_.Set({"Failed", Truth::kTrue, end.reason, end.message});
    if (results) kind_.tell_results(*object_, *results, draft_);
    if (results && kind_.by_frontend) {
      draft_.Set({"ResultsStored", Truth::kTrue, "InFrontend",
                  absl::StrCat("`twofold results ", order_.id, "` shows them")});
    }
    const std::string state = end.succeeded ? "Succeeded" : end.reason;
    return Show({"Running", Truth::kFalse, state, end.message}, Duration::zero());
  }

  /// It is over. It holds nothing, and goes when its time has come.
  Result<Next> Retire() {
    runs().Forget(order_.id);
    if (controller::HasFinalizer(*object_, kRunFinalizer)) {
      if (Status released = runs().Release(order_); !released.ok()) return released;
      Status freed = Free();
      return freed.ok() ? Result<Next>(Next{Duration::zero()}) : freed;
    }
    const auto completed = kube::TimeAt(*object_, "/status/completionTime");
    if (!handling_.keep || !completed) return Next{};
    const Duration left = *completed + *handling_.keep - wall_;
    if (left > Duration::zero()) return Next{left};
    kube::DeleteOptions options;
    options.uid = kube::TextAt(*object_, "/metadata/uid");
    options.propagation = kube::Propagation::kBackground;
    const Status deleted = Write(kube::Delete(kind_.resource, kube::NameOf(*object_), options));
    return deleted.ok() ? Result<Next>(Next{}) : deleted;
  }

  /// It is being deleted: so is its run, unless that is over.
  Result<Next> Leave() {
    if (!controller::HasFinalizer(*object_, kRunFinalizer)) return Next{};
    const bool is_over = !kube::TextAt(*object_, "/status/completionTime").empty();
    const Status cancelled = is_over ? absl::OkStatus() : runs().Cancel(order_);
    if (!cancelled.ok()) {
      const auto since = kube::TimeAt(*object_, "/metadata/deletionTimestamp");
      const bool waits = IsAway(cancelled) && since && wall_ - *since < settings().give_up;
      Tell({true, "RunNotCancelled", "Cancel",
            absl::StrCat("run ", order_.id, ": ", std::string(cancelled.message()))});
      if (waits) {
        Status told = kind_.tell == nullptr ? absl::OkStatus() : WriteNews();
        return told.ok() ? Result<Next>(Next{settings().patience}) : told;
      }
    }
    runs().Forget(order_.id);
    Status freed = Free();
    return freed.ok() ? Result<Next>(Next{}) : freed;
  }

  Status Free() {
    return Write(
        controller::RemoveFinalizer(kind_.resource, *object_, kRunFinalizer, AsOperator()));
  }

  /// Jobs of it have been submitted since its turn has come.
  [[nodiscard]] bool HasRun() const {
    const Json* running = kube::FindCondition(*object_, "Running");
    return running != nullptr && kube::TextAt(*running, "/status") != "False";
  }

  // ---- what is written

  /// So soon, but not after the deadline.
  [[nodiscard]] Duration Until(Duration wait, Duration since) const {
    if (!handling_.deadline) return wait;
    return std::clamp<Duration>(*handling_.deadline - since, Duration::zero(), wait);
  }

  /// No job of it runs or shall begin.
  Result<Next> Idle(const std::string& reason, const std::string& message,
                    std::optional<Duration> again) {
    draft_.Set({"Succeeded", Truth::kUnknown, reason, ""});
    return Show({"Running", Truth::kFalse, reason, message}, again);
  }

  Result<Next> Show(const StatusCondition& running, std::optional<Duration> again) {
    const bool is_news = draft_.Set(running);
    if (Status written = WriteNews(); !written.ok()) return written;
    if (is_news) Tell(HappeningOf(running));
    return Next{again};
  }

  Status WriteNews() {
    if (kind_.tell != nullptr) kind_.tell(*object_, draft_);
    return draft_.has_changed() ? WriteStatus() : absl::OkStatus();
  }

  /// What an older definition does not know the API server leaves out. Whoever has forgotten what
  /// was begun must not go on.
  Status WriteStatus() {
    const kube::Call call =
        kube::Apply(kind_.resource, draft_.Object(), true, AsOperator(), "status");
    const Result<Json> written = cluster_.Write(call);
    if (absl::IsNotFound(written.status())) return absl::OkStatus();
    if (!written.ok()) return written.status();
    for (const char* field : {"conditions", "workerPool"}) {
      const std::string path = absl::StrCat("/status/", field);
      if (!draft_.status().contains(field) || kube::At(*written, path) != nullptr) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          "the definition of ", kind_.resource.plural, ".", kind_.resource.group, " lacks status.",
          field, ": apply that of twofold-operator --print-crds ", kind_.resource.group));
    }
    return absl::OkStatus();
  }

  [[nodiscard]] controller::Happening HappeningOf(const StatusCondition& running) const {
    const bool is_well = running.status == Truth::kTrue || running.reason == "Succeeded" ||
                         running.reason == "Queued" || running.reason == "Starting" ||
                         running.reason == "Suspended" || running.reason == "Scheduled";
    if (handling_.schedule) return {!is_well, running.reason, "Schedule", running.message};
    return {!is_well, running.reason, "Run",
            absl::StrCat("run ", order_.id, running.message.empty() ? "" : ": ", running.message)};
  }

  void Tell(const controller::Happening& what) {
    reconciler_.events_.Tell(cluster_, *object_, what, now_, wall_);
  }

  Status Write(const kube::Call& call) { return controller::WriteIfThere(cluster_, call); }

  const ObjectKind& kind_;
  Runs& runs_;
  Reconciler& reconciler_;
  Cluster& cluster_;
  const controller::Snapshot object_;
  const RunOrder order_;
  const Handling handling_;
  const Instant now_;
  const kube::UnixTime wall_;
  StatusDraft draft_;
};

Reconciler::Reconciler(Settings settings, const std::string& instance)
    : settings_(settings), events_({.controller = kReporter, .instance = instance}) {}

Result<Next> Reconciler::Reconcile(const ObjectKind& kind, Runs& runs, Cluster& cluster,
                                   const kube::ObjectName& name, Instant now, kube::UnixTime wall) {
  controller::Snapshot object = cluster.Find(name);
  std::string gone;
  {
    const MutexLock lock(mutex_);
    if (object == nullptr) {
      const auto known = ids_.find({kind.resource.plural, name});
      if (known != ids_.end()) gone = known->second;
      ids_.erase({kind.resource.plural, name});
    } else {
      ids_[{kind.resource.plural, name}] = RunIdOf(*object);
    }
  }
  if (object != nullptr)
    return Pass(kind, runs, *this, cluster, std::move(object), now, wall).Run();
  if (!gone.empty()) runs.Forget(gone);
  return Next{};
}

}  // namespace twofold::benchmarks
