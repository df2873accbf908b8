#pragma once

#include <memory>
#include <span>
#include <vector>

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

/// Sinks that got jobs, to be flushed without the lock.
///
/// Cost     No allocation for the first one: with one lane there is no other.
class FlushList {
 public:
  void Add(const std::shared_ptr<JobSink>& sink) {
    if (first_ == nullptr) {
      first_ = sink;
    } else {
      others_.push_back(sink);
    }
  }

  void Flush() const {
    if (first_) first_->Flush();
    for (const std::shared_ptr<JobSink>& sink : others_) sink->Flush();
  }

 private:
  std::shared_ptr<JobSink> first_;
  std::vector<std::shared_ptr<JobSink>> others_;
};

}  // namespace twofold::load
