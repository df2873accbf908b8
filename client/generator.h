#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/load/load_loop.h"
#include "client/snapshot.h"
#include "client/window.h"
#include "lib/common/instant.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::client {

/// Where jobs go: the stream that is up. Both calls may come from any thread.
class JobSink {
 public:
  virtual ~JobSink() = default;

  /// Packs jobs; called with the generator's lock held, so it must not call back.
  virtual void Add(std::span<const LoadLoop::Tag> tags) = 0;

  /// Sends what was added; called without the lock.
  virtual void Flush() = 0;
};

/// Generates the load of one queue and measures it: the loop, the window and the totals behind one
/// lock, taken once a batch.
///
/// Jobs are submitted only while a sink is connected. Those without an answer when a stream breaks
/// go to the next one again, with the same tags and submit instants, so that the round trip has the
/// whole time that passed.
///
/// Threads  Safe.
/// Cost     See docs/client.md. Look copies under the lock
///          (about 50 µs, plus 1 ns a job outstanding) and computes outside of it.
class Generator {
 public:
  Generator(std::string queue, std::string frontend, Instant start);

  // ---- for people (pages)

  void SetParallelism(std::uint32_t parallelism);
  void Reset();
  [[nodiscard]] std::uint32_t parallelism() const;
  [[nodiscard]] std::size_t outstanding() const;
  [[nodiscard]] Snapshot Look() const;

  // ---- for the session

  /// A stream is up: submits what has no answer, and what is missing. Returns how many were
  /// submitted again.
  std::size_t Connected(std::shared_ptr<JobSink> sink);

  /// The stream is gone.
  void Disconnected();

  /// A batch of answers (REQUIRES: rpc::Check has passed). Returns when to call Tick, if at all.
  std::optional<Instant> OnReply(const v1::SubmitReply& reply);

  /// Submits jobs that were held back, if it is time. Returns when to call again, if at all.
  std::optional<Instant> Tick();

  /// Submits nothing any more.
  void Finish();

 private:
  struct Totals {
    OutcomeCounts finished{};
    std::uint64_t interruptions = 0;
    std::uint64_t unknown_answers = 0;
    stats::Histogram round_trips;
  };

  // With the lock held.
  void ResolveWorkers(const v1::ResultBatch& batch);
  bool EndAll(const v1::ResultBatch& batch, Instant now);
  void Count(v1::Outcome outcome, const Answer& job, std::string_view report);
  std::shared_ptr<JobSink> StartMissing(Instant now);

  // Constant.
  const std::string queue_;
  const std::string frontend_;

  mutable std::mutex mutex_;  // guards all below
  LoadLoop loop_;
  Window window_;
  Totals totals_;
  Link link_ = Link::kConnecting;
  std::shared_ptr<JobSink> sink_;
  bool finishing_ = false;
  std::string last_rejection_;         // logged already
  std::vector<Places::Index> places_;  // of the batch's workers
  std::vector<LoadLoop::Tag> to_submit_;
};

}  // namespace twofold::client
