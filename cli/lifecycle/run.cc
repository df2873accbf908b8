#include "cli/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/lifecycle/fill.h"
#include "cli/lifecycle/flow_control.h"
#include "cli/lifecycle/moments/fields.h"
#include "cli/lifecycle/resources.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kSyncPatience = std::chrono::seconds(60);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
constexpr Duration kDrain = std::chrono::milliseconds(300);  // one watch may be behind another

Anchor AnchorNow() {
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  return {Now(), std::chrono::duration_cast<std::chrono::nanoseconds>(unix_time).count()};
}

Result<std::vector<kube::Resource>> ResourcesFor(kube::Connection& connection,
                                                 const std::vector<Object>& objects) {
  ResourceFinder finder(connection);
  std::vector<kube::Resource> resources;
  for (const Object& object : objects) {
    const auto resource = finder.FindOf(object);
    if (!resource.ok()) return resource.status();
    resources.push_back(*resource);
  }
  return resources;
}

/// Whether the object has pod templates, which have our labels then.
bool LabelsPods(const Object& value, bool top = true) {
  if (!value.is_structured()) return false;
  if (!top && value.is_object() && !LabelOf(value, kRunLabel).empty()) return true;
  return std::any_of(value.begin(), value.end(),
                     [](const Object& each) { return LabelsPods(each, false); });
}

kube::Selection SelectionOf(const kube::Resource& resource, const RunSettings& settings,
                            bool labelled) {
  kube::Selection selection;
  selection.resource = resource;
  selection.space = settings.each.space;
  if (labelled) selection.labels = absl::StrCat(std::string(kRunLabel), "=", settings.name);
  return selection;
}

/// What a server that cannot try out says; it can create all the same.
bool CannotTryOut(const Status& status) {
  return std::string(status.message()).find("does not support dry run") != std::string::npos;
}

std::string RefusalNote(const SubmitCounts& counts) {
  std::string reasons;
  for (const auto& [reason, count] : counts.refused) {
    absl::StrAppend(&reasons, reasons.empty() ? "" : ", ", count, " ", reason);
  }
  return absl::StrCat("not all workloads were created: ", reasons, "; the first: ", counts.refusal);
}

}  // namespace

Result<std::vector<std::string>> TryOut(kube::Connection& connection, const RunSettings& settings) {
  const auto objects = RenderOne(settings, 0);
  if (!objects.ok()) return objects.status();
  const auto resources = ResourcesFor(connection, *objects);
  if (!resources.ok()) return resources.status();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < objects->size(); ++i) {
    kube::WriteOptions options;
    options.dry_run = true;
    const kube::Call call = kube::Create((*resources)[i], (*objects)[i], options);
    const auto reply = connection.Do(call);
    if (!reply.ok()) return reply.status();
    words.push_back(absl::StrCat(call.what, ": ", reply->status, " in a dry run"));
  }
  return words;
}

bool IsExempt(kube::Connection& connection) {
  kube::Call call;
  call.method = "POST";
  call.target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  call.content_type = "application/json";
  call.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
  call.what = "ask who we are";
  const auto reply = connection.Do(call);
  if (!reply.ok()) return false;
  const kube::Json* const groups = kube::At(reply->body, "/status/userInfo/groups");
  return groups != nullptr && groups->is_array() &&
         std::find(groups->begin(), groups->end(), "system:masters") != groups->end();
}

Run::Run(kube::Access access, RunSettings settings, kube::WatchOptions watch)
    : access_(std::move(access)),
      settings_(std::move(settings)),
      watch_(watch),
      anchor_(AnchorNow()) {}

Run::~Run() = default;

void Run::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  changed_.NotifyAll();
}

/// False: interrupted.
bool Run::Pause(Instant until) {
  MutexLock lock(mutex_);
  while (!interrupted_ && changed_.WaitUntil(mutex_, until)) {
  }
  return !interrupted_;
}

