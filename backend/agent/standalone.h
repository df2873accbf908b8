#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <iosfwd>
#include <string>

#include "backend/agent/runner.h"
#include "backend/workload/workload.h"

namespace twofold::backend {

/// Runs the workload once, without a frontend, and prints how it went; for trying it out.
///
/// Threads  On the thread of the io_context.
class Standalone final : private Runner::Listener {
 public:
  Standalone(boost::asio::io_context& io, Workload& workload, Duration limit, std::string device,
             std::ostream& out);

  /// `on_exit` gets the exit code: 0 succeeded, 1 failed, 124 timed out, 143 stopped.
  void Start(std::function<void(int)> on_exit);

  void Shutdown() { runner_.StopAll(StopReason::kCancelled); }

 private:
  void OnEnd(AttemptEnd end) override;

  const std::string device_;
  std::ostream& out_;
  Runner runner_;
  std::function<void(int)> on_exit_;
};

}  // namespace twofold::backend
