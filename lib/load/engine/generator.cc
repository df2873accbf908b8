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

std::uint32_t Generator::parallelism() const {
  const MutexLock lock(mutex_);
  return loop_.parallelism();
}

std::size_t Generator::outstanding() const {
  const MutexLock lock(mutex_);
  return loop_.outstanding();
}

Snapshot Generator::Look() const {
  Snapshot snapshot;
  snapshot.queue = queue_;
  snapshot.frontend = frontend_;
  std::vector<Instant> in_flight;
  Instant now;
  std::optional<Window> window;
  {
    const MutexLock lock(mutex_);
    now = clock_();  // not before any end that the window knows
    window = accounts_.window();
    in_flight = InFlight();
    DescribeLoad(now, snapshot);
    snapshot.link = link_;
    snapshot.parallelism = loop_.parallelism();
    snapshot.totals = accounts_.totals();
  }
  snapshot.pending = in_flight.size();
  snapshot.held_back =
      snapshot.parallelism - std::min<std::uint64_t>(snapshot.parallelism, snapshot.pending);
  window->Describe(now, in_flight, snapshot);
  return snapshot;
}

// ---- for the session

std::size_t Generator::Connected(std::shared_ptr<JobSink> sink) {
  std::size_t again = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    link_ = Link::kConnected;
    sink_ = std::move(sink);
    if (lost_since_) accounts_.Spoil({.trouble = Trouble::kLink, .from = *lost_since_, .to = now});
    lost_since_.reset();
    again = loop_.outstanding();
    loop_.ForEachOutstanding([this](LoadLoop::Tag tag, const LoadLoop::Sent& job) {
      mutex_.AssertHeld();
      to_submit_[job.kind].push_back(tag);
    });
    if (profile_ && !schedule_) BeginLoad(now);
  });
  return again;
}

void Generator::Disconnected() {
  const MutexLock lock(mutex_);
  link_ = Link::kReconnecting;
  sink_.reset();
  lost_since_ = clock_();
  accounts_.Interrupted();
}

std::optional<Instant> Generator::OnReply(const v1::SubmitReply& reply) {
  return Do([&](Instant now) {
    mutex_.AssertHeld();
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

RunState Generator::State() const {
  const MutexLock lock(mutex_);
  const Recorder* const recorder = accounts_.recorder();
  return {over_, recorder != nullptr ? recorder->measured() : 0};
}

Snapshot Generator::LookRecorded() const {
  Snapshot snapshot = Look();
  std::optional<Tally> total;
  std::vector<Instant> in_flight;
  Instant now;
  {
    const MutexLock lock(mutex_);
    const Recorder* const recorder = accounts_.recorder();
    if (recorder == nullptr || !recorder->total()) return snapshot;
    now = clock_();
    total = recorder->total();
    in_flight = InFlight();
  }
  snapshot.warm = true;
  snapshot.estimate = total->Estimate(now, in_flight);
  snapshot.latencies = total->latencies();
  snapshot.open = total->open();
  return snapshot;
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

std::optional<Recorder> Generator::Recorded() const {
  const MutexLock lock(mutex_);
  if (accounts_.recorder() == nullptr) return std::nullopt;
  std::optional<Recorder> recorded = *accounts_.recorder();
  const Instant now = clock_();
  if (lost_since_) recorded->Spoil({.trouble = Trouble::kLink, .from = *lost_since_, .to = now});
  const bool open = recorded->total() && recorded->total()->open();
  if (open && loop_.outstanding() > 0) {
    recorded->Spoil({.trouble = Trouble::kUnanswered,
                     .from = recorded->closed_at().value_or(now),
                     .to = now,
                     .jobs = loop_.outstanding()});
  }
  return recorded;
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

std::vector<Instant> Generator::InFlight() const {
  std::vector<Instant> in_flight;
  in_flight.reserve(loop_.outstanding());
  loop_.ForEachOutstanding([&in_flight](LoadLoop::Tag, const LoadLoop::Sent& job) {
    in_flight.push_back(job.submitted);
  });
  return in_flight;
}

void Generator::DescribeLoad(Instant now, Snapshot& snapshot) const {
  snapshot.load_over = over_;
  if (!profile_) return;
  snapshot.profile = profile_;
  if (!schedule_) return;
  snapshot.load_time = now - began_;
  snapshot.rate = schedule_->Rate(snapshot.load_time);
  const std::size_t stage = schedule_->StageAt(snapshot.load_time);
  if (stage < profile_->stages.size()) snapshot.stage = stage;
}

}  // namespace twofold::load
