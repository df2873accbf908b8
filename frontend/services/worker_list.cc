#include "frontend/services/worker_list.h"

#include "frontend/queues/convert.h"

namespace twofold::frontend {

Result<v1::ListWorkersReply> ListWorkers(const QueueSet& queues,
                                         const v1::WorkersRequest& request) {
  if (!request.queue().empty()) {
    if (const auto host = queues.Find(request.queue()); !host.ok()) return host.status();
  }
  v1::ListWorkersReply reply;
  for (const auto& host : queues.all()) {
    if (!request.queue().empty() && host->name() != request.queue()) continue;
    std::size_t from = 0;
    do {
      const QueueHost::Turn turn(*host, Now());
      from = turn.ListWorkers({request.node(), request.pod()}, from,
                              [&](const QueueHost::Turn::WorkerView& worker) {
                                *reply.add_workers() = ToProto(worker, host->name());
                              });
    } while (from != 0);
  }
  return reply;
}

}  // namespace twofold::frontend
