#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/common/result.h"

namespace twofold::cli {

/// What a benchmark file said when it was looked at.
struct Version {
  std::string file;  ///< its name, without folders
  std::string text;
};

/// What is new since the look before, in the order of the files' names.
struct Changes {
  std::vector<Version> versions;    ///< each that says something else than before
  std::vector<std::string> gone;    ///< files that are there no more
  std::vector<std::string> faults;  ///< why a file, or the folder, cannot be read: each once
};

/// A benchmark file, or a folder of them, as a ConfigMap is mounted: names that end in .yaml, .yml
/// or .json and begin with no dot; links are followed.
///
///     BenchmarkFiles files("/etc/twofold/benchmarks");
///     for (;; sleep(1)) Act(files.Look());
///
/// A file is read when two looks in a row have found it unchanged, so that none is taken while it
/// is being written. What comes and goes between them is not seen. A file that is touched, or
/// replaced by the same text, is not new.
///
/// Threads  Not thread-safe.
/// Limits   yaml::Limits().bytes a file, kMostFiles files; what is beyond that is a fault.
/// Cost     Look: one stat() a file, and one reading of each that has changed.
class BenchmarkFiles {
 public:
  static constexpr std::size_t kMostFiles = 1000;

  /// Errors   kInvalidArgument: nothing is there.
  static Result<BenchmarkFiles> At(const std::string& path);

  Changes Look();

 private:
  /// By what a change shows without reading.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t bytes = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Known {
    Stamp stamp{};
    bool read = false;  // as it is now
    std::size_t text_hash = 0;
    std::string fault{};  // said last
  };

  BenchmarkFiles(std::string path, bool is_folder) : path_(std::move(path)), folder_(is_folder) {}

  static Result<Stamp> StampOf(const std::string& path);
  [[nodiscard]] Result<std::set<std::string>> Names() const;
  [[nodiscard]] std::string PathOf(const std::string& name) const;
  void LookAt(const std::string& name, Changes& changes);
  Result<std::string> ReadUnchanged(const std::string& name, const Stamp& stamp) const;

  const std::string path_;
  const bool folder_;
  std::map<std::string, Known> known_;  // by name
  std::string fault_;                   // of the folder, said last
};

}  // namespace twofold::cli
