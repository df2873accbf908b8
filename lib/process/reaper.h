#pragma once

#include <absl/container/flat_hash_map.h>
#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>

namespace twofold::process {

/// Collects the children of this process when they end, the ones we started as well as orphans that
/// the kernel gave to us (it becomes their "subreaper", and is anyway as process 1 of a container).
///
/// When a child that is watched ends, the rest of its process group is killed before the child is
/// reaped: until then its number cannot belong to somebody else.
///
/// Threads  On the thread of the io_context. One a process: it takes every child there is.
class Reaper {
 public:
  using OnExit = std::function<void(int wait_status)>;

  explicit Reaper(boost::asio::io_context& io);

  /// REQUIRES: `pid` leads a process group of its own and the io_context has not run since its
  /// start.
  void Watch(pid_t pid, OnExit on_exit);

  /// Forgets `pid`; it is still reaped.
  void Forget(pid_t pid) { watched_.erase(pid); }

 private:
  void AwaitSignal();
  void ReapAll();

  boost::asio::signal_set signal_;
  bool awaiting_ = false;
  absl::flat_hash_map<pid_t, OnExit> watched_;
};

}  // namespace twofold::process
