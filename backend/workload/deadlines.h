#pragma once

#include <absl/container/btree_set.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "backend/workload/workload.h"
#include "lib/common/instant.h"

namespace twofold::backend {

/// A deadline for each slot that wants one, all behind a single timer of the io_context.
///
/// Time     Reads the clock once each time the timer fires.
/// Threads  On the thread of the io_context.
/// Cost     O(log n) a call; the timer is set again only when the earliest deadline changes.
class Deadlines {
 public:
  using OnDue = std::function<void(Slot, Instant now)>;

  /// `on_due` is told once for each deadline, at or after it, earliest first; it may set others.
  Deadlines(boost::asio::io_context& io, OnDue on_due) : timer_(io), on_due_(std::move(on_due)) {}

  /// REQUIRES: the slot has no deadline.
  void Set(Slot slot, Instant deadline);

  /// Does nothing if the slot has no deadline.
  void Clear(Slot slot);

 private:
  void Arm();
  void FireDue();

  boost::asio::steady_timer timer_;
  OnDue on_due_;
  std::optional<Instant> armed_;  // what the timer waits for
  std::vector<Instant> by_slot_;  // kNone: no deadline
  absl::btree_set<std::pair<Instant, Slot>> by_time_;
};

}  // namespace twofold::backend
