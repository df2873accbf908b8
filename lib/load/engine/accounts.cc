#include "lib/load/engine/accounts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
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

Duration FromWire(std::uint64_t ns) {
  constexpr auto kMost = static_cast<std::uint64_t>(Duration::max().count());
  return Duration(static_cast<Duration::rep>(std::min(ns, kMost)));
}

void Accounts::BeginAnswers(const v1::ResultBatch& batch) {
  Resolve(batch, window_.places(), places_);
  if (recorder_) Resolve(batch, recorder_->places(), recorded_places_);
}

void Accounts::Answered(const rpc::ResultRow& row, const LoadLoop::Sent& sent, Instant now) {
  const Answer job{sent.submitted,       sent.due,           now, FromWire(row.wait_ns),
                   FromWire(row.run_ns), places_[row.worker]};
  Count(row.outcome, job, row.report);
  if (recorder_) Record(row, job);
}

void Accounts::Record(const rpc::ResultRow& row, Answer job) {
  job.place = recorded_places_[row.worker];
  if (row.outcome == v1::OUTCOME_SUCCEEDED) return recorder_->Succeeded(job);
  const std::string error = ErrorText(row.outcome, row.report);
  if (row.outcome == v1::OUTCOME_REJECTED) return recorder_->Rejected(error);
  recorder_->Failed(job, error);
}

void Accounts::Count(v1::Outcome outcome, const Answer& job, std::string_view report) {
  ++totals_.finished[static_cast<std::size_t>(outcome)];
  if (outcome == v1::OUTCOME_SUCCEEDED) {
    window_.Succeeded(job);
    totals_.round_trips.Record(job.ended - job.submitted);
    return;
  }
  std::string error = ErrorText(outcome, report);
  if (outcome != v1::OUTCOME_REJECTED) return window_.Failed(job, error);
  window_.Rejected(error);
  if (error == last_rejection_) return;
  spdlog::warn("the frontend rejects jobs: {}", error);
  last_rejection_ = std::move(error);
}

void Accounts::Sent(Instant now) {
  if (recorder_) recorder_->Sent(now, now, false);
}

void Accounts::SentDue(Instant now, Instant due) {
  const bool late = now - due > kLateAfter;
  ++totals_.sent;
  totals_.sent_late += late ? 1 : 0;
  totals_.lateness += now - due;
  window_.Sent(now, due);
  if (recorder_) recorder_->Sent(now, due, true);
  if (late) {
    window_.Spoil(
        {.trouble = Trouble::kLate, .from = due, .to = now, .jobs = 1, .worst = now - due});
  }
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
