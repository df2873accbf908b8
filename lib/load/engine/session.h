#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/shard_session.h"
#include "lib/load/profile.h"
#include "lib/rpc/loop_thread.h"

namespace twofold::load {

/// Connects a generator to the frontends that serve its queue: a ShardSession for each of the
/// queue's shards. The first shard's frontend says how many there are; more may come later, and
/// none goes. All ask the same first contact where their shard is.
///
/// Threads  All streams are on one loop of the session's own, where answers are handled and bring
///          new jobs. Another thread opens shards, and calls Generator::Tick when it is time to,
///          whatever each shard's thread waits for. Call Start and Stop from one thread.
class Session final {
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
  void Run();
  void OpenNext();

  // On any thread.
  void TickAt(Instant when);
  void HasShards(std::uint32_t count);

  // Constant.
  const std::string frontend_;
  const JobTemplate job_;
  Generator& generator_;
  const SessionOptions options_;

  Mutex mutex_;
  Condition changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Instant> tick_at_ ABSL_GUARDED_BY(mutex_);
  std::uint32_t wanted_ ABSL_GUARDED_BY(mutex_) = 1;  // shards

  rpc::LoopThread loop_{h2::Budgets()};
  // By number; the thread's, as long as it runs.
  std::vector<std::unique_ptr<ShardSession>> shards_;
  std::thread thread_;
};

}  // namespace twofold::load
