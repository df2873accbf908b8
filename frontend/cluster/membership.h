#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frontend/cluster/ownership_tables.h"
#include "frontend/cluster/partition_keeper.h"
#include "frontend/queues/directory.h"
#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "lib/cluster/ownership.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/common/task_threads.h"

namespace twofold::frontend {

struct MembershipOptions {
  Peer me;
  Duration ttl = std::chrono::seconds(6);
  std::set<std::string> strict = {};  ///< queues that are, see Tenure
  /// Called when this frontend has let go of a queue: others should look. Must not block.
  std::function<void()> released;
  /// Called when another process has taken this name: end this one.
  std::function<void()> replaced;
};

/// A frontend's part in a cluster of several that share a database: runs a cluster::Ownership, and
/// carries out what it asks for. Opens and closes the queues, and keeps the Directory.
///
/// The frontend looks at the tables once a second, and beats: not while one of its queues hangs, so
/// that a frontend that hangs looks dead.
///
/// Threads  Safe. Its own: one for time, one that looks and beats, one that claims, opens and
///          closes: a claim or a load that takes long keeps no beat back.
/// Cost     Idle: a look and a beat a second, two round trips.
class Membership {
 public:
  /// The queues of the frontend and the numbers of their partitions, which are made where there are
  /// none. Blocks. Errors: see OwnershipTables::AddQueues; kFailedPrecondition: --name is too long.
  static Result<std::map<std::string, cluster::PartitionNumber>> NumberQueues(
      const postgres::Target& target, const std::vector<std::string>& queues);

  /// All outlive this; nobody serves the queues yet.
  Membership(QueueSet& queues, Storage& storage, Directory& directory, MembershipOptions options);

  /// Stops to serve. Call Drain before, so that others need not wait for the TTL.
  ~Membership();

  /// Hands all queues over, and waits for that, `limit` at most. True: all are served elsewhere.
  bool Drain(Duration limit);

  /// The same without waiting.
  void StartDrain();

  /// Others may have changed who serves what.
  void LookAgain() { (void)Step(cluster::input::LookAgain{}); }

  /// Errors   of cluster::input::Move and Accept; kNotFound: there is no such queue.
  Status Move(const std::string& queue, const std::string& to);
  Status Accept(const std::string& queue);

  /// What is known of all.
  struct Overview {
    Look look;
    Duration age;         ///< of the look
    std::string trouble;  ///< why there is no newer one; empty: there is
    bool draining;
  };
  [[nodiscard]] Overview See() const;

  [[nodiscard]] const Peer& me() const { return options_.me; }

  /// How often the database was found to have lost commits.
  [[nodiscard]] std::uint64_t losses() const { return losses_; }

 private:
  /// How often in a row looks have shown the same beat of a member.
  struct Pulse {
    cluster::Incarnation incarnation = 0;
    std::uint64_t beat = 0;
    int looks = 0;
  };

  Status Step(const cluster::Input& input);
  void Dispatch(const std::vector<cluster::Effect>& effects) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepTime();

  // On looker_
  void Do(const cluster::effect::Look& look);
  void Do(const cluster::effect::Beat& beat);
  void Miss(const std::string& why);
  void Seen(Look look);
  [[nodiscard]] bool Lives(const std::string& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Publish();

  // On mover_
  void Do(const cluster::effect::Claim& claim);
  void Do(const cluster::effect::Release& release);
  void Do(const cluster::effect::Mark& mark);
  void Do(const cluster::effect::Open& open);
  void Do(const cluster::effect::Resume& resume);
  void Do(const cluster::effect::Suspend& suspend);
  void Do(const cluster::effect::Close& close);
  void Do(const cluster::effect::Lost& lost);
  void Do(const cluster::effect::Drained& drained);
  void Do(const cluster::effect::Replaced& replaced);

  [[nodiscard]] Result<cluster::PartitionNumber> NumberOf(const std::string& queue) const;

  QueueSet& queues_;
  Directory& directory_;
  const MembershipOptions options_;
  const cluster::Incarnation incarnation_;

  Mutex publishing_;  // before mutex_ and the locks of queues
  mutable Mutex mutex_;
  Condition changed_;
  cluster::Ownership ownership_ ABSL_GUARDED_BY(mutex_);
  std::vector<cluster::Effect> effects_ ABSL_GUARDED_BY(mutex_);  // empty between steps
  Look look_ ABSL_GUARDED_BY(mutex_);
  Instant looked_at_ ABSL_GUARDED_BY(mutex_);
  std::string trouble_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Pulse> pulses_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool drained_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<std::uint64_t> losses_ = 0;

  OwnershipTables looks_;    // of looker_
  OwnershipTables changes_;  // of mover_
  std::map<cluster::PartitionNumber, std::uint64_t>
      versions_;            // as claims have found them; of mover_
  PartitionKeeper keeper_;  // of mover_
  TaskThreads looker_{1};
  TaskThreads mover_{1};
  std::thread clock_;
};

}  // namespace twofold::frontend
