#include "cli/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/lifecycle/evidence_of_run.h"
#include "cli/lifecycle/moments/fields.h"
#include "cli/lifecycle/resources.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kSyncPatience = std::chrono::seconds(60);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
constexpr Duration kDrain = std::chrono::milliseconds(300);  // one watch may be behind another
constexpr std::size_t kBatch = 500;  // lives a look at a time, so that the watches go on

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

bool IsOver(const Kind& kind, const Life& life, bool until_ready) {
  const Sights sights = SightsOf(life);
  switch (StateOf(kind, life, sights)) {
    case State::kComplete:
    case State::kFailed:
    case State::kDeleted:
    case State::kRefused:
      return true;
    case State::kReady:
      return until_ready;
    case State::kNotReady:
    case State::kNeverSeen:
    case State::kNotSent:
      return false;
  }
  return false;
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
      anchor_(AnchorNow()),
      connection_(access_) {}

Run::~Run() = default;

void Run::Interrupt() {
  {
    MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.NotifyAll();
  }
  connection_.Interrupt();
}

/// False: interrupted.
bool Run::Pause(Instant until) {
  MutexLock lock(mutex_);
  while (!interrupted_ && changed_.WaitUntil(mutex_, until)) {
  }
  return !interrupted_;
}

Status Run::Execute(const std::function<void(const std::string&)>& progress, Duration between) {
  const Status interrupted = absl::CancelledError("interrupted before the first workload");
  for (const auto step : {&Run::Prepare, &Run::WriteRecord, &Run::Watch}) {
    if (!Pause(Now())) return interrupted;
    const Status status = (this->*step)(connection_);
    if (!status.ok()) return absl::IsCancelled(status) ? interrupted : status;
  }
  canaries_ = std::make_unique<Canaries>(
      access_, Record{settings_.name, settings_.each.space, {}, {}}, *follower_);
  submitter_ = std::make_unique<Submitter>(access_, settings_, resources_, *follower_);
  sends_ = true;
  const Status status = Settle(progress, between);
  submitter_->Stop();
  canaries_->Stop();
  end_ = Now();
  breaks_ = follower_->breaks();
  follower_->Stop();
  if (events_) {
    if (Pause(Now())) events_->AwaitQuiet();
    events_->Stop();
  }
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

Status Run::Watch(kube::Connection& connection) {
  std::vector<kube::Selection> selections;
  const auto add = [&](const kube::Resource& resource, bool labelled) {
    const bool known = std::any_of(selections.begin(), selections.end(),
                                   [&](const auto& each) { return each.resource == resource; });
    if (!known) selections.push_back(SelectionOf(resource, settings_, labelled));
  };
  add(resources_.front(), true);
  add(kube::kPods, LabelsPods(first_.front()));
  ResourceFinder finder(connection);
  for (const kube::Resource& beside : settings_.kind->beside) {
    const auto resource = finder.Find(beside);
    if (!resource.ok()) return resource.status();
    add(*resource, false);
  }
  add(kube::kConfigMaps, true);
  follower_ =
      std::make_unique<Follower>(access_, *settings_.kind, settings_.name, selections, watch_);
  if (settings_.events) {
    events_ = std::make_unique<EventFollower>(access_, settings_.each.space, anchor_, watch_);
  }
  const Instant deadline = Now() + kSyncPatience;
  while (Pause(Now())) {
    const Status status = follower_->AwaitSync(Now() + kBetweenLooks);
    if (!absl::IsDeadlineExceeded(status) || Now() >= deadline) return status;
  }
  return absl::CancelledError("interrupted before the first workload");
}

Status Run::Settle(const std::function<void(const std::string&)>& progress, Duration between) {
  const Instant begin = Now();
  Instant next_line = begin + between;
  std::optional<Instant> submitted;
  std::optional<Instant> over_since;
  while (Pause(Now() + kBetweenLooks)) {
    const Instant now = Now();
    if (!submitted && submitter_->Await(now)) submitted = now;
    if (submitted && now - *submitted > settings_.settle) return absl::OkStatus();
    const bool over = submitted && CountOpen() == 0 && follower_->sees_all();
    if (!over) over_since.reset();
    if (over && !over_since) over_since = now;
    if (over && now - *over_since >= kDrain) return absl::OkStatus();
    if (now < next_line) continue;
    progress(ProgressLine(now - begin));
    next_line = now + between;
  }
  return absl::CancelledError("interrupted: the report is of what was sent until then");
}

/// How many workloads have not come to their end. Each is asked until it has, and never again.
std::size_t Run::CountOpen() {
  const std::size_t all =
      follower_->With([](Observer& observer) { return observer.lives().size(); });
  for (; looked_at_ < all; ++looked_at_) open_.push_back(looked_at_);
  std::vector<std::size_t> still;
  for (std::size_t begin = 0; begin < open_.size(); begin += kBatch) {
    follower_->With([&](Observer& observer) {
      const std::size_t end = std::min(open_.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) {
        const Life& life = observer.lives()[open_[i]];
        if (!IsOver(*settings_.kind, life, settings_.until_ready)) still.push_back(open_[i]);
      }
    });
  }
  open_ = std::move(still);
  return open_.size();
}

std::string Run::ProgressLine(Duration time) {
  const SubmitCounts counts = submitter_->counts();
  const std::size_t open = CountOpen();
  return absl::StrFormat("%.0f s: %d of %d sent, %d created, %d late, %d throttled, %d not over",
                         ToSeconds(time), counts.sent, settings_.count, counts.created, counts.late,
                         counts.throttled, open);
}

void Run::AddNotes(Report& report, const SubmitCounts& counts) {
  const auto note = [&](const std::string& text) { report.notes.push_back(text); };
  if (counts.sent < settings_.count) {
    note(absl::StrCat("interrupted: ", counts.sent, " of ", settings_.count,
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
        "limit: the API server asked to wait %d times (429), for %.1f s together; its flow "
        "control, not its speed, decides what follows",
        counts.throttled, ToSeconds(counts.throttled_time)));
  }
  if (const Status failure = canaries_->failure(); !failure.ok()) {
    note(absl::StrCat("not all canaries were written: ", std::string(failure.message())));
  }
}

std::optional<RunProgress> Run::progress() {
  if (!sends_) return std::nullopt;
  RunProgress progress;
  progress.planned = settings_.count;
  progress.submitted = submitter_->counts();
  progress.watch_breaks = follower_->breaks();
  const auto slice = [&](std::size_t begin) {
    return follower_->With([&](const Observer& observer) {
      const auto& lives = observer.lives();
      const std::size_t end = std::min(lives.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) {
        progress.Add(*settings_.kind, lives[i],
                     IsOver(*settings_.kind, lives[i], settings_.until_ready));
      }
      return end;
    });
  };
  for (std::size_t at = 0, end = slice(0); end > at; end = slice(at)) at = end;
  follower_->With([&](const Observer& observer) {
    for (const CanaryLag& lag : observer.lags()) progress.Add(lag);
  });
  return progress;
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
  AddNotes(report, counts);
  follower_->With([&](Observer& observer) {
    AddEvidence({*settings_.kind, observer.lives(), anchor_, events_.get(), settings_.audit},
                report);
  });
  return report;
}

std::vector<Life> Run::lives() {
  if (!follower_) return {};
  return follower_->With([](Observer& observer) { return observer.lives(); });
}

std::string Run::TimesCsv() { return lifecycle::TimesCsv(*settings_.kind, lives(), anchor_); }

}  // namespace twofold::lifecycle
