#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/services/attended_runs.h"
#include "frontend/services/open_calls.h"
#include "frontend/services/pulled_stream.h"
#include "frontend/services/run_creation.h"
#include "frontend/services/run_export.h"
#include "lib/common/budget.h"
#include "lib/common/result.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/service.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::frontend {

/// Runs and their results, out of the store.
///
/// Threads  Safe; methods run on threads of gRPC. They read the file in short pages.
class ResultsService final : public rpc::Service {
 public:
  /// `storage` nullptr: all calls are refused. Otherwise Start comes before the first call. All
  /// outlive this, and this outlives the journal's callbacks.
  ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls);

  /// The journal has been started.
  void Start();

  rpc::ByteReader* CreateRun(grpc::CallbackServerContext* context, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  grpc::ServerUnaryReactor* GetRun(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);
  ByteWriter* RunResults(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request);
  ByteWriter* GetArtifact(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request);
  ByteWriter* ExportRun(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request);
  ByteWriter* AttendRun(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request);
  grpc::ServerUnaryReactor* CancelRun(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* reply);

 private:
  /// What streams have in common: who has a place, and may, is served.
  template <typename Request, typename Answer>
  ByteWriter* Open(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                   const Answer& answer);
  /// The stream of what `next` makes, if there is room for one more.
  template <typename Message>
  ByteWriter* Pull(grpc::CallbackServerContext* context, typename PulledStream<Message>::Next next,
                   std::shared_ptr<void> call);
  [[nodiscard]] Status HasStore() const;
  [[nodiscard]] Status CanStore() const;
  Result<v1::ListRunsReply> List(const v1::ListRunsRequest& request);
  Result<v1::Run> Get(const v1::GetRunRequest& request);
  std::uint64_t CancelJobs(const std::string& run);

  const QueueSet& queues_;
  Storage* const storage_;
  OpenCalls& calls_;
  Budget readers_{rpc::kMaxResultReaders};
  std::unique_ptr<RunExporter> exporter_;
  AttendedRuns attended_;
  std::unique_ptr<RunCreator> creator_;
};

}  // namespace twofold::frontend
