#pragma once

#include <atomic>
#include <cstdint>

#include "frontend/queues/queue_set.h"
#include "frontend/services/open_calls.h"
#include "frontend/services/requeue.h"
#include "lib/rpc/service.h"
#include "twofold/v1/queue.grpc.pb.h"

/// The three gRPC services: they open sessions, check requests, and answer in the caller's terms.
/// Their methods take bytes, see lib/rpc/wire.h, and are let in by lib/rpc/service.h.
///
/// Threads  Safe; methods run on threads of gRPC and do not block.
namespace twofold::frontend {

using ByteStream = rpc::ByteStream;

class ClientsService final : public rpc::Service {
 public:
  ClientsService(QueueSet& queues, OpenCalls& calls);

  ByteStream* Submit(grpc::CallbackServerContext* context);
  grpc::ServerUnaryReactor* SubmitJob(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);

  grpc::ServerUnaryReactor* ExplainJob(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* RequeueJobs(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  rpc::ByteWriter* FollowJob(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request);

  /// Open Submit streams.
  std::int64_t clients() const { return clients_; }

 private:
  Result<v1::Job> Get(const v1::GetJobRequest& request);
  Result<v1::ListJobsReply> List(const v1::ListJobsRequest& request);
  Result<v1::Explanation> Explain(const v1::GetJobRequest& request);

  QueueSet& queues_;
  OpenCalls& calls_;
  Requeuer requeuer_;
  std::atomic<std::uint64_t> last_submitter_ = 0;
  std::atomic<std::int64_t> clients_ = 0;
};

class WorkersService final : public rpc::Service {
 public:
  WorkersService(QueueSet& queues, OpenCalls& calls);

  ByteStream* Work(grpc::CallbackServerContext* context);

 private:
  QueueSet& queues_;
  OpenCalls& calls_;
};

class AdminService final : public rpc::Service {
 public:
  explicit AdminService(QueueSet& queues);

  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* PauseQueue(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* ResumeQueue(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* DrainQueue(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* PauseWorkers(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* ResumeWorkers(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* DrainWorkers(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);

 private:
  Result<v1::ListQueuesReply> List(const v1::ListQueuesRequest& request);
  Result<v1::Queue> Pause(const v1::QueueRequest& request);
  Result<v1::Queue> Resume(const v1::QueueRequest& request);
  Result<v1::Queue> Drain(const v1::QueueRequest& request);
  Result<v1::Queue> Change(const v1::QueueRequest& request, void (QueueHost::Turn::*change)());

  using WorkersChange = void (QueueHost::Turn::*)(const WorkerPattern&);
  Result<v1::ListWorkersReply> Workers(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> Pause(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> Resume(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> Drain(const v1::WorkersRequest& request);
  Result<v1::ListWorkersReply> Change(const v1::WorkersRequest& request, WorkersChange change);

  QueueSet& queues_;
};

}  // namespace twofold::frontend
