#include "lib/load/engine/accounts.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "lib/load/counts.h"

namespace twofold::load {
namespace {

// Names are looked up once a batch, so that a job costs an index.
void Resolve(const v1::ResultBatch& batch, Places& places, std::vector<Places::Index>& indices) {
  indices.clear();
  for (const v1::WorkerName& worker : batch.workers()) {
    indices.push_back(places.Find(worker.node(), worker.pod(), worker.device()));
  }
  if (indices.empty()) indices.push_back(places.Find({}, {}, {}));
}

}  // namespace

void Accounts::BeginAnswers(const v1::ResultBatch& batch) {
  Resolve(batch, window_.places(), places_);
  if (recorder_) Resolve(batch, recorder_->places(), recorded_places_);
}

void Accounts::Answered(const rpc::ResultRow& row, const LoadLoop::Sent& sent, Instant now,
                        bool again) {
  ++totals_.finished[static_cast<std::size_t>(row.outcome)];
  JobEntry job{.planned = sent.due,
               .sent = sent.submitted,
               .ended = now,
               .wait = BoundedNs(row.wait_ns),
               .run = BoundedNs(row.run_ns),
               .outcome = row.outcome,
               .began = row.attempts > 0,
               .place = places_[row.worker]};
  if (job.succeeded()) totals_.round_trips.Record(job.ended - job.sent);
  const std::string error = job.succeeded() ? std::string() : ErrorText(row.outcome, row.report);
  if (row.outcome == v1::OUTCOME_REJECTED) WarnOfRefusal(error);
  again ? window_.Refused(error) : window_.Ended(job, error);
  if (!recorder_) return;
  job.place = recorded_places_[row.worker];
  again ? recorder_->Refused(error) : recorder_->Ended(job, error);
}

void Accounts::WarnOfRefusal(const std::string& error) {
  if (error == last_refusal_) return;
  spdlog::warn("the frontend rejects jobs: {}", error);
  last_refusal_ = error;
}

void Accounts::Sent(Instant planned, Instant now, bool open_loop) {
  window_.Sent(planned, now, open_loop);
  if (recorder_) recorder_->Sent(planned, now, open_loop);
  if (!open_loop) return;
  const bool late = now - planned > kLateAfter;
  ++totals_.sent;
  totals_.sent_late += late ? 1 : 0;
  totals_.lateness += now - planned;
  if (late) {
    window_.Spoil(
        {.trouble = Trouble::kLate, .from = planned, .to = now, .jobs = 1, .worst = now - planned});
  }
}

void Accounts::EndedRefused(const OpenJob& job, Instant now) {
  if (!recorder_) return;
  recorder_->Ended({.planned = job.planned,
                    .sent = job.sent,
                    .ended = now,
                    .outcome = v1::OUTCOME_REJECTED,
                    .began = false,
                    .place = recorder_->places().Find({}, {}, {})},
                   "refused, and not sent again before the load ended");
}

void Accounts::Interrupted() {
  window_.Interrupted();
  ++totals_.interruptions;
}

void Accounts::Spoil(const Mark& mark) {
  window_.Spoil(mark);
  if (recorder_) recorder_->Spoil(mark);
}

void Accounts::BeginLoad(const Schedule& schedule, Instant now) {
  if (record_next_) recorder_ = std::make_unique<Recorder>(schedule, now, *record_next_);
  record_next_.reset();
}

}  // namespace twofold::load
