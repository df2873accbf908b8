#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "frontend/cluster/peers.h"
#include "frontend/queues/queue_set.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/queue/queue.h"

namespace twofold::frontend {

/// Sees to it that each shard of a queue has the workers that its jobs want, as far as there are
/// some. Once a second it asks the other frontends how busy their shards are; for a shard here that
/// lacks workers it asks those that have some to spare (QueueHost::Turn::Lend). Workers move, jobs
/// never do, so nothing can run twice by it.
///
/// A gang that the workers of its shard could never make up gets those of others, if there are
/// enough, and they are kept for it until all have come. What they run may take hours: so after
/// kGathering the other jobs have them for as long, and so on in turns.
///
/// Threads  Its own. The destructor waits for the calls under way, for kPatience at most.
/// Cost     A call a second to each other frontend, and one to each that lends.
class Balancer {
 public:
  static constexpr Duration kPeriod = std::chrono::seconds(1);
  static constexpr std::chrono::milliseconds kPatience{900};
  static constexpr Duration kGathering = std::chrono::seconds(60);

  /// Both outlive this.
  Balancer(QueueSet& queues, Peers& peers);
  ~Balancer();
  Balancer(const Balancer&) = delete;
  Balancer& operator=(const Balancer&) = delete;

 private:
  /// A shard as whoever serves it has it.
  struct Shard {
    std::string name;
    std::string address;  ///< empty: it is served here
    ShardLoad load;
  };

  void Run();
  std::vector<Shard> Look();
  void Fill(QueueHost& shard, std::vector<Shard> others);
  std::uint64_t FillShortages(QueueHost& shard, const std::vector<Shard>& others);
  std::vector<queue::Shortage> ShortagesOf(QueueHost& shard, const std::vector<Shard>& others);
  std::uint64_t Ask(const Shard& lender, const QueueHost::Turn::Loan& loan);

  QueueSet& queues_;
  Peers& peers_;
  /// Gangs of a shard have workers of others in turns with the jobs there.
  struct Gathering {
    Instant since;
    std::uint64_t slots;  ///< of all shards then: workers on their way count nowhere
  };
  std::map<std::string, Gathering> gathering_;  // by shard
  Mutex mutex_;
  Condition changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace twofold::frontend
