#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "lib/common/result.h"

namespace twofold::local {

/// A file that a process appends to is moved to PATH.1 (by copying: the process keeps its file
/// open) once it is larger than `limit`. So a process has at most about twice the limit on disk.
void BoundLog(const std::string& path, std::uintmax_t limit);

/// The last `lines` lines of a file, looked for in its last MiB.
/// Errors   kNotFound: no such file.
Result<std::string> Tail(const std::string& path, int lines);

/// Reads a log as it grows, as `tail -F` does: goes on when the process is started again, when
/// BoundLog moves the file aside (what was written before comes from PATH.1), and when the file is
/// replaced by another one.
///
/// Threads  Not thread-safe.
class FollowedLog {
 public:
  /// The first Next gives the last `lines` lines of what is there.
  FollowedLog(std::string path, int lines) : path_(std::move(path)), lines_(lines) {}

  /// The lines that were finished since the last call, about a MiB at most; empty: none, or there
  /// is no such file (yet). A line without an end is given when it has 64 KiB.
  std::string Next();

 private:
  void Begin(std::uint64_t size);
  void Append(const std::string& path);

  std::string path_;
  int lines_;
  bool begun_ = false;
  std::uint64_t inode_ = 0;
  std::uint64_t offset_ = 0;
  std::string unfinished_;  // the beginning of a line
};

}  // namespace twofold::local
