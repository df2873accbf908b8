#pragma once

#include <memory>
#include <string>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/services/claims.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/budget.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// What the calls share that begin runs.
struct RunCreation {
  const QueueSet& queues;
  Storage* storage;
  ReaderPool& readers;
  Budget draft_bytes{rpc::kMaxDraftBytes};
  Claims<std::string> under_way{1};  ///< ids of runs on the way to the disk
};

/// A new CreateRun call: it gathers a draft, checked as it comes, has it begun once, and answers
/// when it is on disk. It ends when its next message does not come for rpc::kCallerPatience.
///
/// Errors   ends with kInvalidArgument: which field; kResourceExhausted: the draft is too large, or
///          all drafts together are; kAborted: its last message did not come, or another call
///          begins the run right now; those of the store.
std::shared_ptr<rpc::ServerStream<v1::CreateRunRequest, v1::CreateRunReply>> MakeCreateRunCall(
    std::shared_ptr<RunCreation> shared);

}  // namespace twofold::frontend
