#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace twofold::backend {

/// A folder of a test's own, gone with it.
class TempDir {
 public:
  TempDir() {
    std::string name = ::testing::TempDir() + "twofold-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot make " << name;
    path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string Path(const std::string& name) const { return path_ / name; }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }

  /// Waits until there is a file of that name.
  void Await(const std::string& name) const {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(Path(name))) {
      ASSERT_LT(std::chrono::steady_clock::now(), patience) << "no file " << name;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace twofold::backend
