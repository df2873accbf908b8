#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "backend/output_tail.h"
#include "backend/reaper.h"
#include "backend/spawn.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::backend {

/// How a program ended: one of the two is 0.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;
  std::string output;  ///< the last 4 KiB of stdout and stderr, as they came
};

/// One run of a program and of all that it starts in its process group: nothing of it is left when
/// it has ended, however it ended.
///
/// Threads  On the thread of the io_context.
/// Source   Stopping in two stages: TERM, time to clean up, KILL; as systemd and Kubernetes do.
class Process : public std::enable_shared_from_this<Process> {
 public:
  using OnEnd = std::function<void(ProgramEnd)>;

  static constexpr Duration kStopGrace = std::chrono::seconds(2);  ///< between TERM and KILL

  /// Starts it. `on_end` comes once, later; keep the Process until then.
  static Result<std::shared_ptr<Process>> Start(boost::asio::io_context& io, Reaper& reaper,
                                                const Program& program, OnEnd on_end);

  /// Asks it to end, and after kStopGrace insists.
  void Stop();

  /// Kills it; `on_end` does not come any more.
  void Abandon();

 private:
  Process(boost::asio::io_context& io, Reaper& reaper, const Child& child, OnEnd on_end);

  void Watch(int output);
  void Read();
  void ReadRest();
  void Exited(int wait_status);

  Reaper& reaper_;
  const pid_t pid_;
  OnEnd on_end_;
  bool running_ = true;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer grace_;
  OutputTail tail_;
};

}  // namespace twofold::backend
