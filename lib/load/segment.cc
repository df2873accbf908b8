#include "lib/load/segment.h"

#include <algorithm>
#include <numeric>

#include "lib/load/marks.h"

namespace twofold::load {

std::uint64_t JobCounts::all_ended() const {
  return std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
}

JobCounts& JobCounts::operator+=(const JobCounts& other) {
  planned += other.planned;
  sent += other.sent;
  sent_late += other.sent_late;
  for (std::size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
  return *this;
}

JobCounts& JobCounts::operator-=(const JobCounts& other) {
  planned -= other.planned;
  sent -= other.sent;
  sent_late -= other.sent_late;
  for (std::size_t i = 0; i < ended.size(); ++i) ended[i] -= other.ended[i];
  return *this;
}

void Times::Record(const JobEntry& job) {
  const Duration round_trip = job.ended - job.sent;
  // Compared without a sum: what comes from outside may be as large as it likes.
  const Duration rest = round_trip - std::min(job.wait, round_trip);
  const bool negative = job.wait > round_trip || job.run > rest;
  if (negative) ++clamped;
  from_plan.ended.Record(job.ended - job.planned);
  from_send.ended.Record(round_trip);
  wait.Record(job.wait);
  run.Record(job.run);
  overhead.Record(negative ? Duration(0) : rest - job.run);
}

void Segment::Sent(Instant planned, Instant sent, bool open_loop) {
  if (!Has(planned)) return;
  ++counts_.sent;
  if (!open_loop) return;
  if (sent - planned > kLateAfter) ++counts_.sent_late;
  times_.late.Record(sent - planned);
}

void Segment::Ended(const JobEntry& job) {
  const bool answered = job.outcome != v1::OUTCOME_UNSPECIFIED;
  if (!end_ && answered && job.outcome != v1::OUTCOME_REJECTED) {
    job.began ? throughput_.Ended(job.Begun(), job.ended, job.succeeded(), job.place)
              : throughput_.NeverBegan();
  }
  if (!Has(job.planned)) return;
  counts_.Count(job.outcome);
  if (job.succeeded()) return times_.Record(job);
  if (answered) return;
  times_.from_plan.open.Record(job.ended - job.planned);
  times_.from_send.open.Record(job.ended - job.sent);
}

void Segment::GivenUp(Instant planned, Instant now) {
  if (Has(planned)) times_.from_plan.open.Record(now - planned);
}

void Segment::Close(Instant end, std::span<const Instant> at_work) {
  if (end_) return;
  closed_ = throughput_.Estimate(end, at_work);
  end_ = end;
}

stats::ThroughputEstimate Segment::Estimate(Instant now, std::span<const Instant> at_work) const {
  return end_ ? closed_ : throughput_.Estimate(now, at_work);
}

Times Segment::TimesWith(std::span<const OpenJob> open, Instant now) const {
  Times times = times_;
  for (const OpenJob& job : open) {
    if (!Has(job.planned)) continue;
    times.from_plan.open.Record(now - job.planned);
    times.from_send.open.Record(now - job.sent);
  }
  return times;
}

}  // namespace twofold::load
