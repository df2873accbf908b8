#pragma once

#include <utility>

#include "kubernetes/api/call.h"
#include "kubernetes/controller/event_book.h"
#include "lib/common/mutex.h"

namespace twofold::controller {

/// Where one worker of a controller writes: an API server, by a connection of the worker's own.
class Writer {
 public:
  virtual ~Writer() = default;

  /// The object as it is after the call; null: it is gone. Blocks.
  ///
  /// Errors   those of kube::Connection.
  virtual Result<kube::Json> Write(const kube::Call& call) = 0;
};

/// As Writer::Write; but what is gone needs no writing, so that it is no error.
Status WriteIfThere(Writer& writer, const kube::Call& call);

/// The events of all workers of a controller (event_book.h). An event that cannot be written is
/// lost; nothing hangs on it.
///
/// Threads  Safe. Blocks on the writer.
class EventTeller {
 public:
  explicit EventTeller(EventOptions options) : book_(std::move(options)) {}

  void Tell(Writer& writer, const kube::Json& object, const Happening& what, Instant now,
            kube::UnixTime wall);

 private:
  Mutex mutex_;
  EventBook book_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::controller
