#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include "lib/rpc/channel.h"
#include "lib/rpc/wire.h"

namespace twofold::rpc {

/// Ends a unary call, with what `reply` holds if the status is OK.
inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                        const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

/// A unary call that can be answered at once: `(service->*answer)(request)` on this thread.
template <typename Service, typename Request, typename Reply>
grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request_bytes, grpc::ByteBuffer* reply,
                                 Service* service,
                                 Result<Reply> (Service::*answer)(const Request&)) {
  Request request;
  if (Status status = Parse(*request_bytes, request); !status.ok()) {
    return Finish(context, ToGrpc(status));
  }
  const Result<Reply> answered = (service->*answer)(request);
  if (answered.ok()) *reply = Serialize(*answered);
  return Finish(context, ToGrpc(answered.status()));
}

}  // namespace twofold::rpc
