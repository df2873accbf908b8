#include "kubernetes/lifecycle/watching.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/resources.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kSyncPatience = std::chrono::seconds(60);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
constexpr Duration kDrain = std::chrono::milliseconds(300);  // one watch may be behind another
constexpr std::size_t kBatch = 500;  // lives a look at a time, so that the watches go on

/// What has no labels of ours is told by its owners, whichever phase it is of.
kube::Selection SelectionOf(const kube::Resource& resource, const WatchPlan& plan, bool labelled) {
  kube::Selection selection;
  selection.resource = resource;
  selection.space = plan.record.space;
  if (labelled) {
    selection.labels =
        absl::StrCat(std::string(kRunLabel), "=", plan.record.run, ",", std::string(kPhaseLabel),
                     plan.fills ? "=" : "!=", std::string(kFillPhase));
  }
  return selection;
}

}  // namespace

bool IsOver(State state, bool until_ready) {
  switch (state) {
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

Watching::Watching(kube::Access access, WatchPlan plan, Observed& observed,
                   Interruption& interruption)
    : access_(std::move(access)),
      plan_(std::move(plan)),
      observed_(observed),
      interruption_(interruption),
      tally_(plan_.before) {}

Watching::~Watching() { End(tally_.sending); }

Result<std::vector<kube::Selection>> Watching::Selections(kube::Connection& connection) const {
  std::vector<kube::Selection> selections;
  const auto add = [&](const kube::Resource& resource, bool labelled) {
    const bool known = std::any_of(selections.begin(), selections.end(),
                                   [&](const auto& each) { return each.resource == resource; });
    if (!known) selections.push_back(SelectionOf(resource, plan_, labelled));
  };
  add(plan_.record.resources.front(), true);
  add(kube::kPods, plan_.record.labels_pods);
  ResourceFinder finder(connection);
  for (const kube::Resource& beside : observed_.kind().beside) {
    const auto resource = finder.Find(beside);
    if (!resource.ok()) return resource.status();
    add(*resource, false);
  }
  if (plan_.record.claims > 0) {
    add(kube::kPersistentVolumeClaims, plan_.record.labels_pods);
  }
  kube::Selection records = SelectionOf(kube::kConfigMaps, plan_, false);
  records.labels = absl::StrCat(std::string(kRunLabel), "=", plan_.record.run);
  selections.push_back(std::move(records));
  return selections;
}

Status Watching::Begin(kube::Connection& connection) {
  const auto selections = Selections(connection);
  if (!selections.ok()) return selections.status();
  follower_ = std::make_unique<Follower>(
      access_, Following{plan_.record.run, *selections, plan_.canary, !plan_.is_sender},
      plan_.watch, observed_);
  const Instant deadline = Now() + kSyncPatience;
  while (interruption_.Pause(Now())) {
    const Status status = follower_->AwaitSync(Now() + kBetweenLooks);
    if (status.ok()) {
      canaries_ = std::make_unique<Canaries>(
          access_, kube::ObjectName{plan_.record.space, plan_.canary}, observed_);
    }
    if (!absl::IsDeadlineExceeded(status) || Now() >= deadline) return status;
  }
  return absl::CancelledError("interrupted before the watches were up");
}

Status Watching::Await(const std::function<Sending(Instant, const Progress&)>& sending,
                       const std::function<void(Duration, const Progress&)>& progress,
                       Duration between) {
  const Instant begin = Now();
  Instant next_line = begin + between;
  Instant over_since = Instant::max();
  while (interruption_.Pause(Now() + kBetweenLooks)) {
    const Progress look = LookAll();
    const Instant now = Now();
    const Sending sent = sending(now, look);
    if (const Tally tally = TallyWith(sent.counts); tally != tally_) Keep(tally);
    if (!sent.failure.ok()) return sent.failure;
    if (now - sent.since > plan_.end.settle) return absl::OkStatus();
    const bool over = sent.over && look.open == look.unsent && follower_->sees_all();
    over_since = over ? std::min(over_since, now) : Instant::max();
    if (over && now - over_since >= kDrain) return absl::OkStatus();
    if (now < next_line) continue;
    progress(now - begin, look);
    next_line = now + between;
  }
  return absl::CancelledError("interrupted: the report is of what came until then");
}

/// How many workloads have not come to their end. Each is asked until it has, and never again.
Progress Watching::LookAll() {
  Progress look;
  look.all = observed_.With([](Observer& observer) { return observer.lives().size(); });
  for (; looked_at_ < look.all; ++looked_at_) open_.push_back(looked_at_);
  std::vector<std::size_t> still;
  for (std::size_t begin = 0; begin < open_.size(); begin += kBatch) {
    observed_.With([&](Observer& observer) {
      const std::size_t end = std::min(open_.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) {
        const Life& life = observer.lives()[open_[i]];
        const State state = StateOf(observed_.kind(), life, SightsOf(life));
        if (IsOver(state, plan_.end.until_ready)) continue;
        still.push_back(open_[i]);
        if (state == State::kNotSent) ++look.unsent;
      }
    });
  }
  open_ = std::move(still);
  look.open = open_.size();
  return look;
}

Tally Watching::TallyWith(const SubmitCounts& counts) {
  Tally tally = tally_;
  tally.sending = counts;
  tally.breaks = plan_.before.breaks + follower_->breaks();
  return tally;
}

void Watching::Keep(const Tally& tally) {
  tally_ = tally;
  breaks_ = tally.breaks;
  if (plan_.journal == nullptr) return;
  plan_.journal->Write(LineOf(tally_, observed_.anchor().UnixNs(Now())));
}

std::vector<std::string> Watching::notes() {
  std::vector<std::string> notes;
  if (const Status failure = canaries_ ? canaries_->failure() : Status(); !failure.ok()) {
    notes.push_back(
        absl::StrCat("not all canaries were written: ", std::string(failure.message())));
  }
  const Status journal = plan_.journal != nullptr ? plan_.journal->failure() : Status();
  if (!journal.ok()) notes.push_back(std::string(journal.message()));
  return notes;
}

void Watching::End(const SubmitCounts& counts) {
  if (canaries_) canaries_->Stop();
  if (!follower_) return;
  Keep(TallyWith(counts));
  follower_.reset();
}

}  // namespace twofold::lifecycle
