#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "frontend/queue_set.h"

namespace twofold::frontend {

/// Gives the queues their time: what is due (leases, grace periods) happens here, and a line of
/// statistics a queue is logged now and then. Sleeps until something can be due.
///
/// Threads  One of its own, from construction to destruction.
class Ticker {
 public:
  /// `log_interval` 0 = no statistics. `longest_sleep`: no deadline arises that is nearer than this
  /// (the smaller of lease and grace period), so nobody has to wake the ticker.
  Ticker(QueueSet& queues, Duration longest_sleep, Duration log_interval);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run();
  Instant TickAll(Instant now);
  void LogAll(Instant now);

  QueueSet& queues_;
  const Duration longest_sleep_;
  const Duration log_interval_;
  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace twofold::frontend
