#include "frontend/services/run_export.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "frontend/services/patience.h"
#include "lib/results/run_copy.h"
#include "lib/results/sqlite_store.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;

void RemoveCopy(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm", ".lock"}) {
    std::error_code ignored;
    std::filesystem::remove(path + part, ignored);
  }
}

/// In one file: closing the store brings what is in its log there.
Result<results::CopiedRun> MakeCopy(const results::RunReader& runs, const std::string& run,
                                    const std::string& path) {
  RemoveCopy(path);  // of a frontend that was killed
  const auto store = results::SqliteStore::Open(path);
  if (!store.ok()) return store.status();
  return results::CopyRun(runs, run, **store);
}

}  // namespace

class RunExporter::Stream final : public ByteWriter {
 public:
  Stream(RunExporter& exporter, grpc::CallbackServerContext* context, std::shared_ptr<void> place,
         std::unique_ptr<Budget::Share> copy)
      : exporter_(exporter),
        place_(std::move(place)),
        copy_(std::move(copy)),
        patience_([context] { context->TryCancel(); }) {}

  /// Makes the copy and begins to send it. What comes after is on threads of gRPC.
  void Run(const std::string& run) {
    const auto copied = MakeCopy(exporter_.runs_, run, exporter_.path_);
    file_.open(exporter_.path_, std::ios::binary);
    RemoveCopy(exporter_.path_);  // it lasts as long as it is open, however slowly it is read
    exporter_.busy_ = false;
    if (!copied.ok()) return Finish(rpc::ToGrpc(copied.status()));
    v1::ExportPiece first;
    first.set_jobs(copied->jobs);
    first.set_unfinished(copied->unfinished);
    Send(std::move(first));
  }

 private:
  void Send(v1::ExportPiece piece) {
    std::string& data = *piece.mutable_data();
    data.resize(kPieceBytes);
    file_.read(data.data(), kPieceBytes);
    data.resize(static_cast<std::size_t>(file_.gcount()));
    if (data.empty()) {
      const bool whole = file_.eof();
      return Finish(whole ? grpc::Status::OK
                          : grpc::Status(grpc::StatusCode::UNAVAILABLE, "the copy cannot be read"));
    }
    bytes_ = rpc::Serialize(piece);
    patience_.Start();
    StartWrite(&bytes_);
  }

  void OnWriteDone(bool ok) override {
    patience_.Stop();
    if (!ok) return Finish(grpc::Status::CANCELLED);
    Send({});
  }
  void OnDone() override { delete this; }

  RunExporter& exporter_;
  const std::shared_ptr<void> place_;
  const std::unique_ptr<Budget::Share> copy_;
  std::ifstream file_;
  grpc::ByteBuffer bytes_;
  Patience patience_;
};

ByteWriter* RunExporter::Start(grpc::CallbackServerContext* context, const std::string& run,
                               std::shared_ptr<void> place) {
  auto copy = std::make_unique<Budget::Share>(copies_);
  if (!copy->Grow(1)) {
    return RefusedStream::Start(
        {grpc::StatusCode::UNAVAILABLE,
         absl::StrCat(rpc::kMaxExports, " runs are being read; try again")});
  }
  const std::lock_guard lock(mutex_);
  if (busy_.exchange(true)) {
    return RefusedStream::Start(
        {grpc::StatusCode::UNAVAILABLE, "another run is being exported; try again"});
  }
  auto* const stream = new Stream(*this, context, std::move(place), std::move(copy));
  thread_ = std::jthread([stream, run] { stream->Run(run); });
  return stream;
}

}  // namespace twofold::frontend
