#pragma once

#include <memory>
#include <string>

#include "cli/queues/frontend.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// As long as it lives nobody else looks after the run: the frontend sees to that, by a stream that
/// stays open.
///
/// Threads  Not thread-safe.
class Attendance {
 public:
  /// Blocks until the frontend has answered.
  /// Errors   kAlreadyExists: who looks after it. Those of the frontend.
  static Result<std::unique_ptr<Attendance>> Take(const Frontend& frontend, const std::string& run);
  ~Attendance();

  /// The frontend has gone, maybe come again: take it anew.
  [[nodiscard]] bool lost() const;

 private:
  class Stream;
  explicit Attendance(std::unique_ptr<Stream> stream);

  const std::unique_ptr<Stream> stream_;
};

}  // namespace twofold::cli
