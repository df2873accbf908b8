#pragma once

#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>

#include "lib/load/load_loop.h"
#include "lib/load/profile.h"

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
};

/// Sinks that got jobs, to be flushed without the lock. With one lane there is no more than one.
using FlushList = absl::InlinedVector<std::shared_ptr<JobSink>, 1>;

}  // namespace twofold::load
