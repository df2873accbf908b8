#pragma once

#include <atomic>
#include <cstdint>

#include "frontend/open_calls.h"
#include "frontend/queue_set.h"
#include "frontend/requeue.h"
#include "lib/rpc/wire.h"
#include "twofold/v1/queue.grpc.pb.h"

/// The three gRPC services: they open sessions, check requests, and answer in the caller's terms.
/// Their methods take bytes, see lib/rpc/wire.h.
///
/// Threads  Safe; methods run on threads of gRPC and do not block.
namespace twofold::frontend {

// clang-format off
using RawClients =
    v1::Clients::WithRawCallbackMethod_Submit<
    v1::Clients::WithRawCallbackMethod_SubmitJob<
    v1::Clients::WithRawCallbackMethod_GetJob<
    v1::Clients::WithRawCallbackMethod_ListJobs<
    v1::Clients::WithRawCallbackMethod_CancelJob<
    v1::Clients::WithRawCallbackMethod_ExplainJob<
    v1::Clients::WithRawCallbackMethod_RequeueJobs<
    v1::Clients::WithRawCallbackMethod_FollowJob<v1::Clients::Service>>>>>>>>;
using RawWorkers = v1::Workers::WithRawCallbackMethod_Work<v1::Workers::Service>;
using RawAdmin =
    v1::Admin::WithRawCallbackMethod_ListQueues<
    v1::Admin::WithRawCallbackMethod_PauseQueue<
    v1::Admin::WithRawCallbackMethod_ResumeQueue<
    v1::Admin::WithRawCallbackMethod_DrainQueue<
    v1::Admin::WithRawCallbackMethod_ListWorkers<
    v1::Admin::WithRawCallbackMethod_PauseWorkers<
    v1::Admin::WithRawCallbackMethod_ResumeWorkers<
    v1::Admin::WithRawCallbackMethod_DrainWorkers<v1::Admin::Service>>>>>>>>;
// clang-format on

using ByteStream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class ClientsService final : public RawClients {
 public:
  ClientsService(QueueSet& queues, OpenCalls& calls)
      : queues_(queues), calls_(calls), requeuer_(queues) {}

  ByteStream* Submit(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* SubmitJob(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* reply) override;

  grpc::ServerUnaryReactor* ExplainJob(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* RequeueJobs(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* reply) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* FollowJob(grpc::CallbackServerContext* context,
                                                        const grpc::ByteBuffer* request) override;

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

class WorkersService final : public RawWorkers {
 public:
  WorkersService(QueueSet& queues, OpenCalls& calls) : queues_(queues), calls_(calls) {}

  ByteStream* Work(grpc::CallbackServerContext* context) override;

 private:
  QueueSet& queues_;
  OpenCalls& calls_;
};

class AdminService final : public RawAdmin {
 public:
  explicit AdminService(QueueSet& queues) : queues_(queues) {}

  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* PauseQueue(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ResumeQueue(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* DrainQueue(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* PauseWorkers(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ResumeWorkers(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* DrainWorkers(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* reply) override;

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