Status Run::Execute(const std::function<void(const std::string&)>& progress, Duration between) {
  kube::Connection connection(access_);
  progress_ = progress;
  for (const auto step :
       {&Run::Prepare, &Run::CheckStorage, &Run::WriteRecord, &Run::FillFirst, &Run::Watch}) {
    if (!Pause(Now())) return absl::CancelledError("interrupted before the first workload");
    if (const Status status = (this->*step)(connection); !status.ok()) return status;
  }
  canaries_ = std::make_unique<Canaries>(
      access_, Record{settings_.name, settings_.each.space, {}, {}}, *follower_);
  open_ = std::make_unique<OpenLives>(*follower_, *settings_.kind, settings_.until_ready);
  submitter_ = std::make_unique<Submitter>(access_, settings_, resources_, *follower_);
  guard_ =
      std::make_unique<StorageGuard>(access_, settings_.storage, [this] { submitter_->Cease(); });
  Status status = Settle(between);
  guard_->Stop();
  submitter_->Stop();
  status.Update(guard_->verdict());
  canaries_->Stop();
  end_ = Now();
  breaks_ = follower_->breaks();
  follower_->Stop();
  const auto flows = submitter_->counts().throttled_by;
  if (!flows.empty()) flows_ = DescribeFlows(connection, flows);
  return status;
}

Status Run::Prepare(kube::Connection& connection) {
  auto first = RenderOne(settings_, 0);
  if (!first.ok()) return first.status();
  first_ = *std::move(first);
  auto resources = ResourcesFor(connection, first_);
  if (!resources.ok()) return resources.status();
  resources_ = *std::move(resources);
  const kube::ObjectName record{settings_.each.space, settings_.name};
  const Status found = connection.Do(kube::Get(kube::kConfigMaps, record)).status();
  if (found.ok()) return NameIsTaken();
  if (!absl::IsNotFound(found)) return found;
  const Status tried = TryOut(connection, settings_).status();
  return CannotTryOut(tried) ? absl::OkStatus() : tried;
}

/// Nothing is begun that would be stopped at once.
Status Run::CheckStorage(kube::Connection& connection) {
  if (settings_.storage.quota == 0) return absl::OkStatus();
  const auto bytes = ReadStorageSize(connection);
  return bytes.ok() ? CheckRoom(*bytes, settings_.storage) : absl::OkStatus();
}

Status Run::WriteRecord(kube::Connection& connection) {
  Record record{settings_.name, settings_.each.space, std::string(settings_.kind->name), {}};
  record.resources = resources_;
  const Status status = CreateOurs(connection, kube::kConfigMaps, ToObject(record)).status();
  begun_ = !absl::IsAlreadyExists(status);
  return begun_ ? status : NameIsTaken();
}

Status Run::NameIsTaken() const {
  return absl::FailedPreconditionError(absl::StrCat(
      "there is a ConfigMap ", settings_.name, " in namespace ", settings_.each.space,
      " already: choose another --name, or remove that run with `twofold lifecycle clean --run ",
      settings_.name, " --namespace ", settings_.each.space, "`"));
}

/// Before the watches of what is measured, which so have nothing of it.
Status Run::FillFirst(kube::Connection& connection) {
  if (const Status status = Select(connection); !status.ok()) return status;
  if (settings_.fill == 0) return absl::OkStatus();
  auto fill = Fill({access_, settings_, resources_, selections_, watch_,
                    [this](Instant until) { return Pause(until); }, progress_});
  if (!fill.ok()) return fill.status();
  fill_ = *std::move(fill);
  selections_ = InPhase(selections_, false);
  return absl::OkStatus();
}

Status Run::Select(kube::Connection& connection) {
  std::vector<kube::Selection>& selections = selections_;
  const auto add = [&](const kube::Resource& resource, bool labelled) {
    const bool known = std::any_of(selections.begin(), selections.end(),
                                   [&](const auto& each) { return each.resource == resource; });
    if (!known) selections.push_back(SelectionOf(resource, settings_, labelled));
  };
  add(resources_.front(), true);
  add(kube::kPods, LabelsPods(first_.front()));
  ResourceFinder finder(connection);
  for (const Resource& beside : settings_.kind->beside) {
    const auto resource = finder.Find(beside);
    if (!resource.ok()) return resource.status();
    add(*resource, false);
  }
  if (ClaimsOf(*settings_.kind, settings_.each) > 0) {
    add(kube::kPersistentVolumeClaims, LabelsPods(first_.front()));
  }
  add(kube::kConfigMaps, true);
  return absl::OkStatus();
}

Status Run::Watch(kube::Connection& /*connection*/) {
  follower_ =
      std::make_unique<Follower>(access_, *settings_.kind, settings_.name, selections_, watch_);
  const Instant deadline = Now() + kSyncPatience;
  while (Pause(Now())) {
    const Status status = follower_->AwaitSync(Now() + kBetweenLooks);
    if (!absl::IsDeadlineExceeded(status) || Now() >= deadline) return status;
  }
  return absl::CancelledError("interrupted before the first workload");
}

