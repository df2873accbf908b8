#pragma once

#include <atomic>
#include <cstdint>

#include "frontend/queue_set.h"
#include "twofold/v1/queue.grpc.pb.h"

/// The three gRPC services: they open sessions, check requests, and answer in the caller's terms.
///
/// Threads  Safe; methods run on threads of gRPC and do not block.
namespace twofold::frontend {

class ClientsService final : public v1::Clients::CallbackService {
 public:
  explicit ClientsService(QueueSet& queues) : queues_(queues) {}

  grpc::ServerBidiReactor<v1::SubmitRequest, v1::SubmitReply>* Submit(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* SubmitJob(grpc::CallbackServerContext* context,
                                      const v1::SubmitJobRequest* request, v1::Job* reply) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const v1::GetJobRequest* request, v1::Job* reply) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const v1::ListJobsRequest* request,
                                     v1::ListJobsReply* reply) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const v1::CancelJobRequest* request, v1::Job* reply) override;

  /// Open Submit streams.
  std::int64_t clients() const { return clients_; }

 private:
  Result<v1::Job> FindJob(std::uint64_t id) const;

  QueueSet& queues_;
  std::atomic<std::uint64_t> last_submitter_ = 0;
  std::atomic<std::int64_t> clients_ = 0;
};

class WorkersService final : public v1::Workers::CallbackService {
 public:
  explicit WorkersService(QueueSet& queues) : queues_(queues) {}

  grpc::ServerBidiReactor<v1::WorkerMessage, v1::FrontendMessage>* Work(
      grpc::CallbackServerContext* context) override;

 private:
  QueueSet& queues_;
};

class AdminService final : public v1::Admin::CallbackService {
 public:
  explicit AdminService(QueueSet& queues) : queues_(queues) {}

  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const v1::ListQueuesRequest* request,
                                       v1::ListQueuesReply* reply) override;
  grpc::ServerUnaryReactor* PauseQueue(grpc::CallbackServerContext* context,
                                       const v1::QueueRequest* request, v1::Queue* reply) override;
  grpc::ServerUnaryReactor* ResumeQueue(grpc::CallbackServerContext* context,
                                        const v1::QueueRequest* request, v1::Queue* reply) override;
  grpc::ServerUnaryReactor* DrainQueue(grpc::CallbackServerContext* context,
                                       const v1::QueueRequest* request, v1::Queue* reply) override;

 private:
  grpc::ServerUnaryReactor* Change(grpc::CallbackServerContext* context,
                                   const v1::QueueRequest& request, v1::Queue& reply,
                                   void (QueueHost::Turn::*change)());

  QueueSet& queues_;
};

}  // namespace twofold::frontend
