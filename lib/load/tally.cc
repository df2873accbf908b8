#include "lib/load/tally.h"

#include "lib/load/marks.h"

namespace twofold::load {

void Tally::Sent(Instant now, Instant due) {
  if (!Has(due)) return;
  if (!open_) open_.emplace();
  ++open_->sent;
  if (now - due > kLateAfter) ++open_->sent_late;
  open_->late.Record(now - due);
}

void Tally::Ended(const Answer& job, bool succeeded) {
  if (!end_) throughput_.Ended(job.submitted, job.ended, succeeded);
  if (!succeeded || !Has(job.due)) return;
  latencies_.Record(job.wait, job.run, job.ended - job.submitted);
  if (open_) open_->from_plan.Record(job.ended - job.due);
}

void Tally::Close(Instant now, std::span<const Instant> in_flight) {
  if (end_) return;
  closed_ = throughput_.Estimate(now, in_flight);
  end_ = now;
}

stats::ThroughputEstimate Tally::Estimate(Instant now, std::span<const Instant> in_flight) const {
  return end_ ? closed_ : throughput_.Estimate(now, in_flight);
}

}  // namespace twofold::load
