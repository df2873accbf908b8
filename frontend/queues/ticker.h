#pragma once

#include <thread>

#include "frontend/queues/alarm.h"
#include "frontend/queues/queue_set.h"

namespace twofold::frontend {

/// Gives the queues their time: what is due (leases, grace periods, delays, deadlines) happens
/// here, and a line of statistics a queue is logged now and then. Sleeps until something is due;
/// the queues ring the alarm when that becomes earlier.
///
/// Threads  One of its own, from construction to destruction.
class Ticker {
 public:
  /// `log_interval` 0 = no statistics. `alarm` outlives the ticker; it is that of the queues.
  Ticker(QueueSet& queues, Alarm& alarm, Duration log_interval);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run();
  Instant TickAll(Instant now);
  void LogAll(Instant now);

  QueueSet& queues_;
  Alarm& alarm_;
  const Duration log_interval_;
  std::thread thread_;
};

}  // namespace twofold::frontend
