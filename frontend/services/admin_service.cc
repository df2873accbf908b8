#include <map>
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
  for (const auto& host : queues.all()) {
    const QueueHost::Snapshot snapshot = host->Look(Now());
    if (!snapshot.served) continue;
    v1::Queue& queue = *reply.add_queues();
    queue = ToProto(*host, snapshot);
    if (queues.directory() == nullptr) continue;
    const Owner owner = queues.directory()->Find(host->name());
    if (owner.here) queue.set_frontend(owner.peer.name);  // else it is just opening or closing
  }
  return reply;
}

/// In the order of the command line; those that nobody serves are there by name.
void Arrange(const QueueSet& queues, v1::ListQueuesReply& reply) {
  std::map<std::string, v1::Queue> served;
  for (v1::Queue& queue : *reply.mutable_queues()) {
    v1::Queue& known = served[queue.name()];
    if (queue.epoch() >= known.epoch()) known = std::move(queue);
  }
  reply.clear_queues();
  for (const auto& host : queues.all()) {
    v1::Queue& queue = *reply.add_queues();
    queue = served[host->name()];
    queue.set_name(host->name());
  }
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
  {
    QueueHost::Turn turn(**host, Now());
    if (Status status = turn.CheckServed(); !status.ok()) return status;
    (turn.*change)();
  }
  return ToProto(**host, (*host)->Look(Now()));
}

AdminService::AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service(v1::Admin::service_full_name(), calls, readers) {
  const auto at_once = [](auto&) { return nullptr; };
  Gathered<v1::ListQueuesRequest, v1::ListQueuesReply>(
      "ListQueues", [&](auto&, auto done) { done(ListQueues(queues)); }, at_once, {},
      [&](auto& reply) { Arrange(queues, reply); });
  Gathered<v1::WorkersRequest, v1::ListWorkersReply>(
      "ListWorkers", [&](auto& request, auto done) { done(ListWorkers(queues, request)); },
      at_once);
  for (const auto& [method, change] : {std::pair{"PauseQueue", &Turn::Pause},
                                       {"ResumeQueue", &Turn::Resume},
                                       {"DrainQueue", &Turn::Drain}}) {
    Routed<v1::QueueRequest, v1::Queue>(
        method, [&queues](auto& request) { return queues.Known(request.queue()); },
        [&queues, change = change](auto& request, auto& call) {
          call->Answer(ChangeQueue(queues, request.queue(), change));
        },
        at_once);
  }
  for (const auto& [method, change] : {std::pair{"PauseWorkers", &Turn::PauseWorkers},
                                       {"ResumeWorkers", &Turn::ResumeWorkers},
                                       {"DrainWorkers", &Turn::DrainWorkers}}) {
    Gathered<v1::WorkersRequest, v1::ListWorkersReply>(
        method,
        [&queues, change = change](auto& request, auto done) {
          done(Change(queues, request, change));
        },
        at_once);
  }
}

}  // namespace twofold::frontend
