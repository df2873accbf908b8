#include "lib/load/engine/generator.h"

#include <utility>

#include "lib/rpc/batches.h"

namespace twofold::load {

Generator::Generator(std::string queue, std::string frontend, Instant start, Instant (*clock)())
    : queue_(std::move(queue)), frontend_(std::move(frontend)), clock_(clock), accounts_(start) {}

// Makes a change with the lock held, sends what is missing then, and flushes it without the lock,
// as it says when Tick must be called. Jobs that follow no other begin at lane `preferred`.
void Generator::Do(absl::FunctionRef<void(Instant now)> change, Lane preferred) {
  FlushList flushes;
  std::optional<Instant> next_tick;
  std::function<void(Instant)> tick_at;
  {
    const MutexLock lock(mutex_);
    const Instant now = clock_();
    if (schedule_) FollowProfile(now);  // what has ended before now, before what happens now
    change(now);
    SendMissing(now, preferred, flushes);
    next_tick = NextTick(now);
    tick_at = tick_at_;
  }
  for (const std::shared_ptr<JobSink>& sink : flushes) sink->Flush();
  if (next_tick && tick_at) tick_at(*next_tick);
}

// ---- for people

void Generator::SetParallelism(std::uint32_t parallelism) {
  Do([&](Instant) {
    mutex_.AssertHeld();
    if (finishing_) return;
    if (profile_) accounts_.window().LoadChanged();
    if (parallelism != loop_.parallelism()) accounts_.window().ParallelismChanged();
    profile_.reset();
    schedule_.reset();
    full_since_.reset();
    open_ = over_ = false;
    loop_.SetParallelism(parallelism);
  });
}

Status Generator::SetProfile(std::shared_ptr<const Profile> profile) {
  Status status;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    if (finishing_) return;
    Result<std::vector<std::uint32_t>> kinds = kinds_.Of(*profile);
    if (status = kinds.status(); !status.ok()) return;
    profile_kinds_ = *std::move(kinds);
    if (profile_ || loop_.parallelism() > 0) accounts_.window().LoadChanged();
    profile_ = std::move(profile);
    schedule_.reset();
    full_since_.reset();
    open_ = over_ = false;
    loop_.SetParallelism(0);
    if (lanes_.AnyIsUp()) BeginLoad(now);
  });
  return status;
}

void Generator::SetOutstandingMax(std::size_t most) {
  const MutexLock lock(mutex_);
  outstanding_max_ = most;
}

void Generator::Observe(Duration throttled) {
  const MutexLock lock(mutex_);
  const Instant now = clock_();
  if (throttled_ && throttled - *throttled_ > kMostThrottled) {
    accounts_.Spoil({.trouble = Trouble::kThrottled,
                     .from = observed_,
                     .to = now,
                     .worst = throttled - *throttled_});
  }
  throttled_ = throttled;
  observed_ = now;
}

void Generator::Reset() {
  const MutexLock lock(mutex_);
  accounts_.Reset(clock_());
  if (lanes_.lost_since()) accounts_.window().Interrupted();
}

// ---- for a run that is recorded

void Generator::RecordNext(WarmUp warm_up) {
  const MutexLock lock(mutex_);
  accounts_.RecordNext(warm_up);
}

void Generator::EndLoad() {
  Do([&](Instant now) {
    mutex_.AssertHeld();
    if (schedule_ && lanes_.AnyIsUp()) SendDue(now);
    Close(now);
    profile_.reset();
    schedule_.reset();
    over_ = true;
  });
}

void Generator::Finish() {
  const MutexLock lock(mutex_);
  finishing_ = true;
  profile_.reset();
  schedule_.reset();
  loop_.SetParallelism(0);
}

// ---- the way of a job, with the lock held

// Hands over what is missing, and what is to be submitted again. Adds the sinks to be flushed once
// the lock is released.
void Generator::SendMissing(Instant now, Lane preferred, FlushList& flushes) {
  if (schedule_) FollowProfile(now);
  if (lanes_.AnyIsUp()) {
    if (paused_until_) EndPause(now);
    for (std::size_t n = loop_.Grant(now); n > 0;) n -= SendSome(now, n, preferred);
    if (schedule_) SendDue(now);
  }
  lanes_.HandOver(kinds_, flushes);
}

// Sends so many jobs of a closed loop if there is one lane, one if there are several: the next may
// have to go elsewhere. Returns how many.
std::size_t Generator::SendSome(Instant now, std::size_t count, Lane preferred) {
  if (lanes_.AreSeveral()) count = 1;
  const Lane lane = LaneFor(0, preferred);
  std::vector<LoadLoop::Tag>& jobs = lanes_.Jobs(lane, 0);
  for (std::size_t n = count; n > 0; --n) {
    const std::optional<OpenJob> again = loop_.TakeRefused();
    jobs.push_back(loop_.Send(now, again ? again->planned : now, 0, lane, lanes_.sink(lane).get()));
    if (!again) accounts_.Sent(now, now, /*open_loop=*/false);
  }
  return count;
}

