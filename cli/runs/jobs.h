#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/runs/driver.h"
#include "lib/common/result.h"

namespace twofold::run {

/// The jobs of one run, as a frontend has them. What the driver decides is carried out through
/// this, and nothing else: another service that knows runs can take its place.
///
/// Errors   kUnavailable, kDeadlineExceeded: the frontend is away. kResourceExhausted: it is full.
///          After all of these the same call can be made again. Others are final.
class Jobs {
 public:
  virtual ~Jobs() = default;

  /// All jobs of the run the first time, later at least those that have changed. No job that was on
  /// disk when the call began is missing.
  virtual Result<std::vector<Seen>> List() = 0;

  /// Submits jobs in this order, as durable ones, and says of each that is on disk.
  virtual Status Submit(const std::vector<JobKey>& keys,
                        const std::function<void(const Seen&)>& accepted) = 0;

  virtual Status Cancel(std::uint64_t id) = 0;
};

}  // namespace twofold::run
