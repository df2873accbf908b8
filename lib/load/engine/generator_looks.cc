// What others see of a generator.

#include <algorithm>
#include <utility>

#include "lib/load/engine/generator.h"

namespace twofold::load {

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
    snapshot.link = lanes_.link();
    snapshot.parallelism = loop_.parallelism();
    snapshot.totals = accounts_.totals();
  }
  snapshot.pending = in_flight.size();
  snapshot.held_back =
      snapshot.parallelism - std::min<std::uint64_t>(snapshot.parallelism, snapshot.pending);
  window->Describe(now, in_flight, snapshot);
  return snapshot;
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

std::optional<Recorder> Generator::Recorded() const {
  const MutexLock lock(mutex_);
  if (accounts_.recorder() == nullptr) return std::nullopt;
  std::optional<Recorder> recorded = *accounts_.recorder();
  const Instant now = clock_();
  if (const std::optional<Instant> lost = lanes_.lost_since()) {
    recorded->Spoil({.trouble = Trouble::kLink, .from = *lost, .to = now});
  }
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