// Sends the jobs that are due; those for which there is no room wait.
void Generator::SendDue(Instant now) {
  if (IsClosed()) return;
  while (IsDue(now) && loop_.outstanding() < outstanding_max_) {
    const DueJob job = schedule_->Take();
    const Instant due = began_ + job.due;
    const std::uint32_t kind = profile_kinds_[job.kind];
    const Lane lane = LaneFor(kind, lanes_.Turn());
    lanes_.Jobs(lane, kind).push_back(loop_.Send(now, due, kind, lane, lanes_.sink(lane).get()));
    accounts_.Sent(due, now, /*open_loop=*/true);
  }
  if (full_since_) accounts_.Spoil({.trouble = Trouble::kFull, .from = *full_since_, .to = now});
  full_since_ = IsDue(now) ? std::optional(now) : std::nullopt;
}

bool Generator::IsDue(Instant now) const {
  const std::optional<Duration> due = schedule_->NextDue();
  return due && began_ + *due <= now;
}

void Generator::OnReply(const v1::SubmitReply& reply, Lane lane) {
  const auto take = [&](Instant now) {
    mutex_.AssertHeld();
    if (!reply.results().tags().empty()) Heard(reply, lane, now);
    accounts_.BeginAnswers(reply.results());
    const bool rejected = EndAll(reply.results(), now);
    if (rejected) loop_.Rejected(now, BoundedNs(reply.retry_after_ns()));
  };
  Do(take, lane);
}

void Generator::Heard(const v1::SubmitReply& reply, Lane lane, Instant now) {
  const Lanes::Others others = lanes_.Answered(lane, reply, now);
  if (others.jobs == 0) return;
  accounts_.Spoil(
      {.trouble = Trouble::kShared, .from = others.since, .to = now, .jobs = others.jobs});
}

// Returns whether a job was rejected. Such a job of a closed loop goes out again.
bool Generator::EndAll(const v1::ResultBatch& batch, Instant now) {
  bool rejected = false;
  rpc::ForEach(batch, [&](const rpc::ResultRow& row) {
    mutex_.AssertHeld();
    const std::optional<LoadLoop::Sent> sent = loop_.End(row.tag);
    if (!sent) return accounts_.AnsweredUnknown();
    const bool refused = row.outcome == v1::OUTCOME_REJECTED;
    const bool again = refused && sent->kind == 0 && loop_.parallelism() > 0;
    if (again) loop_.Refused({sent->due, sent->submitted});
    rejected |= refused;
    accounts_.Answered(row, *sent, now, again);
  });
  return rejected;
}

void Generator::OnTick(std::function<void(Instant when)> tick_at) {
  const MutexLock lock(mutex_);
  tick_at_ = std::move(tick_at);
}

void Generator::Tick() {
  Do([](Instant) {});
}

// When Tick must be called: for jobs that were rejected or pause, for the next due job, for what
// the profile changes. Not for jobs that can only be sent when something else has happened: those
// that wait for room, or for a stream.
std::optional<Instant> Generator::NextTick(Instant now) const {
  std::optional<Instant> next;
  const auto consider = [&next](std::optional<Instant> when) {
    if (when && (!next || *when < *next)) next = when;
  };
  if (lanes_.AnyIsUp()) {
    consider(loop_.NextStart());
    consider(paused_until_);
  }
  if (!schedule_) return next;
  if (const Recorder* const recorder = accounts_.recorder()) {
    if (const auto warm = recorder->WarmUpEndsBy(); warm && *warm > now) consider(warm);
  }
  for (const std::optional<Duration> t : {schedule_->NextDue(), next_change_}) {
    if (t && began_ + *t > now) consider(began_ + *t);
  }
  return next;
}

// ---- profiles

void Generator::BeginLoad(Instant now) {
  schedule_.emplace(profile_);
  began_ = now;
  next_change_ = Duration(0);
  accounts_.BeginLoad(*schedule_, now);
}

// Does what the profile says of the parallelism, and ends it.
void Generator::FollowProfile(Instant now) {
  const Duration t = now - began_;
  Recorder* const recorder = accounts_.recorder();
  if (recorder != nullptr) {
    recorder->Advance(now, loop_.outstanding(), [this] {
      mutex_.AssertHeld();
      return Outstanding().at_work;
    });
  }
  if (!next_change_ || t < *next_change_) return;
  const std::uint32_t parallelism = schedule_->Parallelism(t);
  const bool open = schedule_->IsOpen(t);
  if (t > Duration(0) && (parallelism != loop_.parallelism() || open != open_)) {
    accounts_.window().LoadChanged();
  }
  loop_.SetParallelism(parallelism);
  open_ = open;
  next_change_ = schedule_->NextChange(t);
  over_ = t >= schedule_->End();
  if (!over_ || recorder == nullptr) return;
  if (lanes_.AnyIsUp()) SendDue(now);
  Close(began_ + schedule_->End());
}

bool Generator::IsClosed() const {
  return accounts_.recorder() != nullptr && accounts_.recorder()->closed_at();
}

// Ends the load that is recorded: what was not sent until now never is.
void Generator::Close(Instant at) {
  loop_.SetParallelism(0);
  Recorder* const recorder = accounts_.recorder();
  if (recorder == nullptr || recorder->closed_at()) return;
  recorder->Close(at, Outstanding().at_work);
  for (; schedule_ && IsDue(at - Duration(1)); schedule_->Take()) {
    recorder->GivenUp(began_ + *schedule_->NextDue());
  }
  while (const std::optional<OpenJob> job = loop_.TakeRefused()) accounts_.EndedRefused(*job, at);
}

}  // namespace twofold::load
