// What a shard's streams say, on the loop's thread.

#include <spdlog/spdlog.h>

#include <cstdint>
#include <span>
#include <string>

#include "lib/common/shard_name.h"
#include "lib/load/engine/reply_check.h"
#include "lib/load/engine/shard_session.h"

namespace twofold::load {

void ShardSession::OnReply(SubmitStream& stream, const v1::SubmitReply& reply) {
  if (const Status status = CheckReply(reply, queue_); !status.ok()) {
    spdlog::error("the frontend at {} sent a bad batch: {}", stream.dial().address,
                  std::string(status.message()));
    return stream.Cancel();
  }
  if (reply.shards() > 1) has_shards_(reply.shards());
  // First, for what comes in place of jobs that have ended should not be sent there.
  const v1::Moved* const moved = GiveBack(stream, reply);
  generator_.OnReply(reply, lane_);
  const MutexLock lock(mutex_);
  Known& known = Of(stream);
  const bool is_answer = reply.has_results() || reply.has_accepted();
  if (is_answer && !known.answered) known.answered = Now();
  if (moved != nullptr && !known.moved) {
    known.moved = *moved;
    known.moved->clear_tags();
    changed_.NotifyAll();
  }
}

// Of this shard and of others. Returns what is said of this one; null: nothing.
const v1::Moved* ShardSession::GiveBack(const SubmitStream& stream, const v1::SubmitReply& reply) {
  const v1::Moved* own = nullptr;
  for (const v1::Moved& moved : reply.moved()) {
    const std::span tags(moved.tags().data(), static_cast<std::size_t>(moved.tags_size()));
    const std::uint32_t shard = ParseShardName(moved.queue())->number;
    if (shard == lane_) {
      own = &moved;
      generator_.Moved(stream, tags, lane_);
    } else {
      generator_.Belong(tags, static_cast<Generator::Lane>(shard), stream, lane_);
      has_shards_(shard + 1);
    }
  }
  return own;
}

// The generator hears of it before the thread does, which would connect it anew.
void ShardSession::OnEnd(SubmitStream& stream, const Status& status) {
  const std::size_t unanswered = Stopping() ? 0 : generator_.Ended(stream, lane_);
  const MutexLock lock(mutex_);
  Known& known = Of(stream);
  known.unanswered = unanswered;
  known.reason = status.ok() ? "it ended the stream" : std::string(status.message());
  known.ended = true;
  changed_.NotifyAll();
}

}  // namespace twofold::load
