#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <utility>

#include "backend/workload/attempt.h"
#include "backend/workload/workload.h"
#include "lib/common/instant.h"

namespace twofold::backend {

/// Passes on how far attempts are: the first news at once, further ones four times a second. In
/// between the newest wins, so a program may tell as often as it likes.
///
/// Threads  On the thread of the io_context.
class ProgressRelay {
 public:
  using Send = std::function<void(const AttemptId&, const process::ProgressLine&)>;

  static constexpr Duration kPeriod = std::chrono::milliseconds(250);

  ProgressRelay(boost::asio::io_context& io, Send send) : timer_(io), send_(std::move(send)) {}

  void Update(const AttemptId& id, process::ProgressLine line);

  /// The attempt has ended, which is better news.
  void Forget(const AttemptId& id) { news_.erase(id); }

 private:
  void SendNews();

  boost::asio::steady_timer timer_;
  Send send_;
  bool armed_ = false;
  absl::flat_hash_map<AttemptId, process::ProgressLine> news_;  // not sent yet
};

}  // namespace twofold::backend
