#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace twofold::results {

/// A folder of a test's own, gone with it. In memory where there is such a place: these tests are
/// about what is written, and a disk would make them wait for its syncs.
class TempDir {
 public:
  TempDir() {
    const bool shm = access("/dev/shm", W_OK) == 0;
    std::string name = (shm ? "/dev/shm/" : ::testing::TempDir()) + "twofold-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot make " << name;
    path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string Path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace twofold::results
