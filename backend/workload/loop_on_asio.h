#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "lib/common/instant.h"
#include "lib/rpc/loop_owner.h"

namespace twofold::backend {

/// A loop whose turns the thread of an io_context takes, so that a worker's streams and its jobs
/// have one thread, and no message wakes another one.
///
/// Threads  Construct before the io_context runs, destroy when it has stopped. One thread runs it.
/// Cost     Two system calls a turn beside those of the loop.
class LoopOnAsio final : public rpc::LoopOwner {
 public:
  explicit LoopOnAsio(boost::asio::io_context& io);
  ~LoopOnAsio() override;

  [[nodiscard]] h2::Loop& loop() override { return loop_; }
  void Post(std::function<void()> task) override { loop_.Post(std::move(task)); }

 private:
  void Await();
  void AwaitDue();
  void TakeTurn();

  h2::Loop loop_;
  boost::asio::posix::stream_descriptor ready_;  // the loop's own: released, not closed
  boost::asio::steady_timer due_;
  Instant due_at_ = Instant::max();
};

}  // namespace twofold::backend
