#include <absl/strings/str_cat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"
#include "frontend/queues/refusal.h"
#include "frontend/services/changes.h"
#include "frontend/services/end_waiter.h"
#include "frontend/services/job_calls.h"
#include "frontend/services/lookup.h"
#include "frontend/services/services.h"
#include "frontend/streams/client_session.h"
#include "frontend/streams/worker_session.h"
#include "lib/rpc/status_details.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {
namespace {

Status Refused(const Status& why) {
  const bool full = why.code() == absl::StatusCode::kResourceExhausted;
  return full ? rpc::FullStatus(std::string(why.message()), kRetryAfter) : why;
}

// It is in the store, left by a frontend with other queues.
Status NotServed(const v1::Job& job) {
  return absl::FailedPreconditionError(absl::StrCat(
      "id: job ", job.id(), " is of queue ", job.queue(), ", which this frontend does not have"));
}

/// A job as SubmitJob brings it, checked.
struct NewJob {
  QueueHost* host;
  std::shared_ptr<const queue::JobOptions> options;
};

Result<NewJob> CheckJob(const QueueSet& queues, const v1::SubmitJobRequest& request) {
  const Result<QueueHost*> host = queues.Find(request.options().queue());
  if (!host.ok()) return host.status();
  auto options = FromProto(request.options(), (*host)->durable());
  if (!options.ok()) return options.status();
  QueueHost& home = queues.Choose(**host, **options);
  Status status = home.CheckServed();  // before what only the one that serves it can tell
  status.Update(QueueHost::Turn(home, Now()).CanTake((*options)->durable));
  status.Update(CheckSpec(**options, request.spec().size()));
  if (!status.ok()) return status;
  return NewJob{&home, *std::move(options)};
}

/// The shard that takes the job; empty: this frontend says what is wrong with it.
std::string HomeOf(const QueueSet& queues, const v1::JobOptions& job) {
  const Result<QueueHost*> host = queues.Find(job.queue());
  if (!host.ok()) return {};
  if (queues.ShardsOf(**host).size() == 1) return (*host)->name();
  const auto options = FromProto(job, (*host)->durable());
  return options.ok() ? queues.Choose(**host, **options).name() : "";
}

/// The answer to a call when its change of a job is on disk. Destroyed before, as it is when the
/// queue goes to another frontend meanwhile, it answers that.
class StoredAnswer {
 public:
  using Done = std::function<void(Result<v1::Job>)>;

  explicit StoredAnswer(Done done) : done_(std::move(done)) {}
  ~StoredAnswer() {
    if (!done_) return;
    done_(absl::UnavailableError(
        absl::StrCat("the queue went to another frontend while a change of job ", job_,
                     " was being stored; look whether it is there")));
  }
  StoredAnswer(const StoredAnswer&) = delete;
  StoredAnswer& operator=(const StoredAnswer&) = delete;

  /// Which job it is about; in the turn that changes it.
  void Name(std::uint64_t job) { job_ = job; }
  void Give(const v1::Job& job) { std::exchange(done_, nullptr)(job); }
  void Fail(const Status& why) { std::exchange(done_, nullptr)(why); }
  /// The change is on disk, and the answer comes from elsewhere.
  void Forgo() { done_ = nullptr; }

 private:
  Done done_;
  std::uint64_t job_ = 0;
};

void SubmitJob(const QueueSet& queues, const v1::SubmitJobRequest& request,
               const StoredAnswer::Done& done, const EndWaiter::Who& who) {
  const Result<NewJob> job = CheckJob(queues, request);
  if (!job.ok()) return done(job.status());
  const auto accepted = std::make_shared<v1::Job>();
  const auto waiter =
      request.wait() ? std::make_shared<EndWaiter>(queues, *job->host, who, done) : nullptr;
  const auto stored = std::make_shared<StoredAnswer>([done, waiter](Result<v1::Job> answer) {
    waiter ? waiter->Answer(std::move(answer)) : done(std::move(answer));
  });
  const auto answer = [stored, accepted, waits = waiter != nullptr] {
    waits ? stored->Forgo() : stored->Give(*accepted);
  };
  const auto refuse = [stored](const Status& why) { stored->Fail(why); };
  QueueHost::Turn turn(*job->host, Now());
  if (const Status served = turn.CheckServed(); !served.ok()) {
    return turn.Then([done, served] { done(served); });
  }
  const queue::Submitted submitted = turn.Submit(queue::kDetached, 0, job->options, request.spec(),
                                                 {answer, refuse}, request.options().place());
  if (submitted.admission != queue::Admission::kAccepted) {
    return turn.Then([done, why = Refused(Refusal(submitted, job->host->name()))] { done(why); });
  }
  stored->Name(static_cast<std::uint64_t>(submitted.job));
  *accepted = Describe(turn, *job->host, *turn.core().Find(turn.now(), submitted.job));
  if (waiter) waiter->Start(turn, submitted.job);
}

}  // namespace