Status Run::Settle(Duration between) {
  const Instant begin = Now();
  Instant next_line = begin + between;
  std::optional<Instant> submitted;
  Instant over_since = Instant::max();  // no optional: g++ 12 takes it for uninitialised
  while (Pause(Now() + kBetweenLooks)) {
    const Instant now = Now();
    if (const Status failure = submitter_->failure(); !failure.ok()) return failure;
    if (!submitted && submitter_->Await(now)) submitted = now;
    if (submitted && now - *submitted > settings_.settle) return absl::OkStatus();
    const bool over = submitted && open_->Count() == 0 && follower_->sees_all();
    over_since = over ? std::min(over_since, now) : Instant::max();
    if (over && now - over_since >= kDrain) return absl::OkStatus();
    if (now < next_line) continue;
    progress_(ProgressLine(now - begin));
    next_line = now + between;
  }
  return absl::CancelledError("interrupted: the report is of what was sent until then");
}

std::string Run::ProgressLine(Duration time) {
  const SubmitCounts counts = submitter_->counts();
  const std::size_t open = open_->Count();
  return absl::StrFormat("%.0f s: %d of %d sent, %d created, %d late, %d throttled, %d not over",
                         ToSeconds(time), counts.sent, settings_.count, counts.created, counts.late,
                         counts.throttled, open);
}

void Run::AddNotes(Report& report, const SubmitCounts& counts) {
  const auto note = [&](const std::string& text) { report.notes.push_back(text); };
  if (counts.sent < settings_.count) {
    note(absl::StrCat("ended early: ", counts.sent, " of ", settings_.count,
                      " workloads were sent"));
  }
  if (!counts.refused.empty()) note(RefusalNote(counts));
  if (counts.late * 100 > counts.sent) {
    note(absl::StrFormat(
        "the generator was late: %d of %d workloads were sent more than %d ms after their instant, "
        "so the rate was not kept; take more --connections, or a lower --rate",
        counts.late, counts.sent,
        std::chrono::duration_cast<std::chrono::milliseconds>(Submitter::kLate).count()));
  }
  if (counts.throttled > 0) {
    note(absl::StrFormat(
        "limit: the API server asked to wait %d times (429), for %.1f s together%s; its flow "
        "control, not its speed, decides what follows",
        counts.throttled, ToSeconds(counts.throttled_time), flows_.empty() ? "" : ": " + flows_));
  }
  if (const Status failure = canaries_->failure(); !failure.ok()) {
    note(absl::StrCat("not all canaries were written: ", std::string(failure.message())));
  }
}

void Run::AddStorageNote(Report& report) {
  if (settings_.storage.quota == 0 || !guard_) return;
  if (const Status verdict = guard_->verdict(); !verdict.ok()) {
    report.notes.emplace_back(verdict.message());
  } else if (const Status blind = guard_->blind(); !blind.ok()) {
    report.notes.push_back(
        absl::StrCat("nobody watched how full etcd is: ", std::string(blind.message()),
                     "; --etcd-quota 0 says that it need not be"));
  }
}

Report Run::report() {
  Report report;
  if (!submitter_) return report;
  std::size_t open_canaries = 0;
  report = follower_->With([&](Observer& observer) {
    open_canaries = observer.open_canaries();
    return ReportOf(*settings_.kind, observer, anchor_, end_);
  });
  const SubmitCounts counts = submitter_->counts();
  for (const auto& [name, count] : Counts{{"late_sends", counts.late},
                                          {"throttled", counts.throttled},
                                          {"repeated_creates", counts.repeated},
                                          {"watch_breaks", breaks_},
                                          {"unseen_canaries", open_canaries}}) {
    report.counts.emplace_back(name, count);
  }
  report.fill = fill_;
  AddNotes(report, counts);
  AddStorageNote(report);
  return report;
}

std::vector<Life> Run::lives() {
  if (!follower_) return {};
  return follower_->With([](Observer& observer) { return observer.lives(); });
}

std::string Run::TimesCsv() { return lifecycle::TimesCsv(*settings_.kind, lives(), anchor_); }

}  // namespace twofold::lifecycle
