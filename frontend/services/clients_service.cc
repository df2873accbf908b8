#include <absl/strings/str_cat.h>

#include <memory>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"
#include "frontend/queues/refusal.h"
#include "frontend/services/follow.h"
#include "frontend/services/job_lookup.h"
#include "frontend/services/services.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/retry_info.h"

namespace twofold::frontend {
namespace {

grpc::Status Refused(const Status& why) {
  const bool full = why.code() == absl::StatusCode::kResourceExhausted;
  return full ? rpc::FullStatus(std::string(why.message()), kRetryAfter) : rpc::ToGrpc(why);
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

Status CheckSpec(const std::string& spec) {
  if (spec.size() <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("spec has ", spec.size(), " bytes; at most ",
                                                 rpc::kMaxSpecBytes, " are allowed"));
}

Result<NewJob> CheckJob(const QueueSet& queues, const v1::SubmitJobRequest& request) {
  const Result<QueueHost*> host = queues.Find(request.options().queue());
  if (!host.ok()) return host.status();
  auto options = FromProto(request.options(), (*host)->durable());
  if (!options.ok()) return options.status();
  Status status = (*options)->durable ? (*host)->CanStore() : absl::OkStatus();
  status.Update(CheckSpec(request.spec()));
  if (!status.ok()) return status;
  return NewJob{*host, *std::move(options)};
}

}  // namespace

ClientsService::ClientsService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service(v1::Clients::service_full_name(), calls, readers),
      queues_(queues),
      requeuer_(queues) {
  Stream("Submit", &ClientsService::Submit);
  Wait("SubmitJob", &ClientsService::SubmitJob);
  Wait("GetJob", &ClientsService::GetJob);
  Wait("ListJobs", &ClientsService::ListJobs);
  Wait("CancelJob", &ClientsService::CancelJob);
  Wait("ExplainJob", &ClientsService::ExplainJob);
  Wait("RequeueJobs", &ClientsService::RequeueJobs);
  Stream("FollowJob", &ClientsService::FollowJob);
}

Result<std::shared_ptr<ClientSession>> ClientsService::Submit() {
  return std::make_shared<ClientSession>(queues_, queue::SubmitterId{++last_submitter_});
}

void ClientsService::SubmitJob(const v1::SubmitJobRequest& request,
                               const std::shared_ptr<SubmitCall>& call) {
  const Result<NewJob> job = CheckJob(queues_, request);
  if (!job.ok()) return call->Fail(rpc::ToGrpc(job.status()));
  const auto accepted = std::make_shared<v1::Job>();
  const auto answer = [call, accepted, wait = request.wait()] {
    if (!wait) call->Answer(*accepted);
  };
  QueueHost::Turn turn(*job->host, Now());
  const queue::Submitted submitted =
      turn.Submit(queue::kDetached, 0, job->options, request.spec(), answer,
                  request.options().place());
  if (submitted.admission != queue::Admission::kAccepted) {
    return turn.Then(
        [call, why = Refused(Refusal(submitted, job->host->name()))] { call->Fail(why); });
  }
  *accepted = Describe(turn, *job->host, *turn.core().Find(turn.now(), submitted.job));
  if (request.wait()) AnswerAtEnd(submitted.job, job->host->name(), call);
}

/// The caller may lose patience before the job ends; the job goes on.
void ClientsService::AnswerAtEnd(queue::JobId job, const std::string& queue,
                                 const std::shared_ptr<SubmitCall>& call) {
  FinishedJobs& finished = queues_.finished();
  const std::uint64_t number = finished.WhenFinished(job, [call, queue](v1::Job ended) {
    ended.set_queue(queue);
    call->Answer(std::move(ended));
  });
  call->WhenCancelled([&finished, job, number] { finished.StopWaiting(job, number); });
}

/// Looks a job up, at once if that is not on disk.
template <typename Call, typename Task>
void ClientsService::WithJob(std::uint64_t id, const std::shared_ptr<Call>& call,
                             const Task& task) {
  if (!IsDurable(queue::JobId{id})) return task();
  OnReader(call, task);
}

void ClientsService::GetJob(const v1::GetJobRequest& request,
                            const std::shared_ptr<JobCall>& call) {
  WithJob(request.id(), call,
          [this, id = request.id(), call] { call->Answer(FindJob(queues_, id)); });
}

void ClientsService::ExplainJob(const v1::GetJobRequest& request,
                                const std::shared_ptr<ExplainCall>& call) {
  WithJob(request.id(), call,
          [this, id = request.id(), call] { call->Answer(frontend::ExplainJob(queues_, id)); });
}

void ClientsService::ListJobs(const v1::ListJobsRequest& request,
                              const std::shared_ptr<ListCall>& call) {
  const auto answer = [this, request, call] { call->Answer(frontend::ListJobs(queues_, request)); };
  if (ListReadsStore(request)) return OnReader(call, answer);
  if (!walkers_.Post(answer)) call->Fail(ReaderPool::Refusal());
}

void ClientsService::CancelJob(const v1::CancelJobRequest& request,
                               const std::shared_ptr<CancelCall>& call) {
  WithJob(request.id(), call, [this, id = request.id(), call] { Cancel(id, call); });
}

void ClientsService::Cancel(std::uint64_t id, const std::shared_ptr<CancelCall>& call) {
  Result<v1::Job> job = FindJob(queues_, id);
  if (!job.ok()) return call->Answer(job.status());
  QueueHost* host = queues_.Owner(queue::JobId{id});
  if (host == nullptr) return call->Answer(NotServed(*job));
  job->set_state(v1::JOB_STATE_FINISHED);
  job->set_outcome(v1::OUTCOME_CANCELLED);
  QueueHost::Turn turn(*host, Now());
  if (turn.Cancel(queue::JobId{id})) {
    return turn.WhenStored(queue::JobId{id}, [call, job = *std::move(job)] { call->Answer(job); });
  }
  turn.Then([call, id] {
    call->Answer(absl::FailedPreconditionError(absl::StrCat("id: job ", id, " has ended already")));
  });
}

void ClientsService::RequeueJobs(const v1::RequeueJobsRequest& request,
                                 const std::shared_ptr<RequeueCall>& call) {
  OnReader(call, [this, request, call] {
    const Status status = requeuer_.Requeue(
        request, [call](const v1::RequeueJobsReply& requeued) { call->Answer(requeued); });
    if (!status.ok()) call->Answer(status);
  });
}

Result<std::shared_ptr<ClientsService::FollowCall>> ClientsService::FollowJob() {
  return MakeFollower(queues_, readers());
}

}  // namespace twofold::frontend
