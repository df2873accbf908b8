#pragma once

#include <cstdint>
#include <string>

namespace twofold::results {

/// A file system for SQLite that fails when told to; all else goes to the default one. Operations
/// are what changes a file: write, sync, truncate.
///
/// Threads  One at a time.
class FaultyVfs {
 public:
  /// What a failed operation says.
  enum class Fault {
    kIo,    ///< input or output error
    kFull,  ///< no space left
    kTorn,  ///< input or output error, with half of a write done
  };

  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  /// For SqliteOptions::vfs.
  [[nodiscard]] static std::string name() { return "twofold-faulty"; }

  /// From now on: `first` operations succeed, the next `count` fail.
  void Fail(Fault fault, std::uint64_t first, std::uint64_t count);

  /// Operations since Fail, and those of them that were syncs.
  [[nodiscard]] std::uint64_t operations() const;
  [[nodiscard]] std::uint64_t syncs() const;
};

}  // namespace twofold::results
