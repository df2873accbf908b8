// What others see of a generator.

#include <algorithm>
#include <utility>

#include "lib/load/engine/generator.h"

namespace twofold::load {
namespace {

constexpr std::uint64_t kMostCounted = 100'000;  // some 10 ms

// How many jobs are due until `t` and have not been taken; kMostCounted at most.
std::uint64_t CountDue(Schedule& schedule, Duration t) {
  std::uint64_t due = 0;
  for (; due < kMostCounted && schedule.NextDue() && *schedule.NextDue() <= t; ++due) {
    schedule.Take();
  }
  return due;
}

}  // namespace

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
  InFlight in_flight;
  Instant now;
  std::optional<Window> window;
  std::optional<Segment> recorded;
  std::optional<Schedule> schedule;
  {
    const MutexLock lock(mutex_);
    now = clock_();  // not before any end that the window knows
    window = accounts_.window();
    if (accounts_.recorder() != nullptr) recorded = accounts_.recorder()->total();
    in_flight = Outstanding();
    schedule = schedule_;
    DescribeLoad(now, snapshot);
    snapshot.link = lanes_.link();
    snapshot.parallelism = loop_.parallelism();
    snapshot.totals = accounts_.totals();
  }
  snapshot.pending = in_flight.jobs.size();
  snapshot.held_back =
      snapshot.parallelism - std::min<std::uint64_t>(snapshot.parallelism, snapshot.pending);
  if (schedule) snapshot.held_back += CountDue(*schedule, snapshot.load_time);
  window->Describe(now, in_flight, snapshot);
  snapshot.warm = recorded.has_value();
  if (!recorded) return snapshot;
  snapshot.estimate = recorded->Estimate(now, in_flight.at_work);
  snapshot.times = recorded->TimesWith(in_flight.jobs, now);
  snapshot.jobs = recorded->counts();
  return snapshot;
}

RunState Generator::State() const {
  const MutexLock lock(mutex_);
  const Recorder* const recorder = accounts_.recorder();
  if (recorder == nullptr) return {.over = over_};
  return {over_, recorder->measured(), recorder->longest_life()};
}

std::optional<Recorder> Generator::Recorded() const {
  const MutexLock lock(mutex_);
  if (accounts_.recorder() == nullptr) return std::nullopt;
  std::optional<Recorder> recorded = *accounts_.recorder();
  const Instant now = clock_();
  if (const std::optional<Instant> lost = lanes_.lost_since()) {
    recorded->Spoil({.trouble = Trouble::kLink, .from = *lost, .to = now});
  }
  recorded->Advance(now, loop_.outstanding(), [] { return std::vector<Instant>(); });
  recorded->Finish(now, Outstanding().jobs);
  return recorded;
}

// ---- with the lock held

InFlight Generator::Outstanding() const {
  InFlight in_flight;
  in_flight.jobs.reserve(loop_.outstanding());
  std::vector<std::vector<Instant>> sent(lanes_.size());
  loop_.ForEachOutstanding([&](LoadLoop::Tag, const LoadLoop::Sent& job) {
    in_flight.jobs.push_back({job.due, job.submitted});
    sent[job.lane].push_back(job.submitted);
  });
  for (std::size_t lane = 0; lane < sent.size(); ++lane) {
    lanes_.AddAtWork(static_cast<Lane>(lane), sent[lane], in_flight.at_work);
  }
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
