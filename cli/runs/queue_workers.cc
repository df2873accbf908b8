#include "cli/runs/queue_workers.h"

namespace twofold::cli {

Result<std::vector<run::Worker>> WorkersOf(const Frontend& frontend, const std::string& queue) {
  v1::WorkersRequest request;
  request.set_queue(queue);
  const auto reply = frontend.Call<v1::Admin>(&v1::Admin::Stub::ListWorkers, request);
  if (!reply.ok()) return reply.status();
  std::vector<run::Worker> workers;
  for (const v1::Worker& worker : reply->workers()) {
    if (!worker.connected() || worker.silent() || worker.paused() || worker.draining()) continue;
    workers.push_back({worker.node(),
                       worker.pod(),
                       {worker.labels().begin(), worker.labels().end()},
                       worker.slots()});
  }
  return workers;
}

}  // namespace twofold::cli
