#include <absl/strings/str_cat.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/services/run_calls.h"
#include "lib/postgres/target.h"
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

/// Where a copy is made: beside the file, where there is room; of a database in a folder of its
/// own. It goes with this, and what reads the copy keeps that.
class PlaceOfCopy {
 public:
  explicit PlaceOfCopy(const results::RunReader& runs) : path_(runs.name() + ".export") {
    if (!postgres::Target::IsUrl(runs.name())) return;
    std::error_code error;
    folder_ = (std::filesystem::temp_directory_path(error) / "twofold-export-XXXXXX").string();
    if (error || mkdtemp(folder_.data()) == nullptr) folder_.clear();
    path_ = folder_.empty() ? "" : folder_ + "/run";
  }
  PlaceOfCopy(const PlaceOfCopy&) = delete;
  PlaceOfCopy& operator=(const PlaceOfCopy&) = delete;
  ~PlaceOfCopy() {
    RemoveCopy(path_);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove(folder_, ignored);
  }

  /// Empty: there is no folder for temporary files.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string folder_;
};

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

/// The file has a name only while it is made.
Result<std::shared_ptr<OpenCopy>> CopyOf(const results::RunReader& runs, const std::string& run,
                                         const std::shared_ptr<Budget::Share>& budget) {
  const PlaceOfCopy place(runs);
  if (place.path().empty()) {
    return absl::UnavailableError("no folder for the copy: set TMPDIR to one that can be written");
  }
  const auto about = MakeCopy(runs, run, place.path());
  if (!about.ok()) return about.status();
  return std::make_shared<OpenCopy>(place.path(), *about, budget);
}

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
  Result<std::shared_ptr<OpenCopy>> copy = CopyOf(runs, run, place);
  busy_ = false;
  if (!copy.ok()) return copy.status();
  return NextMessage<v1::ExportPiece>([copy = *copy] { return copy->Next(); });
}

}  // namespace twofold::frontend
