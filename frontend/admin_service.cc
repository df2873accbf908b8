#include "frontend/convert.h"
#include "frontend/services.h"
#include "lib/rpc/channel.h"

namespace twofold::frontend {

grpc::ServerUnaryReactor* AdminService::ListQueues(grpc::CallbackServerContext* context,
                                                   const v1::ListQueuesRequest*,
                                                   v1::ListQueuesReply* reply) {
  for (const auto& host : queues_.all()) *reply->add_queues() = ToProto(*host, host->Look(Now()));
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerUnaryReactor* AdminService::Change(grpc::CallbackServerContext* context,
                                               const v1::QueueRequest& request, v1::Queue& reply,
                                               void (QueueHost::Turn::*change)()) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Result<QueueHost*> host = queues_.Find(request.queue());
  if (host.ok()) {
    (QueueHost::Turn(**host, Now()).*change)();
    reply = ToProto(**host, (*host)->Look(Now()));
  }
  reactor->Finish(rpc::ToGrpc(host.status()));
  return reactor;
}

grpc::ServerUnaryReactor* AdminService::PauseQueue(grpc::CallbackServerContext* context,
                                                   const v1::QueueRequest* request,
                                                   v1::Queue* reply) {
  return Change(context, *request, *reply, &QueueHost::Turn::Pause);
}

grpc::ServerUnaryReactor* AdminService::ResumeQueue(grpc::CallbackServerContext* context,
                                                    const v1::QueueRequest* request,
                                                    v1::Queue* reply) {
  return Change(context, *request, *reply, &QueueHost::Turn::Resume);
}

grpc::ServerUnaryReactor* AdminService::DrainQueue(grpc::CallbackServerContext* context,
                                                   const v1::QueueRequest* request,
                                                   v1::Queue* reply) {
  return Change(context, *request, *reply, &QueueHost::Turn::Drain);
}

}  // namespace twofold::frontend
