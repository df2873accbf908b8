#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// A cluster on this machine for one load, in a new folder beside other temporary files. It ends
/// with this object or with this process, however that ends, and leaves nothing behind.
class OwnCluster {
 public:
  /// One worker process for each number of slots, each with the queue local::QueueOfSlots. Call
  /// while there is one thread only.
  ///
  /// Errors   Those of local::Launch; kInvalidArgument: no folder can be made.
  static Result<std::unique_ptr<OwnCluster>> Start(const std::string& programs,
                                                   const std::vector<std::string>& workload,
                                                   const std::vector<int>& slots);
  ~OwnCluster();
  OwnCluster(const OwnCluster&) = delete;
  OwnCluster& operator=(const OwnCluster&) = delete;

  /// HOST:PORT for clients.
  [[nodiscard]] const std::string& frontend() const { return frontend_; }

 private:
  explicit OwnCluster(std::string dir) : folder_(std::move(dir)) {}

  local::StateFolder folder_;
  std::string frontend_;
};

}  // namespace twofold::cli