void CancelJob(const QueueSet& queues, std::uint64_t id,
               std::function<void(Result<v1::Job>)> done) {
  Result<v1::Job> job = FindJob(queues, id);
  if (!job.ok()) return done(job.status());
  QueueHost* host = queues.Owner(queue::JobId{id});
  if (host == nullptr) return done(NotServed(*job));
  const auto ended = [id] {
    return absl::FailedPreconditionError(absl::StrCat("id: job ", id, " has ended already"));
  };
  if (job->state() == v1::JOB_STATE_FINISHED) return done(ended());
  job->set_state(v1::JOB_STATE_FINISHED);
  job->set_outcome(v1::OUTCOME_CANCELLED);
  QueueHost::Turn turn(*host, Now());
  if (const Status served = turn.CheckServed(); !served.ok() && !turn.EndsHere(queue::JobId{id})) {
    return turn.Then([done = std::move(done), served] { done(served); });
  }
  if (turn.Cancel(queue::JobId{id})) {
    const auto answer = std::make_shared<StoredAnswer>(std::move(done));
    answer->Name(id);
    return turn.WhenStored(queue::JobId{id},
                           [answer, job = *std::move(job)] { answer->Give(job); });
  }
  turn.Then([done = std::move(done), ended] { done(ended()); });
}

namespace {

/// The queue that a stream's first message names.
std::string QueueOf(const QueueSet& queues, const v1::SubmitRequest& first) {
  return first.options().empty() ? "" : queues.Known(first.options(0).queue());
}

/// A request without a job is about those of all queues.
std::string QueueOf(const QueueSet& queues, const v1::RequeueJobsRequest& request) {
  return request.id() == 0 ? "" : queues.NameOf(queue::JobId{request.id()});
}

Status ArrangeRequeued(const v1::RequeueJobsRequest& /*request*/, v1::RequeueJobsReply& all) {
  EndRequeued(all);
  return absl::OkStatus();
}

}  // namespace

ClientsService::ClientsService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service("twofold.v1.Clients", calls, readers) {
  OwnerStream<v1::SubmitRequest>(
      "Submit", &Peers::Answerer::address,
      [&queues](auto& first) {
        return Wanted{QueueOf(queues, first), first.moved_epoch()};
      },
      [this, &queues](bool can_follow) {
        const queue::SubmitterId id{++last_submitter_};
        return std::make_shared<ClientSession>(queues, id, can_follow);
      });
  // Only durable jobs may have to be looked up on disk.
  const auto pool_of_job = [&readers](auto& request) {
    return IsDurable(queue::JobId{request.id()}) ? &readers : nullptr;
  };
  const auto queue_of_job = [&queues](auto& request) {
    return queues.NameOf(queue::JobId{request.id()});
  };
  Routed<v1::SubmitJobRequest, v1::Job>(
      "SubmitJob",
      {.begin =
           [&, this](auto& asked, auto done) {
             SubmitJob(queues, asked.request, std::move(done), {asked.call, peers(), asked.caller});
           },
       .pool = [](auto&) { return nullptr; },
       .queue = [&](auto& request) { return HomeOf(queues, request.options()); }});
  OfJob<v1::GetJobRequest, v1::Job>(
      "GetJob", {.read = [&](auto& request) { return FindJob(queues, request.id()); },
                 .pool = pool_of_job,
                 .queue = queue_of_job});
  Routed<v1::ListJobsRequest, v1::ListJobsReply>(
      "ListJobs",
      {.read = [&](auto& request) { return ListJobs(queues, request); },
       .pool = [&](auto& request) { return ListReadsStore(request) ? &readers : &walkers_; },
       .queue = [&](auto& request) { return QueueOfList(queues, request); }});
  OfJob<v1::CancelJobRequest, v1::Job>(
      "CancelJob",
      {.begin = [&](auto& asked,
                    auto done) { CancelJob(queues, asked.request.id(), std::move(done)); },
       .pool = pool_of_job,
       .queue = queue_of_job});
  OfJob<v1::GetJobRequest, v1::Explanation>(
      "ExplainJob", {.read = [&](auto& request) { return ExplainJob(queues, request.id()); },
                     .pool = pool_of_job,
                     .queue = queue_of_job});
  Gathered<v1::RequeueJobsRequest, v1::RequeueJobsReply>(
      "RequeueJobs", {.begin =
                          [this, &queues](auto& asked, auto done) {
                            Requeue(queues, requeued_, asked.request, std::move(done));
                          },
                      .queue = [&](auto& request) { return QueueOf(queues, request); },
                      .merge = MergeRequeued,
                      .arrange = ArrangeRequeued});
  Stream("FollowJob",
         [&, this](auto& info) { return MakeFollower(queues, readers, peers(), CallerOf(info)); });
}

WorkersService::WorkersService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service("twofold.v1.Workers", calls, readers) {
  OwnerStream<v1::WorkerMessage>(
      "Work", &Peers::Answerer::worker_address,
      [&queues](const v1::WorkerMessage& first) -> Wanted {
        return {queues.Known(first.hello().queue()), first.hello().moved_epoch()};
      },
      [&queues](bool can_follow) { return std::make_shared<WorkerSession>(queues, can_follow); });
}

}  // namespace twofold::frontend
