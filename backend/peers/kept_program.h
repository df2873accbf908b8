#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"
#include "lib/process/spawn.h"

namespace twofold::backend {

/// How a program ended that a keeper ran: one of the three says so.
struct KeptEnd {
  int exit_code = 0;
  int signal = 0;
  std::string error;  ///< why it could not be started, or how it is unknown
};

/// Reads the line by which a keeper tells it ("exited 3").
KeptEnd ParseKeptEnd(const std::string& line);

/// A program that runs under twofold-keeper (backend/keeper): whatever it starts, and however that
/// hides, nothing of it is left when it has ended; nor when this process is killed.
///
/// Threads  On the thread of the io_context, which has to live as long as the program.
class KeptProgram : public std::enable_shared_from_this<KeptProgram> {
 public:
  using OnEnd = std::function<void(KeptEnd)>;

  /// `keeper` is the path of that program. `on_end` comes once, after this has returned, when
  /// nothing of the program is left, unless the object goes first.
  /// Errors   Those of Spawn, about the keeper; what is wrong with `program` is in its end.
  static Result<std::shared_ptr<KeptProgram>> Start(boost::asio::io_context& io,
                                                    const std::string& keeper,
                                                    process::Program program, OnEnd on_end);

  /// Asks it to end; two seconds later it is killed with all that it has started. More calls do
  /// nothing.
  void Stop();

 private:
  KeptProgram(boost::asio::io_context& io, OnEnd on_end);

  void ReadControl();
  void TellEnd();

  OnEnd on_end_;
  boost::asio::posix::stream_descriptor control_;
  Descriptor keeper_;  // of its process
  std::array<char, 64> read_;
  std::string line_;
};

}  // namespace twofold::backend
