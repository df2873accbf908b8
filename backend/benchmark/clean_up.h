#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "backend/benchmark/work_folder.h"

namespace twofold::backend {

/// Kills all processes that have been started with the variable `marker` (NAME=VALUE) in their
/// environment, wherever they are by now: a daemon that has left the process group of its stage and
/// lost its parents, too. Returns how many there were; 0: none is left.
///
/// Cost     Reads the environment of every process of this user.
std::size_t KillMarked(const std::string& marker);

/// Sees to it that nothing is left of an attempt whose stages have ended: kills what has slipped
/// away from them, then removes folders, a part at a time so that the thread has time for others.
///
/// Threads  On the thread of the io_context.
class CleanUp : public std::enable_shared_from_this<CleanUp> {
 public:
  /// `marker`: see KillMarked. `folder` may be null.
  CleanUp(boost::asio::io_context& io, std::string marker, std::unique_ptr<WorkFolder> folder);
  /// Does what can be done at once of what is left to do.
  ~CleanUp();

  /// `on_done` comes once, after Start has returned. What cannot be killed or removed is logged.
  void Start(std::function<void()> on_done);

 private:
  void KillRound(int left);
  void RemoveRound();

  boost::asio::steady_timer pause_;
  const std::string marker_;
  std::unique_ptr<WorkFolder> folder_;
  std::function<void()> on_done_;
  int quiet_rounds_ = 0;  ///< looks in a row that found nothing
};

}  // namespace twofold::backend
