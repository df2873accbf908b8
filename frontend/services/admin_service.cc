#include "frontend/queues/convert.h"
#include "frontend/services/services.h"
#include "frontend/services/worker_list.h"
#include "lib/rpc/limits.h"

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

AdminService::AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service(v1::Admin::service_full_name(), calls, readers), queues_(queues) {
  Serve("ListQueues", &AdminService::ListQueues);
  Serve("PauseQueue", &AdminService::PauseQueue);
  Serve("ResumeQueue", &AdminService::ResumeQueue);
  Serve("DrainQueue", &AdminService::DrainQueue);
  Serve("ListWorkers", &AdminService::ListWorkers);
  Serve("PauseWorkers", &AdminService::PauseWorkers);
  Serve("ResumeWorkers", &AdminService::ResumeWorkers);
  Serve("DrainWorkers", &AdminService::DrainWorkers);
}

Result<v1::ListQueuesReply> AdminService::ListQueues(const v1::ListQueuesRequest&) {
  v1::ListQueuesReply reply;
  for (const auto& host : queues_.all()) *reply.add_queues() = ToProto(*host, host->Look(Now()));
  return reply;
}

Result<v1::Queue> AdminService::PauseQueue(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Pause);
}

Result<v1::Queue> AdminService::ResumeQueue(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Resume);
}

Result<v1::Queue> AdminService::DrainQueue(const v1::QueueRequest& request) {
  return Change(request, &QueueHost::Turn::Drain);
}

Result<v1::Queue> AdminService::Change(const v1::QueueRequest& request,
                                       void (QueueHost::Turn::*change)()) {
  Result<QueueHost*> host = queues_.Find(request.queue());
  if (!host.ok()) return host.status();
  (QueueHost::Turn(**host, Now()).*change)();
  return ToProto(**host, (*host)->Look(Now()));
}

Result<v1::ListWorkersReply> AdminService::ListWorkers(const v1::WorkersRequest& request) {
  return frontend::ListWorkers(queues_, request);
}

Result<v1::ListWorkersReply> AdminService::PauseWorkers(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::PauseWorkers);
}

Result<v1::ListWorkersReply> AdminService::ResumeWorkers(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::ResumeWorkers);
}

Result<v1::ListWorkersReply> AdminService::DrainWorkers(const v1::WorkersRequest& request) {
  return Change(request, &QueueHost::Turn::DrainWorkers);
}

Result<v1::ListWorkersReply> AdminService::Change(const v1::WorkersRequest& request,
                                                  WorkersChange change) {
  if (Status status = CheckPattern(request); !status.ok()) return status;
  for (const auto& host : queues_.all()) {
    if (!request.queue().empty() && host->name() != request.queue()) continue;
    std::size_t from = 0;
    do {
      QueueHost::Turn turn(*host, Now());
      from = (turn.*change)({request.node(), request.pod()}, from);
    } while (from != 0);
  }
  return ListWorkers(request);
}

}  // namespace twofold::frontend
