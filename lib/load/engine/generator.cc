#include "lib/load/engine/generator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "lib/load/counts.h"
#include "lib/rpc/batches.h"

namespace twofold::load {
namespace {

// What a peer says in an unsigned field; more than 292 years is as good as that.
Duration FromWire(std::uint64_t ns) {
  constexpr auto kMost = static_cast<std::uint64_t>(Duration::max().count());
  return Duration(static_cast<Duration::rep>(std::min(ns, kMost)));
}

}  // namespace

Generator::Generator(std::string queue, std::string frontend, Instant start)
    : queue_(std::move(queue)), frontend_(std::move(frontend)), window_(start) {}

// Makes a change with the lock held, submits what is missing then, and sends it without the lock.
template <typename Change>
std::optional<Instant> Generator::Do(const Change& change) {
  std::shared_ptr<JobSink> sink;
  std::optional<Instant> next_tick;
  {
    const MutexLock lock(mutex_);
    const Instant now = Now();
    change(now);
    sink = StartMissing(now);
    next_tick = loop_.NextStart();
  }
  if (sink) sink->Flush();
  return next_tick;
}

// ---- for people

void Generator::SetParallelism(std::uint32_t parallelism) {
  Do([&](Instant) {
    mutex_.AssertHeld();
    if (finishing_) return;
    if (parallelism != loop_.parallelism()) window_.ParallelismChanged();
    loop_.SetParallelism(parallelism);
  });
}

void Generator::Reset() {
  const MutexLock lock(mutex_);
  window_ = Window(Now());
  if (link_ == Link::kReconnecting) window_.Interrupted();
}

std::uint32_t Generator::parallelism() const {
  const MutexLock lock(mutex_);
  return loop_.parallelism();
}

std::size_t Generator::outstanding() const {
  const MutexLock lock(mutex_);
  return loop_.outstanding();
}

Snapshot Generator::Look() const {
  Snapshot snapshot;
  snapshot.queue = queue_;
  snapshot.frontend = frontend_;
  std::vector<Instant> in_flight;
  Instant now;
  std::optional<Window> window;
  {
    const MutexLock lock(mutex_);
    now = Now();  // not before any end that the window knows
    window = window_;
    in_flight.reserve(loop_.outstanding());
    loop_.ForEachOutstanding(
        [&in_flight](LoadLoop::Tag, Instant submitted) { in_flight.push_back(submitted); });
    snapshot.link = link_;
    snapshot.parallelism = loop_.parallelism();
    snapshot.totals = totals_;
  }
  snapshot.pending = in_flight.size();
  snapshot.held_back =
      snapshot.parallelism - std::min<std::uint64_t>(snapshot.parallelism, snapshot.pending);
  window->Describe(now, in_flight, snapshot);
  return snapshot;
}

// ---- for the session

std::size_t Generator::Connected(std::shared_ptr<JobSink> sink) {
  std::size_t again = 0;
  Do([&](Instant) {
    mutex_.AssertHeld();
    link_ = Link::kConnected;
    sink_ = std::move(sink);
    loop_.ForEachOutstanding([this](LoadLoop::Tag tag, Instant) {
      mutex_.AssertHeld();
      to_submit_.push_back(tag);
    });
    again = to_submit_.size();
  });
  return again;
}

void Generator::Disconnected() {
  const MutexLock lock(mutex_);
  link_ = Link::kReconnecting;
  sink_.reset();
  window_.Interrupted();
  ++totals_.interruptions;
}

std::optional<Instant> Generator::OnReply(const v1::SubmitReply& reply) {
  return Do([&](Instant now) {
    mutex_.AssertHeld();
    ResolveWorkers(reply.results());
    const bool rejected = EndAll(reply.results(), now);
    if (rejected) loop_.Rejected(now, FromWire(reply.retry_after_ns()));
  });
}

std::optional<Instant> Generator::Tick() {
  return Do([](Instant) {});
}

void Generator::Finish() {
  const MutexLock lock(mutex_);
  finishing_ = true;
  loop_.SetParallelism(0);
}

// ---- with the lock held

// Names are looked up once a batch, so that a job costs an index.
void Generator::ResolveWorkers(const v1::ResultBatch& batch) {
  places_.clear();
  for (const v1::WorkerName& worker : batch.workers()) {
    places_.push_back(window_.places().Find(worker.node(), worker.pod(), worker.device()));
  }
  if (places_.empty()) places_.push_back(window_.places().Find({}, {}, {}));
}

// Returns whether a job was rejected.
bool Generator::EndAll(const v1::ResultBatch& batch, Instant now) {
  bool rejected = false;
  rpc::ForEach(batch, [&](const rpc::ResultRow& row) {
    mutex_.AssertHeld();
    const std::optional<Instant> submitted = loop_.End(row.tag);
    if (!submitted) {
      ++totals_.unknown_answers;
      return;
    }
    rejected |= row.outcome == v1::OUTCOME_REJECTED;
    Count(row.outcome,
          {*submitted, now, FromWire(row.wait_ns), FromWire(row.run_ns), places_[row.worker]},
          row.report);
  });
  return rejected;
}

void Generator::Count(v1::Outcome outcome, const Answer& job, std::string_view report) {
  ++totals_.finished[static_cast<std::size_t>(outcome)];
  if (outcome == v1::OUTCOME_SUCCEEDED) {
    window_.Succeeded(job);
    totals_.round_trips.Record(job.ended - job.submitted);
    return;
  }
  std::string error = ErrorText(outcome, report);
  if (outcome != v1::OUTCOME_REJECTED) return window_.Failed(job, error);
  window_.Rejected(error);
  if (error == last_rejection_) return;
  spdlog::warn("the frontend rejects jobs: {}", error);
  last_rejection_ = std::move(error);
}

// Submits what is missing, and what is in `to_submit_` already. Returns the sink to be flushed once
// the lock is released; nullptr if nothing was added.
std::shared_ptr<JobSink> Generator::StartMissing(Instant now) {
  if (!sink_) return nullptr;
  loop_.Start(now, [this](LoadLoop::Tag tag) {
    mutex_.AssertHeld();
    to_submit_.push_back(tag);
  });
  if (to_submit_.empty()) return nullptr;
  sink_->Add(to_submit_);
  to_submit_.clear();
  return sink_;
}

}  // namespace twofold::load
