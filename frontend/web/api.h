#pragma once

#include <functional>
#include <string>

#include "frontend/cluster/peers.h"
#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/rpc/parse.h"

namespace twofold::frontend {

/// Where pages get what they show: from the queues of this frontend. Where several frontends share
/// the queues, from the gRPC service of this one, which asks the others as for any other caller.
///
/// Threads  Safe. Blocks while it asks.
struct Api {
  /// A unary call of this frontend's own service; empty: it has all queues.
  using Ask = std::function<Result<std::string>(
      const std::string& method, const google::protobuf::Message& request, const Caller& caller)>;

  const QueueSet& queues;  ///< outlives this
  Ask ask = {};

  /// `here` answers the request if this frontend has all queues. The token of `from` is that of the
  /// call; nullptr: nobody's.
  template <typename Reply, typename Request>
  Result<Reply> Get(const http::Request* from, const char* method, const Request& request,
                    const std::function<Result<Reply>()>& here) const {
    if (!ask) return here();
    const std::string* token =
        from == nullptr ? nullptr : http::Find(from->headers, "authorization");
    const Result<std::string> bytes =
        ask(method, request, {.authorization = token == nullptr ? "" : *token});
    if (!bytes.ok()) return bytes.status();
    Reply reply;
    if (Status parsed = rpc::Parse(*bytes, reply); !parsed.ok()) return parsed;
    return reply;
  }
};

}  // namespace twofold::frontend
