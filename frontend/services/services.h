#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "frontend/cluster/membership.h"
#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/services/service.h"

/// The services for clients, workers and people: they open sessions, check requests, and answer in
/// the caller's terms. What their constructors take outlives them.
///
/// Threads  Safe.
namespace twofold::frontend {

class ClientsService final : public Service {
 public:
  /// Outlives the journal's callbacks.
  ClientsService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers);

 private:
  Claims<std::uint64_t> requeued_{1};  // jobs of which the store does not know it yet
  std::atomic<std::uint64_t> last_submitter_ = 0;
  ReaderPool walkers_{2};  // for lists of jobs that have not ended: they need no disk
};

class WorkersService final : public Service {
 public:
  WorkersService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers);
};

class AdminService final : public Service {
 public:
  AdminService(QueueSet& queues, OpenCalls& calls, ReaderPool& readers);
};

/// Who serves which queue, where several frontends share them.
class FrontendsService final : public Service {
 public:
  /// `membership` gives nullptr as long as this frontend is alone, or has not joined yet.
  FrontendsService(QueueSet& queues, std::function<Membership*()> membership, OpenCalls& calls,
                   ReaderPool& readers);
};

/// Runs and their results, out of the store.
class ResultsService final : public Service {
 public:
  /// `storage` nullptr: all calls are refused. Otherwise its journal is started before the first
  /// call, and this outlives the journal's callbacks.
  ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls, ReaderPool& readers);
};

}  // namespace twofold::frontend
