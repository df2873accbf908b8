#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::bench {

/// A process that was started here, in a group of its own, and does not outlive the object (nor,
/// with Linux's help, this process).
class Child {
 public:
  /// Starts words[0] (an absolute path) with `environment` (NAME=VALUE) added to ours; what it
  /// prints goes to `output` and `errors`, which may be the same file.
  ///
  /// Errors   kUnavailable: no process, no file, no such program.
  static Result<Child> Start(const std::vector<std::string>& words,
                             const std::vector<std::string>& environment,
                             const std::filesystem::path& output,
                             const std::filesystem::path& errors);

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  ///< SIGTERM to its group; what is left after five seconds is killed

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Its exit code (128 + signal); nullopt: it still runs.
  std::optional<int> Ended();

  /// Waits for its end. Errors: kDeadlineExceeded; kCancelled: somebody pressed Ctrl-C.
  Result<int> Wait(Duration limit);

 private:
  explicit Child(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> code_;
};

/// True once SIGINT or SIGTERM has come, if CatchInterrupts was called.
bool Interrupted();
void CatchInterrupts();

/// A directory that is gone with the object.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The last line with something in it; empty if there is none.
std::string LastLine(const std::filesystem::path& file);

}  // namespace twofold::bench
