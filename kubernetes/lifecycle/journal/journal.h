#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kubernetes/lifecycle/moments/inputs.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

/// The file of what a run was told, from which its report can be made again (journal_lines.h).
namespace twofold::lifecycle {

struct JournalSettings {
  std::string file;                ///< empty: none is kept
  std::uint32_t limit_mib = 4096;  ///< then it ends, and the run goes on
};

/// What is done with a line.
using TakeLine = std::function<Status(const std::string& text)>;

/// A journal on its way to the disk. Whoever tells it waits for no disk.
///
/// Time     A line is written at most kLatest after it was told, as far as the disk allows.
/// Threads  Safe. A thread of its own that writes.
/// Errors   The first one ends the journal and is kept: the disk is full, the limit is reached,
///          or the disk is so slow that kMostWaiting bytes wait for it.
class Journal {
 public:
  static constexpr Duration kLatest = std::chrono::milliseconds(200);
  static constexpr std::size_t kMostWaiting = 64 << 20;

  /// A new file that only its owner may read and write. Write the head first.
  /// Errors   kFailedPrecondition: it is there already. kInvalidArgument: it cannot be made.
  static Result<std::unique_ptr<Journal>> Create(const JournalSettings& settings);

  /// Takes each whole line of the file, the head included; then goes on after the last of them. A
  /// torn one at its end, as kill -9 leaves it, is cut off.
  /// Errors   kNotFound: there is no such file. kFailedPrecondition: another process writes it.
  ///          Those of ReadJournal.
  static Result<std::unique_ptr<Journal>> Continue(const JournalSettings& settings,
                                                   const TakeLine& take);

  /// Writes what waits.
  ~Journal();

  void Write(std::string line);

  /// Waits until all that was told so far is written, or has failed.
  void Flush();

  Status failure();

 private:
  Journal(const JournalSettings& settings, Descriptor file, std::uint64_t bytes);
  void Work();
  std::string TakeWaiting();
  void Fail(const Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const std::uint64_t most_;
  const Descriptor file_;
  Mutex mutex_;
  Condition changed_;
  std::uint64_t bytes_ ABSL_GUARDED_BY(mutex_);  // of the file, with what waits
  std::string waiting_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool hurry_ ABSL_GUARDED_BY(mutex_) = false;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

/// Writes what an Observer is told. The journal must live as long as that.
Hearer HearerOf(Journal& journal, const Kind& kind, const Anchor& anchor);

/// Takes each whole line of a journal, which may still be written. Returns their bytes.
///
/// Errors   kNotFound: there is no such file. kInvalidArgument "FILE: line N: what", if a line that
///          is whole is wrong or longer than 16 MiB; those of `take`, with the line.
Result<std::uint64_t> ReadJournal(const std::string& path, const TakeLine& take);

}  // namespace twofold::lifecycle
