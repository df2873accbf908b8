#include "lib/load/engine/generator.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "lib/rpc/batches.h"

namespace twofold::load {

Generator::Generator(std::string queue, std::string frontend, Instant start, Instant (*clock)())
    : queue_(std::move(queue)), frontend_(std::move(frontend)), clock_(clock), accounts_(start) {}

// Makes a change with the lock held, submits what is missing then, and sends it without the lock.
template <typename Change>
std::optional<Instant> Generator::Do(const Change& change) {
  std::shared_ptr<JobSink> sink;
  std::optional<Instant> next_tick;
  {
    const MutexLock lock(mutex_);
    const Instant now = clock_();
    if (schedule_) FollowProfile(now);  // what has ended before now, before what happens now
    change(now);
    sink = StartMissing(now);
    next_tick = NextTick(now);
  }
  if (sink) sink->Flush();
  return next_tick;
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
  std::shared_ptr<JobSink> sink;
  const std::optional<Instant> next = Do([&](Instant now) {
    mutex_.AssertHeld();
    if (finishing_) return;
    Result<std::vector<std::uint32_t>> kinds = KindsOf(*profile);
    if (status = kinds.status(); !status.ok()) return;
    profile_kinds_ = *std::move(kinds);
    if (profile_ || loop_.parallelism() > 0) accounts_.window().LoadChanged();
    profile_ = std::move(profile);
    schedule_.reset();
    full_since_.reset();
    open_ = over_ = false;
    loop_.SetParallelism(0);
    if (sink_) BeginLoad(now);
    sink = sink_;
  });
  if (sink && next) sink->TickAt(*next);
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
  if (link_ == Link::kReconnecting) accounts_.window().Interrupted();
}

// ---- for the session

std::size_t Generator::Connected(std::shared_ptr<JobSink> sink) {
  std::size_t again = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    link_ = Link::kConnected;
    sink_ = std::move(sink);
    if (lost_since_) accounts_.Spoil({.trouble = Trouble::kLink, .from = *lost_since_, .to = now});
    lost_before_ = std::exchange(lost_since_, std::nullopt);
    loop_.ForEachOutstanding([&](LoadLoop::Tag tag, const LoadLoop::Sent& job) {
      mutex_.AssertHeld();
      if (left_.Has(tag)) return;
      to_submit_[job.kind].push_back(tag);
      ++again;
    });
    if (profile_ && !schedule_) BeginLoad(now);
  });
  return again;
}

void Generator::Moved(const JobSink& stream, std::span<const LoadLoop::Tag> given_back) {
  Do([&](Instant) {
    mutex_.AssertHeld();
    if (sink_.get() == &stream) {
      Leave();
      lost_since_ = std::exchange(lost_before_, std::nullopt);
      link_ = lost_since_ ? Link::kReconnecting : Link::kMoving;
    }
    for (const LoadLoop::Tag tag : given_back) {
      if (left_.Take(tag, &stream)) SubmitAgain(tag);
    }
  });
}

std::size_t Generator::Ended(const JobSink& stream) {
  std::size_t unanswered = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    const bool lost = sink_.get() == &stream;
    if (lost) Leave();
    for (const LoadLoop::Tag tag : left_.TakeAll(&stream)) {
      if (SubmitAgain(tag)) ++unanswered;
    }
    if (lost) return Lose(now);
    if (unanswered == 0) return;
    accounts_.Interrupted();
    accounts_.Spoil({.trouble = Trouble::kLink, .from = now, .to = now});
  });
  return unanswered;
}

void Generator::Disconnected() {
  const MutexLock lock(mutex_);
  if (link_ != Link::kConnecting) Lose(clock_());
}

std::optional<Instant> Generator::OnReply(const v1::SubmitReply& reply) {
  return Do([&](Instant now) {
    mutex_.AssertHeld();
    if (!reply.results().tags().empty()) lost_before_.reset();
    accounts_.BeginAnswers(reply.results());
    const bool rejected = EndAll(reply.results(), now);
    if (rejected) loop_.Rejected(now, FromWire(reply.retry_after_ns()));
  });
}

std::optional<Instant> Generator::Tick() {
  return Do([](Instant) {});
}

void Generator::Finish() {
  const MutexLock lock(mutex_);
  finishing_ = true;
  profile_.reset();
  schedule_.reset();
  loop_.SetParallelism(0);
}

// ---- for a run that is recorded

void Generator::RecordNext(WarmUp warm_up) {
  const MutexLock lock(mutex_);
  accounts_.RecordNext(warm_up);
}

void Generator::EndLoad() {
  const MutexLock lock(mutex_);
  const Instant now = clock_();
  if (schedule_) FollowProfile(now);
  profile_.reset();
  schedule_.reset();
  over_ = true;
  loop_.SetParallelism(0);
  if (Recorder* const recorder = accounts_.recorder()) recorder->Close(now, InFlight());
}

// ---- with the lock held

// Returns whether a job was rejected.
bool Generator::EndAll(const v1::ResultBatch& batch, Instant now) {
  bool rejected = false;
  rpc::ForEach(batch, [&](const rpc::ResultRow& row) {
    mutex_.AssertHeld();
    const std::optional<LoadLoop::Sent> sent = loop_.End(row.tag);
    if (!sent) return accounts_.AnsweredUnknown();
    rejected |= row.outcome == v1::OUTCOME_REJECTED;
    accounts_.Answered(row, *sent, now);
  });
  return rejected;
}

