#include "frontend/convert.h"
#include "frontend/services.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {

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
  return rpc::Answer(context, request, reply, this, &AdminService::Pause);
}

grpc::ServerUnaryReactor* AdminService::ResumeQueue(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &AdminService::Resume);
}

grpc::ServerUnaryReactor* AdminService::DrainQueue(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &AdminService::Drain);
}

}  // namespace twofold::frontend
