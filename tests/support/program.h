#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/googletest.h"

namespace twofold::testing {

/// A folder under the test's temporary directory that goes with the object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A program of ours as a real process. Killed when the object goes; stderr and stdout are kept.
class Program {
 public:
  /// `name` is in the build's bin folder, or a path. Fails the test if it cannot be started.
  Program(const std::string& name, std::vector<std::string> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int number) const;

  /// Exit code, or minus the signal that ended it. Waits; fails the test if that takes too long.
  int Wait();
  int Kill() { return Signal(9), Wait(); }

  bool running();
  std::string output() const;  ///< all that it has printed
  pid_t pid() const { return pid_; }

 private:
  TempDir folder_;
  pid_t pid_ = -1;
  std::optional<int> exit_;
};

/// A number that whoever runs the test sets as this variable.
std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise);

/// Waits until `done`; false after a time that only a hang takes.
bool Await(const std::function<bool()>& done);

/// The value of a series in Prometheus text, such as `twofold_jobs{queue="sleep",state="waiting"}`;
/// nullopt if it is not there.
std::optional<double> SeriesIn(const std::string& metrics, const std::string& series);

}  // namespace twofold::testing
