#pragma once

#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

/// What a validation scales and asks.
namespace twofold::targets {

/// The workers of a deployment at one moment.
struct Workers {
  int ready = 0;
  int others = 0;         ///< that start, end or are not ready
  bool crashing = false;  ///< they are started again and again

  friend bool operator==(const Workers&, const Workers&) = default;
};

/// Before the name of workers that are no Deployment, but a WorkerPool.
inline constexpr const char* kPoolPrefix = "workerpool/";

/// Names the parts of one cluster that a validation works with.
struct Parts {
  std::string deployment;     ///< of the workers; or "workerpool/NAME"
  std::string space;          ///< namespace of the deployment and of the frontend
  std::string service;        ///< of the load client
  std::string service_space;  ///< namespace of the service
};

/// A deployment of workers, the load client that keeps them busy, and the frontend between them.
///
/// Threads  Not thread-safe. Calls block, for 30 seconds at most.
/// Errors   of all calls: a message for people; who calls says what it was about.
class Target {
 public:
  Target() = default;
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// Looks whether all parts exist and nobody else scales the deployment. Changes nothing.
  virtual Status Check() = 0;

  /// Asks for this many workers; does not wait for them.
  virtual Status Scale(int workers) = 0;

  virtual Result<Workers> Look() = 0;

  /// A text that differs when a worker has come, gone or crashed since the last one.
  virtual Result<std::string> Team() = 0;

  /// Lines for people about workers that are not ready, with the end of a log.
  virtual std::vector<std::string> Problems() = 0;

  /// What the load client answers to GET `target` (path?query).
  virtual Result<std::string> AskClient(const std::string& target) = 0;

  /// The metrics of the frontend; of several frontends those of all that answer, in a row.
  virtual Result<std::string> Metrics() = 0;

  /// How long to wait between two looks.
  [[nodiscard]] virtual Duration poll() const = 0;
};

}  // namespace twofold::targets
