#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/h2/loop.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/shard_session.h"
#include "lib/load/profile.h"
#include "lib/rpc/loop_thread.h"

namespace twofold::load {

/// Connects a generator to the frontends that serve its queue: a ShardSession for each of the
/// queue's shards. The first shard's frontend says how many there are; more may come later, and
/// none goes. All ask the same first contact where their shard is.
///
/// Threads  One loop of the session's own has all streams, handles their answers, which bring new
///          jobs, and submits what is due. Call Start and Stop from one other thread.
class Session {
 public:
  /// `frontend` is host:port of the first contact. The generator outlives the session.
  Session(std::string frontend, JobTemplate job, Generator& generator, SessionOptions options = {});

  /// Stops at once.
  ~Session();

  void Start();

  /// Stops submitting, waits up to `patience` for missing answers on the streams that there are,
  /// ends them.
  void Stop(Duration patience);

 private:
  void TickAt(Instant when);

  // On the loop's thread.
  void OpenUpTo(std::uint32_t shards);
  void HasShards(std::uint32_t count);
  void OnShardEnd();

  // Constant.
  const std::string frontend_;
  const JobTemplate job_;
  Generator& generator_;
  const SessionOptions options_;

  bool started_ = false;

  // The loop's thread only.
  std::optional<h2::Timer> tick_;
  std::vector<std::unique_ptr<ShardSession>> shards_;  // by number
  std::size_t at_work_ = 0;                            // of these
  std::function<void()> on_end_;                       // empty: it is not to stop

  rpc::LoopThread loop_{h2::Budgets()};  // last: it uses the others
};

}  // namespace twofold::load
