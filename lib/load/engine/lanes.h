#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/engine/kinds.h"
#include "lib/load/load_loop.h"
#include "lib/load/profile.h"
#include "lib/load/snapshot.h"
#include "twofold/v1/queue.pb.h"

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

/// The lanes of a load, one for each shard of its queue: which stream each has, in which state its
/// link is, and which jobs are about to be handed to it.
///
///   link           begins when
///   kConnecting    the lane is opened
///   kConnected     a stream is up
///   kMoving        the frontend there says `moved`, and the lane is not lost
///   kReconnecting  the stream breaks, or none can be made: the lane is lost
///
/// A loss lasts until the next stream, and goes on if that one's frontend says `moved` before it
/// has answered anything. The link of the whole load is the worst of its lanes: one that is lost
/// counts more than one that moves, and both more than those that are connected. A lane that
/// connects for the first time counts for nothing.
///
/// All but Open and Choose require that the lane is open. The first one is.
///
/// Threads  Not thread-safe: the generator has it behind its lock.
/// Cost     O(1) with one lane. With more, Choose looks at each of them, and HandOver at each and
///          at the kinds of those that get jobs.
class Lanes {
 public:
  using Number = LoadLoop::Lane;

  // ---- streams

  /// Makes sure that there is this lane, and those before it.
  void Open(Number lane);

  /// A stream is up. Returns since when the lane was lost; nullopt: it was not.
  std::optional<Instant> Connected(Number lane, std::shared_ptr<JobSink> sink, Instant now);

  /// The stream that is up takes no more. It is followed by Moved or Lost.
  void Close(Number lane);

  void Moved(Number lane);

  /// False: the lane was lost before.
  bool Lost(Number lane, Instant now);

  /// The frontend has answered jobs, and says how the others of its stream stand, and how many jobs
  /// of others workers have got since the stream began. Returns how many more these are, and since
  /// when.
  struct Others {
    std::uint64_t jobs = 0;
    Instant since{};
  };
  Others Answered(Number lane, const v1::SubmitReply& reply, Instant now);

  /// Adds to `at_work` since when workers have had the open jobs of the lane, of which `sent` has
  /// the instants. Those that run, by the frontend's last answer, are taken to be the oldest, and
  /// to have waited alike. What was sent after the answer is taken to run if nothing waited then
  /// and no more run than ever did; without an answer all is. `sent` is put into another order.
  /// O(jobs).
  void AddAtWork(Number lane, std::vector<Instant>& sent, std::vector<Instant>& at_work) const;

  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  [[nodiscard]] bool AreSeveral() const { return lanes_.size() > 1; }
  [[nodiscard]] bool AnyIsUp() const { return up_ > 0; }
  /// nullptr: none is up.
  [[nodiscard]] const std::shared_ptr<JobSink>& sink(Number lane) const {
    return lanes_[lane].sink;
  }

  [[nodiscard]] Link link(Number lane) const { return lanes_[lane].link; }
  /// Of all.
  [[nodiscard]] Link link() const;
  /// Since when a lane has been lost that still is; nullopt: none is.
  [[nodiscard]] std::optional<Instant> lost_since() const;

  // ---- jobs

  /// Where the next job goes: of the lanes that are up, the first one from `preferred` on that has
  /// the fewest jobs outstanding. REQUIRES: AnyIsUp.
  [[nodiscard]] Number Choose(const LoadLoop& loop, Number preferred) const {
    return AreSeveral() ? FewestFrom(loop, preferred) : Number{0};
  }

  /// Each lane in turn, to be preferred for jobs that follow no other.
  Number Turn();

  /// To be filled with the jobs of this kind that are to be handed over. Those of a lane that is
  /// not up are forgotten then: its next stream gets all of its jobs that are on none.
  std::vector<LoadLoop::Tag>& Jobs(Number lane, std::size_t kind) {
    Lane& to = lanes_[lane];
    if (kind >= to.jobs.size()) to.jobs.resize(kind + 1);
    to.has_jobs = true;
    return to.jobs[kind];
  }

  /// Hands the jobs to the streams. Adds those which got any, to be flushed without the lock.
  void HandOver(const Kinds& kinds, FlushList& flushes);

 private:
  struct Lane {
    Link link = Link::kConnecting;
    std::shared_ptr<JobSink> sink;
    std::optional<Instant> lost_since;
    std::optional<Instant> lost_before;    // the present stream, as long as it has answered nothing
    std::optional<v1::Standing> standing;  // by the last answer
    std::uint64_t others = 0;              // as of the last answer, which was at `heard`
    Instant heard{};
    std::vector<std::vector<LoadLoop::Tag>> jobs;  // to be handed over, by kind
    bool has_jobs = false;
  };

  [[nodiscard]] Number FewestFrom(const LoadLoop& loop, Number preferred) const;

  std::vector<Lane> lanes_{1};
  std::size_t up_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace twofold::load
