#include "lib/load/engine/reply_check.h"

#include <absl/strings/str_cat.h>

#include <string>

#include "lib/common/printable.h"
#include "lib/common/shard_name.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/limits.h"

namespace twofold::load {

Status CheckReply(const v1::SubmitReply& reply, std::string_view queue) {
  if (Status status = rpc::Check(reply.results()); !status.ok()) return status;
  if (reply.shards() > kMostShards) {
    return absl::InvalidArgumentError(
        absl::StrCat("shards is ", reply.shards(), ", a queue has at most ", kMostShards));
  }
  for (const v1::Moved& moved : reply.moved()) {
    const std::optional<QueueShard> shard = ParseShardName(moved.queue());
    if (shard && shard->queue == queue) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("moved.queue is '", Printable(moved.queue(), rpc::kMaxNameBytes),
                     "', our jobs are for '", std::string(queue), "' and its shards"));
  }
  return absl::OkStatus();
}

}  // namespace twofold::load
