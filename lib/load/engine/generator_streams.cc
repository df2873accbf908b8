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
    const LoadLoop::Stream before = lanes_.sink(lane).get();  // none, as a rule
    const std::optional<Instant> lost = lanes_.Connected(lane, std::move(sink), now);
    if (lost) accounts_.Spoil({.trouble = Trouble::kLink, .from = *lost, .to = now});
    again = SubmitAllAgain(before, lane);
    if (profile_ && !schedule_) BeginLoad(now);
  });
  return again;
}

void Generator::Moved(const JobSink& stream, std::span<const LoadLoop::Tag> given_back, Lane lane) {
  Do([&](Instant) {
    mutex_.AssertHeld();
    if (lanes_.sink(lane).get() == &stream) {
      lanes_.Close(lane);
      lanes_.Moved(lane);
    }
    for (const LoadLoop::Tag tag : given_back) {
      const std::optional<LoadLoop::Sent> job = loop_.Find(tag);
      if (job && job->stream == &stream) SubmitAgain(tag, job->kind, job->lane);
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
      const std::optional<LoadLoop::Sent> job = loop_.Find(tag);
      if (!job || job->lane != lane || job->stream != &stream) continue;
      if (kinds_.lane(job->kind).value_or(to) == to) {
        SubmitAgain(tag, job->kind, to);
      } else {
        loop_.Move(tag, to, &paused_until_);
        if (!paused_until_) paused_until_ = now + kPause;
      }
      if (kinds.empty() || kinds.back() != job->kind) kinds.push_back(job->kind);
    }
    for (const std::uint32_t kind : kinds) kinds_.Belongs(kind, to);
  });
}

std::size_t Generator::Ended(const JobSink& stream, Lane lane) {
  std::size_t unanswered = 0;
  Do([&](Instant now) {
    mutex_.AssertHeld();
    const bool lost = lanes_.sink(lane).get() == &stream;
    if (lost) lanes_.Close(lane);
    unanswered = SubmitAllAgain(&stream);
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
  if (lane != 0 || lanes_.link(0) != Link::kConnecting) Lose(lane, clock_());
}

// ---- with the lock held

// At once if a stream of the lane is up; else the next one gets all that is on none.
void Generator::SubmitAgain(LoadLoop::Tag tag, std::uint32_t kind, Lane lane) {
  loop_.Move(tag, lane, lanes_.sink(lane).get());
  lanes_.Jobs(lane, kind).push_back(tag);
}

// All jobs that are on `stream`, of this lane only if one is given. Returns how many.
std::size_t Generator::SubmitAllAgain(LoadLoop::Stream stream, std::optional<Lane> lane) {
  std::size_t count = 0;
  loop_.ForEachOutstanding([&](LoadLoop::Tag tag, const LoadLoop::Sent& job) {
    mutex_.AssertHeld();
    if (job.stream != stream || job.lane != lane.value_or(job.lane)) return;
    SubmitAgain(tag, job.kind, job.lane);
    ++count;
  });
  return count;
}

void Generator::EndPause(Instant now) {
  if (now < *paused_until_) return;
  SubmitAllAgain(&paused_until_);
  paused_until_.reset();
}

void Generator::Lose(Lane lane, Instant now) {
  if (lanes_.Lost(lane, now)) accounts_.Interrupted();
}

}  // namespace twofold::load
