#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/queues/directory.h"
#include "frontend/queues/finished_jobs.h"
#include "frontend/queues/moved_jobs.h"
#include "frontend/queues/queue_host.h"
#include "frontend/queues/shards.h"
#include "frontend/queues/traffic.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// A queue as it is to be made.
struct QueuePlan {
  std::string name;
  bool durable = false;
  std::uint8_t number = 0;           ///< of its job ids
  std::uint64_t first_sequence = 1;  ///< of its durable jobs
};

/// The highest job id that each queue of the store has given out.
using LastIds = std::map<std::string, std::uint64_t>;

/// The queues to make. One that the store knows keeps its number, which is part of its job ids, and
/// goes on counting where it was; the others get numbers that no queue of the store has.
/// Errors   kFailedPrecondition: the store knows so many queues that no number is left.
Result<std::vector<QueuePlan>> PlanQueues(const std::vector<std::string>& names,
                                          const std::vector<std::string>& durable,
                                          const LastIds& last_ids);

/// The queues of a frontend, in the order of its command line, and what outlives their jobs.
///
/// Threads  The set is constant after construction and SetStore; its members are safe.
class QueueSet {
 public:
  /// Ids of volatile jobs of different starts of the frontend never meet if `first_generation` is
  /// random. REQUIRES: 1 to 256 plans with different names and numbers. `alarm` and `trace` may be
  /// nullptr; they outlive the set.
  QueueSet(const std::vector<QueuePlan>& plans, queue::QueueOptions options,
           std::uint32_t first_generation, Alarm* alarm,
           queue::trace::TraceWriter* trace = nullptr);

  /// From now on finished jobs are looked up, and queues that this frontend has for ever take in
  /// durable jobs. Call it before anybody submits. REQUIRES: both outlive the set, or LeaveStore.
  void SetStore(const results::Store& store, results::Journal& journal);

  /// Nothing is read of the store any more. Call it when all streams have ended and no queue opens
  /// or closes.
  void LeaveStore();

  /// kInvalidArgument for an empty name, kNotFound (with the names that there are) for an unknown.
  Result<QueueHost*> Find(std::string_view name) const;

  // ---- Queues with several shards. Each shard is a queue of its own to all who serve, move and
  // store it; `sleep` is also the name of the first one.

  /// What people mean: `sleep` all shards of the queue, in order; `sleep/2` that one, `sleep/0` the
  /// first. Errors: as Find.
  Result<std::vector<QueueHost*>> FindAll(std::string_view name) const;

  /// How people name exactly this one.
  std::string ExactName(const QueueHost& host) const;

  /// All of the queue that this is one of.
  const std::vector<QueueHost*>& ShardsOf(const QueueHost& host) const {
    return shards_.find(host.queue())->second;
  }

  /// The shard that a job belongs to which somebody submits to `asked`; it may be that one.
  QueueHost& Home(QueueHost& asked, const queue::JobOptions& job) const;
  /// The same for a job whose submitter names the queue: any shard may be meant. Then it is one
  /// that is served here, that with the most idle workers or the fewest jobs that wait; if none is,
  /// a random one.
  QueueHost& Choose(QueueHost& asked, const queue::JobOptions& job) const;

  ShardLoads& loads() { return loads_; }

  /// The queue whose ids have this number, that which gave out this id; nullptr: there is none.
  QueueHost* ByNumber(std::uint8_t number) const { return by_number_[number]; }
  QueueHost* Owner(queue::JobId job) const { return ByNumber(queue::QueueNumber(job)); }

  /// The names of queues that the frontend has: that which gave out this id, that of this name.
  /// Empty: none.
  std::string NameOf(queue::JobId job) const { return Owner(job) ? Owner(job)->name() : ""; }
  std::string Known(const std::string& name) const { return Find(name).ok() ? name : ""; }

  const std::vector<std::unique_ptr<QueueHost>>& all() const { return hosts_; }
  FinishedJobs& finished() const { return *finished_; }
  Traffic& traffic() { return traffic_; }
  const Traffic& traffic() const { return traffic_; }

  /// Several frontends share the queues: this one serves those that are opened. Call it before
  /// anybody comes, and before SetStore. REQUIRES: it outlives the set.
  void SetDirectory(Directory& directory);
  /// nullptr: this frontend serves all queues.
  Directory* directory() const { return directory_; }

  /// After each turn of a queue `changes` is rung, so whoever waits for it sees what has changed.
  /// Call it before anybody comes. REQUIRES: it outlives the set.
  void SetChanges(Alarm& changes) { surroundings_.changes = &changes; }

  /// How long a worker process without jobs may be silent; 0: for ever. Set it before workers come.
  void SetIdleLease(Duration idle_lease) { idle_lease_ = idle_lease; }
  Duration idle_lease() const { return idle_lease_; }

  /// nullptr: durable jobs are not kept.
  const results::Store* store() const { return store_; }
  /// That of the frontend; jobs may go to others, see Tenure.
  const results::Journal* journal() const { return journal_; }

 private:
  Traffic traffic_;
  const std::shared_ptr<FinishedJobs> finished_;
  Surroundings surroundings_;
  const results::Store* store_ = nullptr;
  const results::Journal* journal_ = nullptr;
  Directory* directory_ = nullptr;
  Duration idle_lease_{0};
  std::vector<std::unique_ptr<QueueHost>> hosts_;
  std::map<std::string, std::vector<QueueHost*>, std::less<>> shards_;  // by queue
  ShardLoads loads_;
  std::array<QueueHost*, 256> by_number_{};
  std::unique_ptr<MovedJobs> moved_;  // the last: it calls the streams
};

}  // namespace twofold::frontend
