#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "frontend/services/reader_pool.h"
#include "lib/common/budget.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/results/journal.h"
#include "lib/results/records.h"
#include "lib/results/run_reader.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// Begins runs, each once.
///
/// Threads  Safe. REQUIRES: reader and journal outlive this, and this outlives the journal's
///          callbacks.
class RunCreator {
 public:
  RunCreator(const results::RunReader& reader, results::Journal& journal)
      : reader_(reader), journal_(journal) {}

  /// `done` gets the run when it is on disk: the new one, or the one that has the id.
  ///
  /// Blocks on the store.
  ///
  /// Errors   kAborted: another call begins it right now; those of the store. `done` is not called
  ///          then.
  using Done = std::function<void(const Result<v1::CreateRunReply>& reply)>;
  Status Create(results::RunCreated run, const Done& done);

  /// What drafts may hold, all together.
  Budget& draft_bytes() { return draft_bytes_; }

 private:
  const results::RunReader& reader_;
  results::Journal& journal_;
  Budget draft_bytes_{rpc::kMaxDraftBytes};
  Mutex mutex_;
  std::set<std::string> under_way_ ABSL_GUARDED_BY(mutex_);  // on the way to the disk
};

/// A new CreateRun call, which gathers a draft and has it created. It ends when its next message
/// does not come for rpc::kCallerPatience. REQUIRES: `creator` and `readers` outlive it.
std::shared_ptr<rpc::ServerStream<v1::CreateRunRequest, v1::CreateRunReply>> MakeCreateRunCall(
    RunCreator& creator, ReaderPool& readers, std::function<Status()> can_store);

}  // namespace twofold::frontend
