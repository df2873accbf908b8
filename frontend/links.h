#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/queue/types.h"

/// What a queue host talks to: the ends of streams, seen from the queue. No gRPC here, so tests use
/// plain fakes.
///
/// Threads  The On... methods are called with the queue's lock held: they put into an outbox and
///          return, and never call the host. Flush is called without the lock, after a turn in
///          which an On... method was called.
namespace twofold::frontend {

/// The other side of something that gathers messages.
class Link {
 public:
  virtual ~Link() = default;
  virtual void Flush() = 0;
};

/// Who a worker process is, for people.
struct WorkerIdentity {
  std::string node;
  std::string pod;
};

/// Gets the ends of the jobs it submitted.
class Submitter : public Link {
 public:
  /// `worker` is nullptr if no worker ever had the job.
  virtual void OnReply(const queue::Reply& reply, const WorkerIdentity* worker) = 0;
};

/// A connected worker process.
class WorkerLink : public Link {
 public:
  virtual void OnAssign(const queue::Assign& assign) = 0;
  virtual void OnCancel(const queue::CancelOnWorker& cancel) = 0;
  /// Finish what you have, then leave.
  virtual void OnDrain() = 0;
  /// The same process has connected again: this stream is history.
  virtual void OnReplaced() = 0;
};

}  // namespace twofold::frontend
