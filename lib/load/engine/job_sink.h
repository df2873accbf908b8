#pragma once

#include <span>

#include "lib/common/instant.h"
#include "lib/load/job_template.h"
#include "lib/load/load_loop.h"

namespace twofold::load {

/// Where jobs go: the stream of a lane. All methods may be called from any thread.
class JobSink {
 public:
  virtual ~JobSink() = default;

  /// Packs jobs made from `job`; nullptr: from the session's own. Called with the generator's lock
  /// held, so it must not call the generator.
  virtual void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) = 0;

  /// Sends the packed jobs. Called without the lock.
  virtual void Flush() = 0;

  /// Asks for a call of Generator::Tick at `when`. Called without the lock.
  virtual void TickAt(Instant when) { static_cast<void>(when); }
};

}  // namespace twofold::load
