#include "kubernetes/lifecycle/phase.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/api/resource_finder.h"
#include "kubernetes/lifecycle/journal/journal_lines.h"
#include "kubernetes/lifecycle/moments/life.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kSyncPatience = std::chrono::seconds(60);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
constexpr Duration kDrain = std::chrono::milliseconds(300);  // one watch may be behind another
constexpr std::size_t kBatch = 500;  // lives a look at a time, so that the watches go on

bool Fills(const PhasePlan& plan) {
  return plan.sends != nullptr && !plan.sends->each.phase.empty();
}

/// What has no labels of ours is told by its owners, whichever phase it is of.
kube::Selection SelectionOf(const kube::Resource& resource, const PhasePlan& plan, bool labelled) {
  kube::Selection selection{resource, plan.record.space};
  if (!labelled) return selection;
  selection.labels =
      absl::StrCat(std::string(kRunLabel), "=", plan.record.run, ",", std::string(kPhaseLabel),
                   Fills(plan) ? "=" : "!=", std::string(kFillPhase));
  return selection;
}

/// What controllers add may have no definition in this cluster, which is no reason not to measure
/// the rest.
std::string NotWatched(const Kind& kind, const kube::Resource& resource) {
  std::vector<std::string> missing;
  for (const MomentSign& each : kind.signs) {
    if (each.sign.object == resource.kind) missing.emplace_back(Name(each.moment));
  }
  if (kind.has_decisions && resource.kind == kDecisionKind)
    missing.emplace_back(Name(Moment::kDecided));
  return absl::StrCat("no ", resource.kind, " is watched, as the cluster has no ",
                      kube::ApiVersion(resource), missing.empty() ? "" : "; missing are ",
                      absl::StrJoin(missing, ", "));
}

}  // namespace

Phase::Phase(const kube::Access& access, PhasePlan plan, Observed& observed,
             Interruption& interruption)
    : access_(access),
      plan_(std::move(plan)),
      observed_(observed),
      interruption_(interruption),
      made_(Now()),
      tally_(plan_.before) {}

Phase::~Phase() { End(); }

Result<std::vector<kube::Selection>> Phase::Selections(kube::Connection& connection) {
  std::vector<kube::Selection> selections;
  const auto add = [&](const kube::Resource& resource, bool labelled) {
    const bool known = std::any_of(selections.begin(), selections.end(),
                                   [&](const auto& each) { return each.resource == resource; });
    if (!known) selections.push_back(SelectionOf(resource, plan_, labelled));
  };
  add(plan_.record.resources.front(), true);
  add(kube::kPods, plan_.record.labels_pods);
  kube::ResourceFinder finder(connection);
  for (const Versions& beside : observed_.kind().beside) {
    const auto resource = finder.FindFirst(beside);
    if (resource.ok()) {
      add(*resource, false);
    } else if (absl::IsNotFound(resource.status())) {
      unwatched_.push_back(NotWatched(observed_.kind(), beside.front()));
      spdlog::warn("{}", unwatched_.back());
    } else {
      return resource.status();
    }
  }
  if (plan_.record.claims > 0) {
    add(kube::kPersistentVolumeClaims, plan_.record.labels_pods);
  }
  kube::Selection records = SelectionOf(kube::kConfigMaps, plan_, false);
  records.labels = absl::StrCat(std::string(kRunLabel), "=", plan_.record.run);
  selections.push_back(std::move(records));
  return selections;
}

Status Phase::Begin(kube::Connection& connection) {
  Status status;
  if (plan_.watches) {
    const auto selections = Selections(connection);
    if (!selections.ok()) return selections.status();
    const bool stamps = plan_.sends == nullptr;
    follower_ = std::make_unique<Follower>(
        access_, Following{plan_.record.run, *selections, plan_.canary, stamps}, plan_.watch,
        observed_);
    status = AwaitSync();
  }
  if (!status.ok()) return status;
  canaries_ = std::make_unique<Canaries>(
      access_, kube::ObjectName{plan_.record.space, plan_.canary}, observed_);
  return absl::OkStatus();
}

Status Phase::AwaitSync() {
  const Instant deadline = Now() + kSyncPatience;
  while (interruption_.Pause(Now())) {
    const Status status = follower_->AwaitSync(Now() + kBetweenLooks);
    if (!absl::IsDeadlineExceeded(status) || Now() >= deadline) return status;
  }
  return absl::CancelledError("interrupted before the watches were up");
}

void Phase::Start() {
  if (plan_.sends == nullptr) return;
  submitter_ =
      std::make_unique<Submitter>(access_, *plan_.sends, plan_.record.resources, observed_);
  etcd_guard_ =
      std::make_unique<EtcdGuard>(access_, plan_.sends->etcd, [this] { submitter_->Cease(); });
}

Status Phase::Await(const Say& say, Duration between) {
  Status status = AwaitEnd(say, between);
  status.Update(StopSending());
  return status;
}

