#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "frontend/queues/queue_set.h"
#include "frontend/services/requeue.h"
#include "frontend/services/service.h"
#include "frontend/streams/client_session.h"
#include "frontend/streams/worker_session.h"
#include "twofold/v1/queue.grpc.pb.h"

/// The services for clients, workers and people: they open sessions, check requests, and answer in
/// the caller's terms.
///
/// Threads  Safe.
namespace twofold::frontend {

class ClientsService final : public Service {
 public:
  ClientsService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers);

 private:
  using JobCall = rpc::UnaryCall<v1::GetJobRequest, v1::Job>;
  using ListCall = rpc::UnaryCall<v1::ListJobsRequest, v1::ListJobsReply>;
  using SubmitCall = rpc::UnaryCall<v1::SubmitJobRequest, v1::Job>;
  using CancelCall = rpc::UnaryCall<v1::CancelJobRequest, v1::Job>;
  using ExplainCall = rpc::UnaryCall<v1::GetJobRequest, v1::Explanation>;
  using RequeueCall = rpc::UnaryCall<v1::RequeueJobsRequest, v1::RequeueJobsReply>;
  using FollowCall = rpc::ServerStream<v1::FollowJobRequest, v1::JobUpdate>;

  Result<std::shared_ptr<ClientSession>> Submit();
  void SubmitJob(const v1::SubmitJobRequest& request, const std::shared_ptr<SubmitCall>& call);
  void GetJob(const v1::GetJobRequest& request, const std::shared_ptr<JobCall>& call);
  void ListJobs(const v1::ListJobsRequest& request, const std::shared_ptr<ListCall>& call);
  void CancelJob(const v1::CancelJobRequest& request, const std::shared_ptr<CancelCall>& call);
  void ExplainJob(const v1::GetJobRequest& request, const std::shared_ptr<ExplainCall>& call);
  void RequeueJobs(const v1::RequeueJobsRequest& request, const std::shared_ptr<RequeueCall>& call);
  Result<std::shared_ptr<FollowCall>> FollowJob();

  template <typename Call, typename Task>
  void WithJob(std::uint64_t id, const std::shared_ptr<Call>& call, const Task& task);
  void AnswerAtEnd(queue::JobId job, const std::string& queue,
                   const std::shared_ptr<SubmitCall>& call);
  void Cancel(std::uint64_t id, const std::shared_ptr<CancelCall>& call);

  QueueSet& queues_;
  Requeuer requeuer_;
  std::atomic<std::uint64_t> last_submitter_ = 0;
  ReaderPool walkers_{2};  // for lists of jobs that have not ended: they need no disk
};

class WorkersService final : public Service {
 public:
  WorkersService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
      : Service(v1::Workers::service_full_name(), calls, readers), queues_(queues) {
    Stream("Work", &WorkersService::Work);
  }

 private:
  Result<std::shared_ptr<WorkerSession>> Work() { return std::make_shared<WorkerSession>(queues_); }

  QueueSet& queues_;
};

class AdminService final : public Service {
 public:
  AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers);

 private:
  Result<v1::ListQueuesReply> ListQueues(const v1::ListQueuesRequest& request);
  Result<v1::Queue> PauseQueue(const v1::QueueRequest& request);
  Result<v1::Queue> ResumeQueue(const v1::QueueRequest& request);
  Result<v1::Queue> DrainQueue(const v1::QueueRequest& request);
  Result<v1::ListWorkersReply> ListWorkers(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> PauseWorkers(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> ResumeWorkers(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> DrainWorkers(const v1::WorkersRequest& request);

  Result<v1::Queue> Change(const v1::QueueRequest& request, void (QueueHost::Turn::*change)());
  using WorkersChange = std::size_t (QueueHost::Turn::*)(const WorkerPattern&, std::size_t from);
  Result<v1::ListWorkersReply> Change(const v1::WorkersRequest& request, WorkersChange change);

  QueueSet& queues_;
};

}  // namespace twofold::frontend
