#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"

namespace twofold::local {

// A program in shell: serves (as its ready file says) and ends on SIGTERM.
inline constexpr const char* kServer = R"(#!/bin/sh
trap 'exit 0' TERM
echo "$0 $*"
while [ $# -gt 0 ]; do
  [ "$1" = --ready-file ] && ready=$2
  [ "$1" = --http-address ] && asked=$2
  shift
done
[ "$asked" = 127.0.0.1:0 ] && asked=127.0.0.1:4711
printf '{"http": "%s", "client": "c:1", "worker": "w:1"}' "$asked" > "$ready.new"
mv "$ready.new" "$ready"
while :; do sleep 0.02; done
)";

inline constexpr const char* kWorker = R"(#!/bin/sh
trap 'exit 0' TERM
echo "$TWOFOLD_POD $*"
while :; do sleep 0.02; done
)";

/// A locked state folder, and programs in shell in place of the real ones.
class FakePrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(root_);
    WriteProgram("frontend", kServer);
    WriteProgram("backend", kWorker);
    WriteProgram("client", kServer);
    lock_ = folder_.Lock().value();
  }

  void TearDown() override {
    close(lock_);
    std::filesystem::remove_all(root_);
  }

  void WriteProgram(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << text;
    std::filesystem::permissions(root_ / name, std::filesystem::perms::owner_all);
  }

  /// Deployments "f", "b" and "c", for the queue "q".
  [[nodiscard]] std::vector<DeploymentSpec> Plan() const {
    return {{"f", Kind::kFrontend, "", 1, root_ / "frontend", {{"http", "127.0.0.1:0"}}, {"q"}},
            {"b", Kind::kBackend, "q", 1, root_ / "backend", {}, {"--frontend", "{worker}"}},
            {"c", Kind::kClient, "q", 1, root_ / "client", {{"http", "127.0.0.1:0"}}, {}}};
  }

  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("local_test." + std::to_string(getpid()));
  const StateFolder folder_{root_ / "state"};
  int lock_ = -1;
};

}  // namespace twofold::local
