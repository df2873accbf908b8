#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "lib/cluster/inputs.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/common/task_threads.h"
#include "lib/results/postgres_store.h"

namespace twofold::frontend {

/// Opens and closes the queues of this frontend: loads what the database has of one, lets callers
/// in, and ends that again. What its commits show goes to `tell`, as inputs of cluster::Ownership.
///
/// Threads  Calls from one thread at a time. `tell` comes from the journals' threads.
/// Cost     Open blocks while it reads: about 1.2 s for a million unfinished jobs. Finish, Settle
///          and CloseAll block for a second each at most, while the last decisions are written.
class PartitionKeeper {
 public:
  using Tell = std::function<void(const cluster::Input&)>;

  /// `storage` is shared, and the numbers of `queues` are those of its partitions. Both outlive
  /// this. `strict`: the names of such queues, see Tenure.
  PartitionKeeper(QueueSet& queues, Storage& storage, std::set<std::string> strict, Tell tell);

  /// The queue of this partition; nullptr: this frontend does not have it.
  [[nodiscard]] QueueHost* Find(cluster::PartitionNumber partition) const {
    return queues_.ByNumber(partition);
  }

  /// Serves the queue under this fence, suspended (Turn::Suspend). `forgets`: see
  /// Storage::PartitionJournal.
  Status Open(const results::Fence& fence, bool forgets);

  /// Hands out no more: what was handed out is on its way to its workers before these are sent
  /// away, else it would be tried again by others. No-op if it is not open.
  void Finish(cluster::PartitionNumber partition);

  /// Lets nobody in any more. No-op if it is not open.
  void Close(cluster::PartitionNumber partition);

  /// After Close: what was decided last is written. No-op if it was not open.
  void Settle(cluster::PartitionNumber partition);

  void CloseAll();

 private:
  void Settle(cluster::PartitionNumber partition, Instant limit);

  QueueSet& queues_;
  Storage& storage_;
  const std::set<std::string> strict_;
  const Tell tell_;
  std::map<cluster::PartitionNumber, std::shared_ptr<PartitionStore>> open_;
  TaskThreads reaper_{1};  // stores whose last commit hangs take long to end
};

}  // namespace twofold::frontend
