#include "frontend/cluster/membership.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <utility>
#include <variant>

#include "lib/common/shard_name.h"

namespace twofold::frontend {
namespace {

namespace effect = cluster::effect;
namespace input = cluster::input;

cluster::Incarnation RandomIncarnation() {
  std::random_device random;
  return std::uniform_int_distribution<cluster::Incarnation>(1, cluster::kHighestNumber)(random);
}

cluster::OwnershipOptions ToOwnership(const MembershipOptions& options,
                                      cluster::Incarnation incarnation) {
  return {.name = options.me.name, .incarnation = incarnation, .ttl = options.ttl};
}

/// What looks at the database, and must not wait for what changes it.
template <typename Effect>
constexpr bool kLooks =
    std::is_same_v<Effect, effect::Look> || std::is_same_v<Effect, effect::Beat>;

}  // namespace

Result<std::map<std::string, cluster::PartitionNumber>> Membership::NumberQueues(
    const postgres::Target& target, const std::vector<std::string>& queues) {
  OwnershipTables tables(target, {}, 0, std::chrono::seconds(10));
  if (Status status = tables.AddQueues(queues); !status.ok()) return status;
  const auto look = tables.Read();
  if (!look.ok()) return look.status();
  std::map<std::string, cluster::PartitionNumber> numbers;
  for (const auto& [number, queue] : look->queues) {
    if (std::find(queues.begin(), queues.end(), queue) != queues.end()) {
      numbers[queue] = number;
    } else if (const std::string base(QueueOfShard(queue));
               base != queue && std::find(queues.begin(), queues.end(), base) != queues.end()) {
      // Its jobs would be served by nobody.
      return absl::FailedPreconditionError(
          absl::StrCat("--shards: ", target.name(), " has a shard '", queue,
                       "'; a queue can get more shards, not fewer"));
    }
  }
  return numbers;
}

Membership::Membership(QueueSet& queues, Storage& storage, Directory& directory,
                       MembershipOptions options)
    : queues_(queues),
      directory_(directory),
      options_(std::move(options)),
      incarnation_(RandomIncarnation()),
      ownership_(ToOwnership(options_, incarnation_)),
      looked_at_(Now()),
      looks_(*storage.shared(), options_.me, incarnation_, ToOwnership(options_, 1).Patience()),
      changes_(*storage.shared(), options_.me, incarnation_,
               ToOwnership(options_, 1).ClaimPatience()),
      keeper_(queues, storage, options_.strict,
              [this](const cluster::Input& input) { (void)Step(input); }),
      clock_([this] { KeepTime(); }) {}

Membership::~Membership() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.NotifyAll();
  clock_.join();
  looker_.Stop();
  mover_.Stop();
  keeper_.CloseAll();
}

// ---- Steps

Status Membership::Step(const cluster::Input& input) {
  Status status;
  {
    const MutexLock lock(mutex_);
    status = ownership_.Step(Now(), input, effects_);
    Dispatch(effects_);
    effects_.clear();
  }
  changed_.NotifyAll();
  return status;
}

void Membership::Dispatch(const std::vector<cluster::Effect>& effects) {
  if (stopped_) return;
  for (const cluster::Effect& effect : effects) {
    std::visit(
        [&](const auto& one) {
          TaskThreads& thread = kLooks<std::decay_t<decltype(one)>> ? looker_ : mover_;
          thread.Post([this, one] { Do(one); });
        },
        effect);
  }
}

void Membership::KeepTime() {
  for (;;) {
    {
      const MutexLock lock(mutex_);
      const Instant due = ownership_.NextDeadline();
      if (!stopped_ && Now() < due) {
        changed_.WaitUntil(mutex_, std::min(due, Now() + std::chrono::hours(1)));
      }
      if (stopped_) return;
      if (Now() < ownership_.NextDeadline()) continue;
    }
    (void)Step(input::Tick{});
  }
}

// ---- Looks and beats

void Membership::Do(const effect::Look& look) {
  auto seen = looks_.Read();
  if (!seen.ok()) {
    Miss(std::string(seen.status().message()));
    (void)Step(input::LookFailed{look.number});
    return Publish();
  }
  // Queues that this frontend does not have are for others.
  cluster::View view = seen->view;
  std::erase_if(view.partitions,
                [&](const auto& row) { return keeper_.Find(row.number) == nullptr; });
  Seen(*std::move(seen));
  Publish();  // before the step, which may end this frontend: callers learn who comes after it
  if (const Status status = Step(input::Looked{look.number, std::move(view)}); !status.ok()) {
    spdlog::error("the tables of frontends cannot be used: {}", std::string(status.message()));
  }
}

