// How streams come and go, and what becomes of the jobs that are on them.

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/load/engine/generator.h"

namespace twofold::load {

void Generator::Open(Lane lane) {
  const MutexLock lock(mutex_);
  lanes_.Open(lane);
}

std::size_t Generator::Connected(std::shared_ptr<JobSink> sink, Lane lane) {
  std::size_t again = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    const std::optional<Instant> lost = lanes_.Connected(lane, std::move(sink), now);
    if (lost) accounts_.Spoil({.trouble = Trouble::kLink, .from = *lost, .to = now});
    loop_.ForEachOutstanding([&](LoadLoop::Tag tag, const LoadLoop::Sent& job) {
      mutex_.AssertHeld();
      if (job.lane != lane || left_.Has(tag)) return;
      lanes_.Jobs(lane, job.kind).push_back(tag);
      ++again;
    });
    if (profile_ && !schedule_) BeginLoad(now);
  });
  return again;
}

void Generator::Moved(const JobSink& stream, std::span<const LoadLoop::Tag> given_back, Lane lane) {
  Do([&](Instant) {
    mutex_.AssertHeld();
    if (lanes_.sink(lane).get() == &stream) {
      Leave(lane);
      lanes_.Moved(lane);
    }
    for (const LoadLoop::Tag tag : given_back) {
      if (left_.Take(tag, &stream)) SubmitAgain(tag);
    }
  });
}

void Generator::Belong(std::span<const LoadLoop::Tag> given_back, Lane to, const JobSink& stream,
                       Lane lane) {
  Do([&](Instant now) {
    mutex_.AssertHeld();
    lanes_.Open(to);
    std::vector<std::uint32_t> kinds;  // learnt last: all of these jobs are treated alike
    for (const LoadLoop::Tag tag : given_back) {
      if (!TakeFrom(stream, lane, tag)) continue;
      const std::uint32_t kind = loop_.Find(tag)->kind;
      loop_.Move(tag, to);
      if (kinds_.lane(kind).value_or(to) == to) {
        SubmitAgain(tag);
      } else {
        left_.Add(tag, &paused_until_);
        if (!paused_until_) paused_until_ = now + kPause;
      }
      if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
    }
    for (const std::uint32_t kind : kinds) kinds_.Belongs(kind, to);
  });
}

std::size_t Generator::Ended(const JobSink& stream, Lane lane) {
  std::size_t unanswered = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    const bool lost = lanes_.sink(lane).get() == &stream;
    if (lost) Leave(lane);
    for (const LoadLoop::Tag tag : left_.TakeAll(&stream)) {
      if (SubmitAgain(tag)) ++unanswered;
    }
    if (lost) return Lose(lane, now);
    if (unanswered == 0) return;
    accounts_.Interrupted();
    accounts_.Spoil({.trouble = Trouble::kLink, .from = now, .to = now});
  });
  return unanswered;
}

// Before the first lane was connected nothing was measured that could be spoiled.
void Generator::Disconnected(Lane lane) {
  const MutexLock lock(mutex_);
  if (lane == 0 && lanes_.link(0) == Link::kConnecting) return;
  lanes_.Close(lane);
  Lose(lane, clock_());
}

// ---- with the lock held

// At once if a stream of its lane is up; else the next one gets all that is on none. False: the job
// has ended.
bool Generator::SubmitAgain(LoadLoop::Tag tag) {
  const std::optional<LoadLoop::Sent> job = loop_.Find(tag);
  if (job) lanes_.Jobs(job->lane, job->kind).push_back(tag);
  return job.has_value();
}

// Takes the job off the stream of this lane. False: it is not there, or has ended.
bool Generator::TakeFrom(const JobSink& stream, Lane lane, LoadLoop::Tag tag) {
  const std::optional<LoadLoop::Sent> job = loop_.Find(tag);
  if (!job || job->lane != lane) return false;
  const bool is_up = lanes_.sink(lane).get() == &stream;
  return is_up ? !left_.Has(tag) : left_.Take(tag, &stream);
}

void Generator::EndPause(Instant now) {
  if (now < *paused_until_) return;
  for (const LoadLoop::Tag tag : left_.TakeAll(&paused_until_)) SubmitAgain(tag);
  paused_until_.reset();
}

// The stream that is up takes no more; its jobs stay on it.
void Generator::Leave(Lane lane) {
  loop_.ForEachOutstanding([&](LoadLoop::Tag tag, const LoadLoop::Sent& job) {
    mutex_.AssertHeld();
    if (job.lane == lane && !left_.Has(tag)) left_.Add(tag, lanes_.sink(lane).get());
  });
  lanes_.Close(lane);
}

void Generator::Lose(Lane lane, Instant now) {
  if (lanes_.Lost(lane, now)) accounts_.Interrupted();
}

}  // namespace twofold::load
