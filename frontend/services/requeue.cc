#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"
#include "frontend/queues/refusal.h"
#include "frontend/services/job_calls.h"

namespace twofold::frontend {
namespace {

// What one call looks at, and what it has in memory at a time: jobs of up to 512 KiB each.
constexpr std::size_t kMostAtOnce = 1000;
constexpr std::size_t kPage = 50;

Status Precondition(const std::string& text) { return absl::FailedPreconditionError(text); }

Status CheckRequeuable(const results::StoredJob& job) {
  if (!std::holds_alternative<results::JobEnded>(job.state)) {
    return Precondition(absl::StrCat("id: job ", job.accepted.id, " has not ended"));
  }
  if (job.requeued_as != 0) {
    return Precondition(
        absl::StrCat("id: job ", job.accepted.id, " was requeued as job ", job.requeued_as));
  }
  return absl::OkStatus();
}

Result<std::shared_ptr<const queue::JobOptions>> OptionsOf(const results::StoredJob& job) {
  v1::JobOptions options;
  if (!options.ParseFromString(job.accepted.options)) {
    return absl::DataLossError(
        absl::StrCat("job ", job.accepted.id, ": its options cannot be read"));
  }
  options.clear_delay_ns();  // that time has passed
  return FromProto(options, true);
}

std::vector<queue::Outcome> OutcomesOf(const v1::RequeueJobsRequest& request) {
  std::vector<queue::Outcome> outcomes;
  for (const int outcome : request.outcomes()) {
    outcomes.push_back(FromProto(static_cast<v1::Outcome>(outcome)));
  }
  if (!outcomes.empty()) return outcomes;
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const auto outcome = static_cast<queue::Outcome>(i);
    if (outcome != queue::Outcome::kSucceeded) outcomes.push_back(outcome);
  }
  return outcomes;
}

Status Check(const QueueSet& queues, const v1::RequeueJobsRequest& request) {
  if ((request.id() == 0) == request.run().empty()) {
    return absl::InvalidArgumentError("id, run: name one of the two");
  }
  for (const int outcome : request.outcomes()) {
    if (v1::Outcome_IsValid(outcome) && outcome != v1::OUTCOME_UNSPECIFIED) continue;
    return absl::InvalidArgumentError(absl::StrCat("outcomes has the unknown value ", outcome));
  }
  if (queues.store() != nullptr) return absl::OkStatus();
  return Precondition("this frontend keeps no finished jobs; start it with --store sqlite:PATH");
}

// Where a frontend goes on that has seen the last job of the run.
constexpr std::uint64_t kNoMore = UINT64_MAX;

/// How far the pages of a run have come. As text "AFTER:LAST,LAST,...".
struct RunPages {
  std::uint64_t after = 0;
  std::vector<std::uint64_t> last;  ///< id that each queue had given out before the first page
};

RunPages BeginPages(const QueueSet& queues) {
  RunPages pages;
  for (const auto& host : queues.all()) {
    const QueueHost::Turn turn(*host, Now());
    pages.last.push_back(static_cast<std::uint64_t>(turn.core().last_durable_id()));
  }
  return pages;
}

Result<RunPages> ParsePages(const std::string& token) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(token, absl::MaxSplits(':', 1));
  RunPages pages;
  bool ok = absl::SimpleAtoi(parts.first, &pages.after);
  for (const std::string& last : std::vector<std::string>(absl::StrSplit(parts.second, ','))) {
    ok = absl::SimpleAtoi(last, &pages.last.emplace_back()) && ok;
  }
  if (ok) return pages;
  return absl::InvalidArgumentError("page_token is not one that a last page gave");
}

std::string Text(const RunPages& pages) {
  return absl::StrCat(pages.after, ":", absl::StrJoin(pages.last, ","));
}

bool OfOneQueue(std::uint64_t a, std::uint64_t b) {
  return queue::QueueNumber(queue::JobId{a}) == queue::QueueNumber(queue::JobId{b});
}

/// Of each queue the frontend that serves it knows more than the others.
void KeepHighest(std::vector<std::uint64_t>& ids) {
  std::sort(ids.begin(), ids.end(),
            std::greater<>());  // the higher bytes are their queues' numbers
  ids.erase(std::unique(ids.begin(), ids.end(), OfOneQueue), ids.end());
}

/// It came after the first page: the pages before may have made it.
bool IsNew(std::uint64_t job, const RunPages& pages) {
  return std::any_of(pages.last.begin(), pages.last.end(), [&](std::uint64_t last) {
    return OfOneQueue(job, last) && results::SequenceOf(job) > results::SequenceOf(last);
  });
}

/// What one request asks for, and who wants to know. It is over when nobody has it any more, so
/// that nobody will say any more that a job is on disk.
class Batch {
 public:
  Batch(const QueueSet& queues, RequeuedJobs& under_way,
        std::function<void(Result<v1::RequeueJobsReply>)> done)
      : queues_(queues), under_way_(under_way), done_(std::move(done)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    claims_.clear();
    if (!done_) return;
    const bool is_stored = on_disk_ == reply_.to_size();
    done_(is_stored ? Result<v1::RequeueJobsReply>(reply_)
                    : absl::UnavailableError("the queue went to another frontend meanwhile; some "
                                             "may be requeued: look, and try again"));
  }