void Membership::Do(const effect::Beat& beat) {
  for (const auto& host : queues_.all()) host->Look(Now());  // hangs if the queue does
  const cluster::Verdict verdict = looks_.Write(beat);
  (void)Step(input::Beaten{beat.beat, verdict});
}

// ---- Changes

void Membership::Do(const effect::Claim& claim) {
  const input::Claimed claimed = changes_.Write(claim);
  if (claimed.verdict == cluster::Verdict::kDone) versions_[claim.partition] = claimed.version;
  (void)Step(claimed);
}

void Membership::Do(const effect::Release& release) {
  const cluster::Verdict verdict = changes_.Write(release);
  if (verdict == cluster::Verdict::kDone) options_.released();
  (void)Step(input::Released{release.partition, release.epoch, verdict});
}

void Membership::Do(const effect::Mark& mark) { changes_.Write(mark); }

void Membership::Do(const effect::Open& open) {
  bool forgets = false;
  {
    const MutexLock lock(mutex_);
    // One of the owners deletes old jobs for all.
    forgets = !look_.queues.empty() && look_.queues.begin()->first == open.partition;
  }
  const Status status =
      keeper_.Open({open.partition, open.epoch, incarnation_, versions_[open.partition]}, forgets);
  if (!status.ok()) {
    spdlog::error("queue {} cannot be served yet: {}", keeper_.Find(open.partition)->name(),
                  std::string(status.message()));
    (void)Step(input::Deposed{open.partition, open.epoch});
  }
  // After the Resume that was asked for together with this: callers who wait bring durable jobs.
  const MutexLock lock(mutex_);
  if (!stopped_) mover_.Post([this] { Publish(); });
}

void Membership::Do(const effect::Resume& resume) {
  QueueHost::Turn(*keeper_.Find(resume.partition), Now()).Suspend(false);
}

void Membership::Do(const effect::Suspend& suspend) {
  QueueHost::Turn(*keeper_.Find(suspend.partition), Now()).Suspend(true);
}

void Membership::Do(const effect::Close& close) {
  keeper_.Finish(close.partition);
  directory_.Leave(keeper_.Find(close.partition)->name());  // it has no jobs from now on
  keeper_.Close(close.partition);
  Publish();  // callers wait for the next owner while the last decisions are written
  keeper_.Settle(close.partition);
}

void Membership::Do(const effect::Lost& lost) {
  ++losses_;
  spdlog::error(
      "queue {}: the database has lost commits that it had acknowledged (epoch {}, version {}; now "
      "epoch {}, version {}); durable jobs wait until somebody runs 'twofold frontend accept {} "
      "--yes'",
      keeper_.Find(lost.partition)->name(), lost.known_epoch, lost.known_version, lost.found_epoch,
      lost.found_version, keeper_.Find(lost.partition)->name());
}

void Membership::Do(const effect::Drained& /*drained*/) {
  {
    const MutexLock lock(mutex_);
    drained_ = true;
  }
  changed_.NotifyAll();
}

void Membership::Do(const effect::Replaced& /*replaced*/) {
  spdlog::error("another frontend has taken the name {}; this one ends", options_.me.name);
  options_.replaced();
}

// ---- Admin

bool Membership::Drain(Duration limit) {
  StartDrain();
  const Instant until = Now() + limit;
  const MutexLock lock(mutex_);
  while (!drained_ && changed_.WaitUntil(mutex_, until)) {
  }
  return drained_;
}

void Membership::StartDrain() {
  {
    const MutexLock lock(mutex_);
    draining_ = true;
  }
  (void)Step(input::Drain{});
}

Status Membership::Move(const std::string& queue, const std::string& to) {
  const auto number = NumberOf(queue);
  if (!number.ok()) return number.status();
  return Step(input::Move{*number, to});
}

Status Membership::Accept(const std::string& queue) {
  const auto number = NumberOf(queue);
  if (!number.ok()) return number.status();
  return Step(input::Accept{*number});
}

}  // namespace twofold::frontend
