#include <absl/strings/str_cat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/services/run_calls.h"
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

/// A copy that is being read. It lasts as long as it is open, however slowly it is read.
class OpenCopy {
 public:
  OpenCopy(const std::string& path, const results::CopiedRun& about,
           std::shared_ptr<Budget::Share> place)
      : place_(std::move(place)), file_(path, std::ios::binary) {
    piece_.set_jobs(about.jobs);
    piece_.set_unfinished(about.unfinished);
  }

  /// The first one says what the copy has; nullopt: that was all.
  Result<std::optional<v1::ExportPiece>> Next() {
    v1::ExportPiece piece = std::exchange(piece_, {});
    std::string& data = *piece.mutable_data();
    data.resize(kPieceBytes);
    file_.read(data.data(), kPieceBytes);
    data.resize(static_cast<std::size_t>(file_.gcount()));
    if (!data.empty()) return piece;
    if (!file_.eof()) return absl::UnavailableError("the copy cannot be read");
    return std::nullopt;
  }

 private:
  const std::shared_ptr<Budget::Share> place_;
  v1::ExportPiece piece_;
  std::ifstream file_;
};

}  // namespace

Result<NextMessage<v1::ExportPiece>> RunExporter::Open(const results::RunReader& runs,
                                                       const std::string& run) {
  const auto place = std::make_shared<Budget::Share>(copies_);
  if (!place->Grow(1)) {
    return absl::UnavailableError(
        absl::StrCat(rpc::kMaxExports, " runs are being read; try again"));
  }
  if (busy_.exchange(true)) {
    return absl::UnavailableError("another run is being exported; try again");
  }
  const std::string path = runs.path() + ".export";  // while it is made; then it has no name
  const auto about = MakeCopy(runs, run, path);
  const auto copy = about.ok() ? std::make_shared<OpenCopy>(path, *about, place) : nullptr;
  RemoveCopy(path);
  busy_ = false;
  if (copy == nullptr) return about.status();
  return NextMessage<v1::ExportPiece>([copy] { return copy->Next(); });
}

}  // namespace twofold::frontend
