#include "frontend/queues/convert.h"
#include "frontend/services/services.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {
namespace {

Status CheckPattern(const v1::WorkersRequest& request) {
  if (request.node().size() > rpc::kMaxNameBytes || request.pod().size() > rpc::kMaxNameBytes) {
    return absl::InvalidArgumentError("node, pod: a pattern is longer than any name");
  }
  if (!request.node().empty() || !request.pod().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("node, pod: name at least one pattern; '*' means all");
}

}  // namespace

AdminService::AdminService(QueueSet& queues)
    : rpc::Service(v1::Admin::service_full_name()), queues_(queues) {
  Serve("ListQueues", &AdminService::ListQueues);
  Serve("PauseQueue", &AdminService::PauseQueue);
  Serve("ResumeQueue", &AdminService::ResumeQueue);
  Serve("DrainQueue", &AdminService::DrainQueue);
  Serve("ListWorkers", &AdminService::ListWorkers);
  Serve("PauseWorkers", &AdminService::PauseWorkers);
  Serve("ResumeWorkers", &AdminService::ResumeWorkers);
  Serve("DrainWorkers", &AdminService::DrainWorkers);
}

Result<v1::ListQueuesReply> AdminService::List(const v1::ListQueuesRequest&) {
  v1::ListQueuesReply reply;
  for (const auto& host : queues_.all()) *reply.add_queues() = ToProto(*host, host->Look(Now()));
  return reply;
}

Result<v1::Queue> AdminService::Change(const v1::QueueRequest& request,
                                       void (QueueHost::Turn::*change)()) {
  Result<QueueHost*> host = queues_.Find(request.queue());
  if (!host.ok()) return host.status();
  (QueueHost::Turn(**host, Now()).*change)();
  return ToProto(**host, (*host)->Look(Now()));
}

Result<v1::ListWorkersReply> AdminService::Workers(const v1::WorkersRequest& request) {
  if (!request.queue().empty()) {
    if (const auto host = queues_.Find(request.queue()); !host.ok()) return host.status();
  }
  v1::ListWorkersReply reply;
  for (const auto& host : queues_.all()) {
    if (!request.queue().empty() && host->name() != request.queue()) continue;
    const QueueHost::Turn turn(*host, Now());
    turn.ListWorkers({request.node(), request.pod()},
                     [&](const QueueHost::Turn::WorkerView& worker) {
                       *reply.add_workers() = ToProto(worker, host->name());
                     });
  }
  return reply;
}

Result<v1::ListWorkersReply> AdminService::Change(const v1::WorkersRequest& request,
                                                  WorkersChange change) {
  if (Status status = CheckPattern(request); !status.ok()) return status;
  for (const auto& host : queues_.all()) {
    if (!request.queue().empty() && host->name() != request.queue()) continue;
    QueueHost::Turn turn(*host, Now());
    (turn.*change)({request.node(), request.pod()});
  }
  return Workers(request);
}

Result<v1::ListWorkersReply> AdminService::Pause(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::PauseWorkers);
}

Result<v1::ListWorkersReply> AdminService::Resume(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::ResumeWorkers);
}

Result<v1::ListWorkersReply> AdminService::Drain(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::DrainWorkers);
}

Result<v1::Queue> AdminService::Pause(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Pause);
}

Result<v1::Queue> AdminService::Resume(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Resume);
}

Result<v1::Queue> AdminService::Drain(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Drain);
}

grpc::ServerUnaryReactor* AdminService::ListQueues(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &AdminService::List);
}

grpc::ServerUnaryReactor* AdminService::PauseQueue(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::QueueRequest, v1::Queue>(context, request, reply, this,
                                                                &AdminService::Pause);
}

grpc::ServerUnaryReactor* AdminService::ResumeQueue(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::QueueRequest, v1::Queue>(context, request, reply, this,
                                                                &AdminService::Resume);
}

grpc::ServerUnaryReactor* AdminService::DrainQueue(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::QueueRequest, v1::Queue>(context, request, reply, this,
                                                                &AdminService::Drain);
}

grpc::ServerUnaryReactor* AdminService::ListWorkers(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::WorkersRequest, v1::ListWorkersReply>(
      context, request, reply, this, &AdminService::Workers);
}

grpc::ServerUnaryReactor* AdminService::PauseWorkers(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::WorkersRequest, v1::ListWorkersReply>(
      context, request, reply, this, &AdminService::Pause);
}

grpc::ServerUnaryReactor* AdminService::ResumeWorkers(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::WorkersRequest, v1::ListWorkersReply>(
      context, request, reply, this, &AdminService::Resume);
}

grpc::ServerUnaryReactor* AdminService::DrainWorkers(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* reply) {
  return rpc::Answer<AdminService, v1::WorkersRequest, v1::ListWorkersReply>(
      context, request, reply, this, &AdminService::Drain);
}

}  // namespace twofold::frontend