Status Phase::AwaitEnd(const Say& say, Duration between) {
  const Instant begin = Now();
  Instant next_line = begin + between;
  Instant over_since = Instant::max();
  while (interruption_.Pause(Now() + kBetweenLooks)) {
    const Look look = follower_ ? LookAll() : Look{};
    const Instant now = Now();
    const Instant since = WaitedSince(now, look);
    KeepTally();
    if (submitter_ && !submitter_->failure().ok()) return submitter_->failure();
    if (now - since > plan_.settle) return absl::OkStatus();
    over_since = IsOver(look) ? std::min(over_since, now) : Instant::max();
    if (IsOver(look) && (!follower_ || now - over_since >= kDrain)) return absl::OkStatus();
    if (now < next_line) continue;
    say(LineOf(now - begin, look));
    next_line = now + between;
  }
  return absl::CancelledError(follower_ ? "interrupted: the report is of what came until then"
                                        : "interrupted: not all workloads were sent");
}

Status Phase::StopSending() {
  if (!submitter_) return absl::OkStatus();
  etcd_guard_->Stop();
  submitter_->Stop();
  return etcd_guard_->verdict();
}

/// Since when nothing is waited for but workloads; while others are sent, since the last sign of
/// that.
Instant Phase::WaitedSince(Instant now, const Look& look) {
  const SenderSign sign = submitter_ || !follower_ ? SenderSign{now} : follower_->sender();
  const bool all_sent = submitter_ ? submitter_->Await(now) : sign.all_sent || look.unsent == 0;
  if (all_sent && !all_sent_) {
    all_sent_ = now;
    if (submitter_) canaries_->SayAllSent();
  }
  return all_sent_.value_or(std::max(made_, sign.last));
}

bool Phase::IsOver(const Look& look) const {
  if (!all_sent_) return false;
  return !follower_ || (look.open == look.unsent && follower_->sees_all());
}

/// How many workloads have not come to their end. Each is asked until it has, and never again.
Phase::Look Phase::LookAll() {
  Look look;
  look.all = observed_.With([](Observer& observer) { return observer.lives().size(); });
  for (; looked_at_ < look.all; ++looked_at_) open_.push_back(looked_at_);
  std::vector<std::size_t> still;
  for (std::size_t begin = 0; begin < open_.size(); begin += kBatch) {
    observed_.With([&](Observer& observer) {
      const std::size_t end = std::min(open_.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) {
        const Life& life = observer.lives()[open_[i]];
        const State state = StateOf(observed_.kind(), life, SightsOf(life));
        if (lifecycle::IsOver(state, plan_.until_ready)) continue;
        still.push_back(open_[i]);
        if (state == State::kNotSent) ++look.unsent;
      }
    });
  }
  open_ = std::move(still);
  look.open = open_.size();
  return look;
}

std::string Phase::LineOf(Duration time, const Look& look) {
  if (!submitter_) {
    return absl::StrFormat("%.0f s: run %s: %d of %d sent, %d not over", ToSeconds(time),
                           plan_.record.run, look.all - look.unsent, look.all,
                           look.open - look.unsent);
  }
  const SendCounts sent = counts();
  const std::uint32_t count = plan_.sends->each.spec.count();
  if (Fills(plan_)) {
    return absl::StrFormat("fill: %d of %d sent, %d not ready", sent.sent, count, look.open);
  }
  const std::string line =
      absl::StrFormat("%.0f s: %d of %d sent, %d created, %d late, %d throttled", ToSeconds(time),
                      sent.sent, count, sent.created, sent.late, sent.throttled);
  return follower_ ? absl::StrCat(line, ", ", look.open, " not over") : line;
}

SendCounts Phase::counts() { return submitter_ ? submitter_->counts() : plan_.before.sending; }

/// Into the journal, if something has changed.
void Phase::KeepTally() {
  Tally tally = tally_;
  tally.sending = counts();
  if (follower_) tally.breaks = plan_.before.breaks + follower_->breaks();
  if (tally == tally_) return;
  tally_ = tally;
  breaks_ = tally.breaks;
  if (plan_.journal == nullptr) return;
  plan_.journal->Write(lifecycle::LineOf(tally_, observed_.anchor().UnixNs(Now())));
}

void Phase::End() {
  if (canaries_) canaries_->Stop();
  if (!follower_) return;
  KeepTally();
  follower_.reset();
}

std::vector<std::string> Phase::notes() {
  std::vector<std::string> notes = unwatched_;
  if (const Status failure = canaries_ ? canaries_->failure() : Status(); !failure.ok()) {
    notes.push_back(
        absl::StrCat("not all canaries were written: ", std::string(failure.message())));
  }
  const Status journal = plan_.journal != nullptr ? plan_.journal->failure() : Status();
  if (!journal.ok()) notes.emplace_back(journal.message());
  if (submitter_) NoteEtcd(notes);
  return notes;
}

void Phase::NoteEtcd(std::vector<std::string>& notes) {
  if (plan_.sends->etcd.quota == 0) return;
  if (const Status verdict = etcd_guard_->verdict(); !verdict.ok()) {
    notes.emplace_back(verdict.message());
  } else if (const Status blind = etcd_guard_->blind(); !blind.ok()) {
    notes.push_back(absl::StrCat("nobody watched how full etcd is: ", std::string(blind.message()),
                                 "; --etcd-quota 0 says that it need not be"));
  }
}

}  // namespace twofold::lifecycle
