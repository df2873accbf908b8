#include <absl/strings/str_cat.h>

#include <memory>

#include "frontend/client_session.h"
#include "frontend/convert.h"
#include "frontend/explain.h"
#include "frontend/follow.h"
#include "frontend/job_lookup.h"
#include "frontend/job_options.h"
#include "frontend/refusal.h"
#include "frontend/services.h"
#include "lib/rpc/late_reply.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/retry_info.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {
namespace {

// Answers when the job has ended. The caller may lose patience first; the job goes on.
void AnswerAtEnd(FinishedJobs& finished, queue::JobId job, const std::string& queue,
                 const std::shared_ptr<rpc::LateReply>& late) {
  const std::uint64_t number = finished.WhenFinished(job, [late, queue](v1::Job ended) {
    ended.set_queue(queue);
    late->Answer(ended);
  });
  late->WhenCancelled([&finished, job, number] { finished.StopWaiting(job, number); });
}

grpc::Status Refused(const Status& why) {
  const bool full = why.code() == absl::StatusCode::kResourceExhausted;
  return full ? rpc::FullStatus(std::string(why.message()), kRetryAfter) : rpc::ToGrpc(why);
}

// It is in the store, left by a frontend with other queues.
Status NotServed(const v1::Job& job) {
  return absl::FailedPreconditionError(absl::StrCat(
      "id: job ", job.id(), " is of queue ", job.queue(), ", which this frontend does not have"));
}

Status CheckSpec(const std::string& spec) {
  if (spec.size() <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("spec has ", spec.size(), " bytes; at most ",
                                                 rpc::kMaxSpecBytes, " are allowed"));
}

}  // namespace

ClientsService::ClientsService(QueueSet& queues, OpenCalls& calls)
    : rpc::Service(v1::Clients::service_full_name()),
      queues_(queues),
      calls_(calls),
      requeuer_(queues) {
  Serve("Submit", &ClientsService::Submit);
  Serve("SubmitJob", &ClientsService::SubmitJob);
  Serve("GetJob", &ClientsService::GetJob);
  Serve("ListJobs", &ClientsService::ListJobs);
  Serve("CancelJob", &ClientsService::CancelJob);
  Serve("ExplainJob", &ClientsService::ExplainJob);
  Serve("RequeueJobs", &ClientsService::RequeueJobs);
  Serve("FollowJob", &ClientsService::FollowJob);
}

ByteStream* ClientsService::Submit(grpc::CallbackServerContext* context) {
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Refuse<ByteStream>(calls_.Refusal());
  const auto session =
      std::make_shared<ClientSession>(queues_, queue::SubmitterId{++last_submitter_}, clients_);
  session->Hold(std::move(place));
  session->Start();
  return session.get();
}

grpc::ServerUnaryReactor* ClientsService::SubmitJob(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes,
                                                    grpc::ByteBuffer* reply) {
  const auto refuse = [&](const Status& why) { return rpc::Finish(context, rpc::ToGrpc(why)); };
  v1::SubmitJobRequest request;
  if (Status status = rpc::Parse(*bytes, request); !status.ok()) return refuse(status);
  Result<QueueHost*> host = queues_.Find(request.options().queue());
  if (!host.ok()) return refuse(host.status());
  const auto options = FromProto(request.options(), (*host)->durable());
  if (!options.ok()) return refuse(options.status());
  if (Status status = (*options)->durable ? (*host)->CanStore() : absl::OkStatus(); !status.ok()) {
    return refuse(status);
  }
  if (Status status = CheckSpec(request.spec()); !status.ok()) return refuse(status);

  const bool wait = request.wait();
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Finish(context, calls_.Refusal());

  const auto late = rpc::LateReply::Make(*reply);
  late->Hold(std::move(place));
  QueueHost::Turn turn(**host, Now());
  const auto accepted = std::make_shared<v1::Job>();
  const auto answer = [late, accepted, wait] {
    if (!wait) late->Answer(*accepted);
  };
  const queue::Submitted submitted =
      turn.Submit(queue::kDetached, 0, *options, request.spec(), answer, request.options().place());
  if (submitted.admission != queue::Admission::kAccepted) {
    late->Fail(Refused(Refusal(submitted, (*host)->name())));
    return late.get();
  }
  *accepted = Describe(turn, **host, *turn.core().Find(Now(), submitted.job));
  if (wait) AnswerAtEnd(queues_.finished(), submitted.job, (*host)->name(), late);
  if (!(*options)->durable) answer();  // others are answered when they are on disk
  return late.get();
}

Result<v1::Job> ClientsService::Get(const v1::GetJobRequest& request) {
  return FindJob(queues_, request.id());
}

Result<v1::Explanation> ClientsService::Explain(const v1::GetJobRequest& request) {
  return frontend::ExplainJob(queues_, request.id());
}

Result<v1::ListJobsReply> ClientsService::List(const v1::ListJobsRequest& request) {
  return frontend::ListJobs(queues_, request);
}

grpc::ServerUnaryReactor* ClientsService::GetJob(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::Get);
}

grpc::ServerUnaryReactor* ClientsService::ListJobs(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::List);
}

grpc::ServerUnaryReactor* ClientsService::CancelJob(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes,
                                                    grpc::ByteBuffer* reply) {
  v1::CancelJobRequest request;
  if (Status status = rpc::Parse(*bytes, request); !status.ok()) {
    return rpc::Finish(context, rpc::ToGrpc(status));
  }
  Result<v1::Job> job = FindJob(queues_, request.id());
  if (!job.ok()) return rpc::Finish(context, rpc::ToGrpc(job.status()));
  const queue::JobId id{request.id()};
  QueueHost* host = queues_.Owner(id);
  if (host == nullptr) return rpc::Finish(context, rpc::ToGrpc(NotServed(*job)));
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Finish(context, calls_.Refusal());
  const auto late = rpc::LateReply::Make(*reply);
  late->Hold(std::move(place));
  QueueHost::Turn turn(*host, Now());
  if (!turn.Cancel(id)) {
    late->Fail(rpc::ToGrpc(absl::FailedPreconditionError(
        absl::StrCat("id: job ", request.id(), " has ended already"))));
    return late.get();
  }
  job->set_state(v1::JOB_STATE_FINISHED);
  job->set_outcome(v1::OUTCOME_CANCELLED);
  turn.WhenStored(id, [late, job = *std::move(job)] { late->Answer(job); });
  return late.get();
}

grpc::ServerUnaryReactor* ClientsService::ExplainJob(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::Explain);
}

grpc::ServerUnaryReactor* ClientsService::RequeueJobs(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* bytes,
                                                      grpc::ByteBuffer* reply) {
  v1::RequeueJobsRequest request;
  if (Status status = rpc::Parse(*bytes, request); !status.ok()) {
    return rpc::Finish(context, rpc::ToGrpc(status));
  }
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Finish(context, calls_.Refusal());
  const auto late = rpc::LateReply::Make(*reply);
  late->Hold(std::move(place));
  const Status status = requeuer_.Requeue(
      request, [late](const v1::RequeueJobsReply& requeued) { late->Answer(requeued); });
  if (!status.ok()) late->Fail(rpc::ToGrpc(status));
  return late.get();
}

rpc::ByteWriter* ClientsService::FollowJob(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request) {
  return frontend::FollowJob(queues_, *request, calls_.Enter(context->peer()), calls_.Refusal());
}

}  // namespace twofold::frontend
