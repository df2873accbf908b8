#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/services/changes.h"
#include "frontend/services/lookup.h"
#include "frontend/services/services.h"
#include "lib/rpc/limits.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::frontend {
namespace {

using Turn = QueueHost::Turn;
using WorkersChange = std::size_t (Turn::*)(const WorkerPattern&, std::size_t from);

Status CheckPattern(const v1::WorkersRequest& request) {
  if (request.node().size() > rpc::kMaxNameBytes || request.pod().size() > rpc::kMaxNameBytes) {
    return absl::InvalidArgumentError("node, pod: a pattern is longer than any name");
  }
  if (!request.node().empty() || !request.pod().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("node, pod: name at least one pattern; '*' means all");
}

/// Calls `visit(turn, host, pattern, from)` in short turns of the queues that are asked for.
/// Returns where the queue goes on; 0: it has no more.
template <typename Visit>
void ForEachTurn(const QueueSet& queues, const v1::WorkersRequest& request, const Visit& visit) {
  for (const auto& host : queues.all()) {
    if (!request.queue().empty() && host->name() != request.queue()) continue;
    std::size_t from = 0;
    do {
      Turn turn(*host, Now());
      from = visit(turn, *host, WorkerPattern{request.node(), request.pod()}, from);
    } while (from != 0);
  }
}

Result<v1::ListWorkersReply> Change(const QueueSet& queues, const v1::WorkersRequest& request,
                                    WorkersChange change) {
  if (Status status = CheckPattern(request); !status.ok()) return status;
  ForEachTurn(queues, request, [change](Turn& turn, auto&, const auto& pattern, std::size_t from) {
    return (turn.*change)(pattern, from);
  });
  return ListWorkers(queues, request);
}

}  // namespace

v1::ListQueuesReply ListQueues(const QueueSet& queues) {
  v1::ListQueuesReply reply;
  for (const auto& host : queues.all()) *reply.add_queues() = ToProto(*host, host->Look(Now()));
  return reply;
}

Result<v1::ListWorkersReply> ListWorkers(const QueueSet& queues,
                                         const v1::WorkersRequest& request) {
  if (!request.queue().empty()) {
    if (const auto host = queues.Find(request.queue()); !host.ok()) return host.status();
  }
  v1::ListWorkersReply reply;
  ForEachTurn(queues, request,
              [&reply](const Turn& turn, const QueueHost& host, const auto& pattern, auto from) {
                return turn.ListWorkers(pattern, from, [&](const Turn::WorkerView& worker) {
                  *reply.add_workers() = ToProto(worker, host.name());
                });
              });
  return reply;
}

Result<v1::Queue> ChangeQueue(const QueueSet& queues, const std::string& queue,
                              QueueChange change) {
  Result<QueueHost*> host = queues.Find(queue);
  if (!host.ok()) return host.status();
  (QueueHost::Turn(**host, Now()).*change)();
  return ToProto(**host, (*host)->Look(Now()));
}

AdminService::AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service(v1::Admin::service_full_name(), calls, readers) {
  Serve<v1::ListQueuesRequest, v1::ListQueuesReply>("ListQueues",
                                                    [&](auto&) { return ListQueues(queues); });
  Serve<v1::WorkersRequest, v1::ListWorkersReply>(
      "ListWorkers", [&](auto& request) { return ListWorkers(queues, request); });
  for (const auto& [method, change] : {std::pair{"PauseQueue", &Turn::Pause},
                                       {"ResumeQueue", &Turn::Resume},
                                       {"DrainQueue", &Turn::Drain}}) {
    Serve<v1::QueueRequest, v1::Queue>(method, [&queues, change = change](auto& request) {
      return ChangeQueue(queues, request.queue(), change);
    });
  }
  for (const auto& [method, change] : {std::pair{"PauseWorkers", &Turn::PauseWorkers},
                                       {"ResumeWorkers", &Turn::ResumeWorkers},
                                       {"DrainWorkers", &Turn::DrainWorkers}}) {
    Serve<v1::WorkersRequest, v1::ListWorkersReply>(
        method,
        [&queues, change = change](auto& request) { return Change(queues, request, change); });
  }
}

}  // namespace twofold::frontend
