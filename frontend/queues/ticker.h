#pragma once

#include <thread>

#include "frontend/queues/alarm.h"
#include "frontend/queues/queue_set.h"

namespace twofold::frontend {

/// Gives the queues their time: what is due (leases, grace periods, delays, deadlines) happens
/// here, idle workers that hang are taken out, and a line of statistics a queue is logged now and
/// then. Sleeps until something is due; the queues ring the alarm when that becomes earlier.
///
/// Time in which this program could not listen is nobody's silence: if the ticker wakes late, as
/// after a SIGSTOP, it lets the other threads read for a second before it looks whose time is over.
///
/// Threads  One of its own, from construction to destruction.
class Ticker {
 public:
  struct Periods {
    Duration log{0};         ///< between lines of statistics; 0 = none
    Duration idle_lease{0};  ///< silence after which an idle worker is taken out; 0 = never
  };

  /// `alarm` outlives the ticker; it is that of the queues.
  Ticker(QueueSet& queues, Alarm& alarm, const Periods& periods);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run();
  Instant TickAll(Instant now);
  void DropSilent();
  void LogAll(Instant now);

  QueueSet& queues_;
  Alarm& alarm_;
  const Periods periods_;
  std::thread thread_;
};

}  // namespace twofold::frontend
