#pragma once

#include <memory>
#include <string>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// A cluster on this machine for one run. It ends with the object, or with this process.
class EmbeddedCluster {
 public:
  /// `dir` is where it keeps its files: they stay, also the store. Empty: a folder that goes with
  /// the object. Call while there is one thread only.
  /// Errors   those of local::LaunchSupervisor and local::WaitReady.
  static Result<std::unique_ptr<EmbeddedCluster>> Start(const std::string& dir,
                                                        local::ClusterOptions options);

  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  /// HOST:PORT of the frontend, for clients.
  [[nodiscard]] const std::string& frontend() const { return frontend_; }

 private:
  EmbeddedCluster(const std::string& dir, bool temporary);
  Status Launch(const local::ClusterOptions& options);

  const std::string dir_;
  const bool temporary_;
  const local::StateFolder folder_;
  std::string frontend_;
};

}  // namespace twofold::cli
