#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/cluster/peers.h"
#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/services/claims.h"
#include "frontend/services/pulled_call.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/budget.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/results/run_reader.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/limits.h"
#include "twofold/v1/runs.pb.h"

/// The calls that bring and take a whole run.
namespace twofold::frontend {

/// Runs that a host has begun and to which no job has come so far: there may be so many, with so
/// many bytes, as they stay in the store for a day.
///
/// Threads  Safe.
class Drafts {
 public:
  static constexpr std::size_t kMostOfHost = 100;
  static constexpr std::size_t kMostBytesOfHost = 256 << 20;
  static constexpr std::size_t kMostHosts = 10'000;

  /// Whether a run is a draft no longer: it has jobs, or is gone.
  using HasBegun = std::function<bool(const std::string& run)>;

  /// Takes note of one more draft. Asks about others only when the host has too many.
  /// Errors   kResourceExhausted: the host has as many as it may.
  Status Add(const std::string& host, const std::string& run, std::size_t bytes,
             const HasBegun& has_begun);

 private:
  struct Draft {
    std::string run;
    std::size_t bytes;
  };

  Mutex mutex_;
  std::map<std::string, std::vector<Draft>> of_host_ ABSL_GUARDED_BY(mutex_);
};

/// What the calls share that begin runs.
struct RunCreation {
  const QueueSet& queues;
  Storage* storage;
  ReaderPool& readers;
  Budget draft_bytes{rpc::kMaxDraftBytes};
  Drafts drafts{};
  Claims<std::string> under_way{1};  ///< ids of runs on the way to the disk
};

/// A new CreateRun call: it gathers a draft, checked as it comes, has it begun once, and answers
/// when it is on disk. It ends when its next message does not come for rpc::kCallerPatience.
///
/// Errors   ends with kInvalidArgument: which field; kResourceExhausted: the draft is too large, or
///          all drafts together are, or `host` has begun too many, or the store is full; kAborted:
///          its last message did not come, or another call begins the run right now; those of the
///          store.
std::shared_ptr<rpc::ByteStream> MakeCreateRunCall(std::shared_ptr<RunCreation> shared,
                                                   std::string host);

/// Which runs somebody looks after, and who.
struct AttendedRuns {
  Mutex mutex;
  std::map<std::string, std::string> who ABSL_GUARDED_BY(mutex);  // by run
};

/// Deletes a run with its finished jobs, commit by commit; `done` comes when it is gone. Blocks on
/// the store.
///
/// Errors   kNotFound: no such run; kFailedPrecondition: it has jobs that have not ended, or
///          somebody looks after it; those of the store.
void DeleteRun(Storage& storage, AttendedRuns& attended, const std::string& run,
               std::function<void(Result<v1::DeleteRunReply>)> done);

/// A new AttendRun call. Who attends a run is known where its queue is served: the call is passed
/// on to there, and ends with UNAVAILABLE when that changes. `peers` nullptr: there are no others.
///
/// Errors   ends with ALREADY_EXISTS: who attends the run; INVALID_ARGUMENT: which field;
///          UNAVAILABLE: nobody serves the queue. REQUIRES: `queues` and `peers` outlive it.
std::shared_ptr<rpc::ByteStream> MakeAttendRunCall(std::shared_ptr<AttendedRuns> runs,
                                                   const QueueSet& queues, Peers* peers,
                                                   const Caller& caller);

/// Sends runs as files. A copy of the run is made beside the store first: of many jobs that takes
/// seconds. One copy is made at a time, and rpc::kMaxExports are there at once.
///
/// Threads  Safe. Open and what it returns block.
class RunExporter {
 public:
  /// Makes the copy. What is returned reads it, piece by piece.
  /// Errors   kUnavailable: another copy is being made, or too many are being read; those of
  ///          results::CopyRun.
  Result<NextMessage<v1::ExportPiece>> Open(const results::RunReader& runs, const std::string& run);

 private:
  Budget copies_{rpc::kMaxExports};
  std::atomic<bool> busy_ = false;
};

}  // namespace twofold::frontend
