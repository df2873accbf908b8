#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/queues/convert.h"
#include "frontend/services/changes.h"
#include "frontend/services/lookup.h"
#include "frontend/services/services.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {
namespace {

using Turn = QueueHost::Turn;
using WorkersChange = std::size_t (Turn::*)(const WorkerPattern&, std::size_t from);

Status CheckPattern(const v1::WorkersRequest& request) {
  if (!request.node().empty() || !request.pod().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("node, pod: name at least one pattern; '*' means all");
}

/// Whether a request that names a queue, or one of its shards, is about this one.
bool Means(const QueueSet& queues, const std::string& name, const QueueHost& host) {
  return name == host.queue() || name == host.name() || name == queues.ExactName(host);
}

/// Calls `visit(turn, host, pattern, from)` in short turns of the queues that are asked for.
/// Returns where the queue goes on; 0: it has no more.
template <typename Visit>
void ForEachTurn(const QueueSet& queues, const v1::WorkersRequest& request, const Visit& visit) {
  for (const auto& host : queues.all()) {
    if (!request.queue().empty() && !Means(queues, request.queue(), *host)) continue;
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

void AddShard(v1::Queue& sum, const v1::Queue& shard) {
  if (sum.name().empty()) {
    sum = shard;
    return;
  }
  sum.set_paused(sum.paused() || shard.paused());
  sum.set_draining(sum.draining() || shard.draining());
  sum.set_oldest_waiting_ns(std::max(sum.oldest_waiting_ns(), shard.oldest_waiting_ns()));
  static const std::set<std::string_view> kNotAdded = {"oldest_waiting_ns", "epoch"};
  const auto& fields = *v1::Queue::descriptor();
  const auto& reflection = *v1::Queue::GetReflection();
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *fields.field(i);
    if (field.is_repeated() || field.cpp_type() != field.CPPTYPE_UINT64) continue;
    if (kNotAdded.contains(field.name())) continue;
    reflection.SetUInt64(&sum, &field,
                         reflection.GetUInt64(sum, &field) + reflection.GetUInt64(shard, &field));
  }
  for (const auto& [outcome, jobs] : shard.finished()) {
    (*sum.mutable_finished())[outcome] += jobs;
  }
  if (sum.store_trouble().empty()) sum.set_store_trouble(shard.store_trouble());
}

namespace {

/// One that stands for all shards of its queue.
v1::Queue SumOf(const std::vector<QueueHost*>& shards, std::map<std::string, v1::Queue>& served) {
  v1::Queue sum;
  std::set<std::string> frontends;
  for (const QueueHost* const shard : shards) {
    v1::Queue& one = served[shard->name()];
    if (one.name().empty() && shards.size() > 1) {
      one.set_store_trouble(absl::StrCat("nobody serves ", shard->name(), " at this moment"));
    }
    if (!one.frontend().empty()) frontends.insert(one.frontend());
    one.set_name(shard->queue());
    AddShard(sum, one);
  }
  if (shards.size() == 1) return sum;
  sum.set_shards(static_cast<std::uint32_t>(shards.size()));
  sum.set_frontend(absl::StrJoin(frontends, ", "));
  sum.clear_epoch();
  return sum;
}

}  // namespace

/// In the order of the command line; those that nobody serves are there by name.
void Arrange(const QueueSet& queues, v1::ListQueuesReply& reply) {
  std::map<std::string, v1::Queue> served;
  for (v1::Queue& queue : *reply.mutable_queues()) {
    v1::Queue& known = served[queue.name()];
    if (queue.epoch() >= known.epoch()) known = std::move(queue);
  }
  reply.clear_queues();
  for (const auto& host : queues.all()) {
    if (host->shard() == 0) *reply.add_queues() = SumOf(queues.ShardsOf(*host), served);
  }
}

Result<v1::ListWorkersReply> ListWorkers(const QueueSet& queues,
                                         const v1::WorkersRequest& request) {
  if (!request.queue().empty()) {
    if (const auto found = queues.FindAll(request.queue()); !found.ok()) return found.status();
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
  const auto shards = queues.FindAll(queue);
  if (!shards.ok()) return shards.status();
  v1::Queue sum;
  for (QueueHost* const shard : *shards) {
    {
      QueueHost::Turn turn(*shard, Now());
      if (Status status = turn.CheckServed(); !status.ok()) return status;
      (turn.*change)();
    }
    v1::Queue one = ToProto(*shard, shard->Look(Now()));
    one.set_name(shard->queue());
    AddShard(sum, one);
  }
  return sum;
}

AdminService::AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers)
    : Service("twofold.v1.Admin", calls, readers) {
  const auto at_once = [](auto&) { return nullptr; };
  Gathered<v1::ListQueuesRequest, v1::ListQueuesReply>(
      "ListQueues", {.read = [&](auto&) { return ListQueues(queues); },
                     .pool = at_once,
                     .arrange =
                         [&](auto&, auto& reply) {
                           Arrange(queues, reply);
                           return absl::OkStatus();
                         }});
  Gathered<v1::WorkersRequest, v1::ListWorkersReply>(
      "ListWorkers",
      {.read = [&](auto& request) { return ListWorkers(queues, request); }, .pool = at_once});
  for (const auto& [method, change] : {std::pair{"PauseQueue", &Turn::Pause},
                                       {"ResumeQueue", &Turn::Resume},
                                       {"DrainQueue", &Turn::Drain}}) {
    Spread<v1::QueueRequest, v1::Queue>(
        method,
        {.read = [&queues, change = change](
                     auto& request) { return ChangeQueue(queues, request.queue(), change); },
         .pool = at_once,
         .shards = [&queues](auto& request) { return ByShard(queues, request); },
         .merge = [](v1::Queue& all, const v1::Queue& one) { AddShard(all, one); }});
  }
  for (const auto& [method, change] : {std::pair{"PauseWorkers", &Turn::PauseWorkers},
                                       {"ResumeWorkers", &Turn::ResumeWorkers},
                                       {"DrainWorkers", &Turn::DrainWorkers}}) {
    Gathered<v1::WorkersRequest, v1::ListWorkersReply>(
        method, {.read = [&queues, change = change](
                             auto& request) { return Change(queues, request, change); },
                 .pool = at_once});
  }
}

}  // namespace twofold::frontend