// Submits what is missing, and what is in `to_submit_` already. Returns the sink to be flushed once
// the lock is released; nullptr if nothing was added.
std::shared_ptr<JobSink> Generator::StartMissing(Instant now) {
  if (schedule_) FollowProfile(now);
  if (!sink_) return nullptr;
  loop_.Start(now, [this, now](LoadLoop::Tag tag) {
    mutex_.AssertHeld();
    to_submit_[0].push_back(tag);
    accounts_.Sent(now);
  });
  if (schedule_) SendDue(now);
  bool added = false;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (to_submit_[kind].empty()) continue;
    sink_->Add(to_submit_[kind], kinds_[kind].get());
    to_submit_[kind].clear();
    added = true;
  }
  return added ? sink_ : nullptr;
}

// ---- streams

// At once if a stream is up; else the next one gets all that is on none. False: the job has ended.
bool Generator::SubmitAgain(LoadLoop::Tag tag) {
  const std::optional<LoadLoop::Sent> job = loop_.Find(tag);
  if (job && sink_) to_submit_[job->kind].push_back(tag);
  return job.has_value();
}

// The stream that is up takes no more; its jobs stay on it.
void Generator::Leave() {
  loop_.ForEachOutstanding([this](LoadLoop::Tag tag, const LoadLoop::Sent&) {
    mutex_.AssertHeld();
    if (!left_.Has(tag)) left_.Add(tag, sink_.get());
  });
  sink_.reset();
}

void Generator::Lose(Instant now) {
  link_ = Link::kReconnecting;
  if (lost_since_) return;
  lost_since_ = now;
  accounts_.Interrupted();
}

// ---- profiles

Result<std::vector<std::uint32_t>> Generator::KindsOf(const Profile& profile) {
  std::vector<std::uint32_t> indices;
  for (const WeightedJob& weighted : profile.jobs) {
    const auto same = [&](const std::shared_ptr<const JobTemplate>& kind) {
      return kind && kind->spec == weighted.job.spec &&
             kind->options.SerializeAsString() == weighted.job.options.SerializeAsString();
    };
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), same);
    indices.push_back(static_cast<std::uint32_t>(found - kinds_.begin()));
    if (found != kinds_.end()) continue;
    if (kinds_.size() >= kMostKinds) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "jobs: at most ", kMostKinds, " different ones since the start; start a new client"));
    }
    kinds_.push_back(std::make_shared<const JobTemplate>(weighted.job));
    to_submit_.emplace_back();
  }
  if (indices.empty()) indices.push_back(0);
  return indices;
}

void Generator::BeginLoad(Instant now) {
  schedule_.emplace(profile_);
  began_ = now;
  next_change_ = Duration(0);
  accounts_.BeginLoad(*schedule_, now);
}

// Does what the profile says of the parallelism, and ends it.
void Generator::FollowProfile(Instant now) {
  const Duration t = now - began_;
  if (next_change_ && t >= *next_change_) {
    const std::uint32_t parallelism = schedule_->Parallelism(t);
    const bool open = schedule_->IsOpen(t);
    if (t > Duration(0) && (parallelism != loop_.parallelism() || open != open_)) {
      accounts_.window().LoadChanged();
    }
    loop_.SetParallelism(parallelism);
    open_ = open;
    next_change_ = schedule_->NextChange(t);
    over_ = t >= schedule_->End();
  }
  Recorder* const recorder = accounts_.recorder();
  if (recorder == nullptr) return;
  recorder->Advance(now, loop_.outstanding(), loop_.parallelism(), open_, [this] {
    mutex_.AssertHeld();
    return InFlight();
  });
  if (over_ && !recorder->closed_at()) recorder->Close(began_ + schedule_->End(), InFlight());
}

// Sends the jobs that are due; those for which there is no room wait.
void Generator::SendDue(Instant now) {
  const auto is_due = [&] {
    mutex_.AssertHeld();
    const std::optional<Duration> due = schedule_->NextDue();
    return due && began_ + *due <= now;
  };
  while (is_due() && loop_.outstanding() < outstanding_max_) {
    const DueJob job = schedule_->Take();
    const Instant due = began_ + job.due;
    const std::uint32_t kind = profile_kinds_[job.kind];
    to_submit_[kind].push_back(loop_.Send(now, due, kind));
    accounts_.SentDue(now, due);
  }
  if (full_since_) accounts_.Spoil({.trouble = Trouble::kFull, .from = *full_since_, .to = now});
  full_since_ = is_due() ? std::optional(now) : std::nullopt;
}

// When Tick must be called: for jobs that were rejected, for the next due job, for what the profile
// changes. Not for due jobs that wait for room: the answer that makes it sends them.
std::optional<Instant> Generator::NextTick(Instant now) const {
  std::optional<Instant> next = loop_.NextStart();
  const auto consider = [&](std::optional<Duration> t) {
    mutex_.AssertHeld();
    if (!t || began_ + *t <= now) return;
    next = next ? std::min(*next, began_ + *t) : began_ + *t;
  };
  if (schedule_) {
    consider(schedule_->NextDue());
    consider(next_change_);
  }
  return next;
}

}  // namespace twofold::load
