#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/services/run_creation.h"
#include "frontend/services/run_export.h"
#include "frontend/services/service.h"
#include "lib/common/budget.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/limits.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::frontend {

/// Which runs somebody looks after, and who.
///
/// Threads  Safe.
class AttendedRuns {
 public:
  /// Taken for as long as it lives, which the AttendedRuns must outlive.
  using Place = std::shared_ptr<void>;

  /// Errors   kInvalidArgument: which field; kAlreadyExists: who has the run.
  Result<Place> Enter(const v1::AttendRunRequest& request);

 private:
  void Leave(const std::string& run);

  Mutex mutex_;
  std::map<std::string, std::string> who_ ABSL_GUARDED_BY(mutex_);  // by run
};

/// Runs and their results, out of the store.
///
/// Threads  Safe.
class ResultsService final : public Service {
 public:
  /// `storage` nullptr: all calls are refused. Otherwise Start comes before the first call. All
  /// outlive this, and this outlives the journal's callbacks.
  ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls, ReaderPool& readers);

  /// The journal has been started.
  void Start();

 private:
  using CreateCall = rpc::ServerStream<v1::CreateRunRequest, v1::CreateRunReply>;
  using AttendCall = rpc::ServerStream<v1::AttendRunRequest, v1::AttendRunReply>;
  using CancelCall = rpc::UnaryCall<v1::CancelRunRequest, v1::CancelRunReply>;

  Result<std::shared_ptr<CreateCall>> CreateRun();
  Result<v1::ListRunsReply> ListRuns(const v1::ListRunsRequest& request);
  Result<v1::Run> GetRun(const v1::GetRunRequest& request);
  Result<NextMessage<v1::RunResultsReply>> RunResults(const v1::RunResultsRequest& request);
  Result<NextMessage<v1::ArtifactPiece>> GetArtifact(const v1::GetArtifactRequest& request);
  Result<NextMessage<v1::ExportPiece>> ExportRun(const v1::ExportRunRequest& request);
  Result<std::shared_ptr<AttendCall>> AttendRun();
  void CancelRun(const v1::CancelRunRequest& request, const std::shared_ptr<CancelCall>& call);

  [[nodiscard]] Status HasStore() const;
  [[nodiscard]] Status CanStore() const;
  Result<std::shared_ptr<Budget::Share>> EnterReader();
  void Cancel(const std::string& run, const std::shared_ptr<CancelCall>& call);
  std::uint64_t CancelJobs(const std::string& run);

  const QueueSet& queues_;
  Storage* const storage_;
  Budget readers_open_{rpc::kMaxResultReaders};
  std::unique_ptr<RunExporter> exporter_;
  AttendedRuns attended_;
  std::unique_ptr<RunCreator> creator_;
};

}  // namespace twofold::frontend