  Status RequeueOne(std::uint64_t id, const std::shared_ptr<Batch>& self) {
    const auto job = queues_.store()->Find(id);
    if (!job.ok()) return job.status();
    if (Status status = CheckRequeuable(*job); !status.ok()) return status;
    auto claim = under_way_.Take(id);
    if (claim == nullptr) return Precondition(absl::StrCat("id: job ", id, " is being requeued"));
    return Submit(*job, std::move(claim), self);
  }

  /// In slices: each is submitted before the next one is read.
  Status RequeueRun(const v1::RequeueJobsRequest& request, const std::shared_ptr<Batch>& self) {
    const std::string& token = request.page_token();
    Result<RunPages> pages = token.empty() ? BeginPages(queues_) : ParsePages(token);
    if (!pages.ok()) return pages.status();
    for (std::size_t seen = 0; seen < kMostAtOnce; seen += kPage) {
      const auto slice = queues_.store()->List({.run = request.run(),
                                                .outcomes = OutcomesOf(request),
                                                .after = pages->after,
                                                .limit = kPage});
      if (!slice.ok()) return slice.status();
      for (const results::StoredJob& job : *slice) {
        if (job.requeued_as != 0 || IsServedElsewhere(job.accepted.queue)) continue;
        if (Status status = CheckServed(job.accepted.queue); !status.ok()) return status;
        if (IsNew(job.accepted.id, *pages)) continue;
        auto claim = under_way_.Take(job.accepted.id);
        if (claim == nullptr) continue;  // another request is about to do it
        if (Status status = Submit(job, std::move(claim), self); !status.ok()) return status;
      }
      pages->after = slice->size() < kPage ? kNoMore : slice->back().accepted.id;
      if (pages->after == kNoMore) break;
    }
    reply_.set_next_page_token(Text(*pages));
    return absl::OkStatus();
  }

  void Fail(const Status& why) { std::exchange(done_, nullptr)(why); }

 private:
  /// Then it is that frontend's to requeue.
  [[nodiscard]] bool IsServedElsewhere(const std::string& queue) const {
    if (queues_.directory() == nullptr) return false;
    const Owner owner = queues_.directory()->Find(queue);
    return !owner.here && !owner.peer.name.empty();
  }

  [[nodiscard]] Status CheckServed(const std::string& queue) const {
    const auto host = queues_.Find(queue);
    return host.ok() ? (*host)->CheckServed() : host.status();
  }

  Status Submit(const results::StoredJob& job, RequeuedJobs::Claim claim,
                const std::shared_ptr<Batch>& self) {
    const auto host = queues_.Find(job.accepted.queue);
    if (!host.ok()) return host.status();
    Status status = (*host)->CheckServed();
    status.Update((*host)->CanStore());
    if (!status.ok()) return status;
    const auto options = OptionsOf(job);
    if (!options.ok()) return options.status();
    QueueHost::Turn turn(**host, Now());
    const queue::Submitted submitted =
        turn.Submit(queue::kDetached, 0, *options, job.accepted.spec,
                    {[self] { ++self->on_disk_; }}, job.accepted.place);
    if (submitted.admission != queue::Admission::kAccepted) {
      return Precondition(std::string(Refusal(submitted, job.accepted.queue).message()));
    }
    turn.RecordRequeue(queue::JobId{job.accepted.id}, submitted.job);
    claims_.push_back(std::move(claim));
    reply_.add_from(job.accepted.id);
    reply_.add_to(static_cast<std::uint64_t>(submitted.job));
    return absl::OkStatus();
  }

  const QueueSet& queues_;
  RequeuedJobs& under_way_;
  std::function<void(Result<v1::RequeueJobsReply>)> done_;
  std::vector<RequeuedJobs::Claim> claims_;
  v1::RequeueJobsReply reply_;
  std::atomic<int> on_disk_ = 0;
};

}  // namespace

void Requeue(const QueueSet& queues, RequeuedJobs& under_way, const v1::RequeueJobsRequest& request,
             std::function<void(Result<v1::RequeueJobsReply>)> done) {
  const auto batch = std::make_shared<Batch>(queues, under_way, std::move(done));
  Status status = Check(queues, request);
  if (status.ok()) {
    status = request.id() != 0 ? batch->RequeueOne(request.id(), batch)
                               : batch->RequeueRun(request, batch);
  }
  if (!status.ok()) batch->Fail(status);
}

void MergeRequeued(v1::RequeueJobsReply& all, const v1::RequeueJobsReply& one) {
  all.mutable_from()->MergeFrom(one.from());
  all.mutable_to()->MergeFrom(one.to());
  Result<RunPages> pages = ParsePages(all.next_page_token());
  const Result<RunPages> others = ParsePages(one.next_page_token());
  if (!pages.ok() || !others.ok()) return;  // it was about one job
  pages->after = std::min(pages->after, others->after);
  pages->last.insert(pages->last.end(), others->last.begin(), others->last.end());
  KeepHighest(pages->last);
  all.set_next_page_token(Text(*pages));
}

void EndRequeued(v1::RequeueJobsReply& all) {
  const Result<RunPages> pages = ParsePages(all.next_page_token());
  if (pages.ok() && pages->after == kNoMore) all.clear_next_page_token();
}

}  // namespace twofold::frontend
