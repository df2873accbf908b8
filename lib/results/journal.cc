#include "lib/results/journal.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

namespace twofold::results {
namespace {

// As good as for ever, and far from where instants overflow.
constexpr Duration kLongestLimit = std::chrono::hours(24 * 365);

// A wall clock that is so far ahead of the one that retention goes by is worth a line.
constexpr Duration kLeap = std::chrono::hours(1);

}  // namespace

Journal::Journal(Store& store, JournalOptions options)
    : store_(store), options_(std::move(options)), thread_([this] { Run(); }) {}

Journal::~Journal() { Stop(Duration::zero()); }

void Journal::Append(std::vector<Record> records, OnDisk on_disk, WantedSpecs wanted) {
  std::size_t bytes = 0;
  for (const Record& record : records) bytes += ByteSize(record);
  const MutexLock lock(mutex_);
  if (stopping_) return;
  if (waiting_.empty()) wake_.NotifyOne();
  waiting_.push_back({std::move(records), bytes, std::move(on_disk), std::move(wanted)});
  stats_.pending_bytes += bytes;
}

void Journal::Flush(Duration limit) {
  auto flushed = std::make_shared<std::promise<void>>();
  const auto done = flushed->get_future();
  Append({}, [flushed = std::move(flushed)] { flushed->set_value(); });
  done.wait_for(limit);  // not at all if it takes nothing in any more
}

std::string Journal::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

std::size_t Journal::pending_bytes() const {
  const MutexLock lock(mutex_);
  return stats_.pending_bytes;
}

JournalStats Journal::Stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

bool Journal::Stop(Duration limit) {
  {
    const MutexLock lock(mutex_);
    if (!stopping_) give_up_at_ = Now() + std::min(limit, kLongestLimit);
    stopping_ = true;
  }
  wake_.NotifyOne();
  if (thread_.joinable()) thread_.join();
  return all_committed_;
}

void Journal::Run() {
  Group group;
  while (NextGroup(group)) {
    if (options_.prepare) {
      for (Record& record : group.records) options_.prepare(record);
    }
    if (!CommitUntilDone(group)) return;
    for (const OnDisk& on_disk : group.callbacks) on_disk();
    group.Clear();
    Retain();
    Measure();
  }
}

/// Waits for something to commit; retention has the time until then. False: it is time to end.
bool Journal::NextGroup(Group& group) {
  while (!AwaitWork()) LookAround();
  const MutexLock lock(mutex_);
  all_committed_ = waiting_.empty();
  if (all_committed_ || (stopping_ && Now() >= give_up_at_)) return false;
  TakeGroup(group);
  return true;
}

/// True: there is something to commit, or an end; false: it is time to look around.
bool Journal::AwaitWork() {
  const Instant until = std::min(next_retention_, next_check_);  // Measure comes with Check
  const MutexLock lock(mutex_);
  while (!stopping_ && waiting_.empty() && wake_.WaitUntil(mutex_, until)) continue;
  return stopping_ || !waiting_.empty();
}

void Journal::TakeGroup(Group& group) {
  const auto take = [&] {
    mutex_.AssertHeld();
    group.Add(std::move(waiting_.front()));
    waiting_.pop_front();
  };
  // With nothing to commit before them, they need not wait for the commit after them.
  while (!waiting_.empty() && waiting_.front().records.empty()) take();
  if (!group.callbacks.empty()) return;
  while (!waiting_.empty() && group.bytes < options_.commit_bytes) take();
}

void Journal::Group::Add(Entry entry) {
  std::move(entry.records.begin(), entry.records.end(), std::back_inserter(records));
  bytes += entry.bytes;
  if (entry.on_disk) callbacks.push_back(std::move(entry.on_disk));
  std::move(entry.wanted.begin(), entry.wanted.end(), std::back_inserter(wanted));
}

void Journal::Group::Clear() {
  records.clear();
  bytes = 0;
  callbacks.clear();
  wanted.clear();
}

/// False: it is time to end.
bool Journal::CommitUntilDone(const Group& group) {
  if (group.records.empty()) return true;
  Duration pause = options_.first_pause;
  for (;;) {
    const Instant begin = Now();
    const Status status = Commit(group);
    if (status.ok()) {
      Succeeded(group, Now() - begin);
      TellChange();
      return true;
    }
    Failed(status);
    TellChange();
    if (!Pause(pause)) return false;
    pause = std::min(pause * 2, options_.longest_pause);
  }
}

Status Journal::Commit(const Group& group) {
  Status status = store_.Commit(group.records);
  if (!status.ok() || group.wanted.empty()) return status;
  return store_.ReadSpecs(group.wanted);
}

void Journal::Succeeded(const Group& group, Duration took) {
  const MutexLock lock(mutex_);
  ++stats_.commits;
  stats_.records += group.records.size();
  stats_.bytes += group.bytes;
  stats_.pending_bytes -= group.bytes;
  stats_.commit_time.Record(took);
  SetTrouble({});
}

void Journal::Failed(const Status& status) {
  const MutexLock lock(mutex_);
  ++stats_.failures;
  SetTrouble(std::string(status.message()));
}

/// Empty: there is none.
void Journal::SetTrouble(const std::string& trouble) {
  if (trouble_ == trouble) return;
  trouble_ = trouble;
  writable_ = trouble_.empty();
  if (trouble_.empty()) {
    spdlog::info("journal: writes again");
  } else {
    spdlog::error("journal: cannot write, trying again until it works: {}", trouble_);
  }
}

void Journal::LookAround() {
  Check();
  Retain();
  Measure();
}

void Journal::Measure() {
  const Instant now = Now();
  if (options_.most_bytes == 0 || now < next_measure_) return;
  next_measure_ = now + options_.measure_interval;
  const Result<std::uint64_t> bytes = store_.Bytes();
  if (!bytes.ok()) return;  // Check says why
  const bool full = *bytes >= options_.most_bytes;
  if (is_full_.exchange(full) == full) return;
  if (full) {
    spdlog::warn("journal: the store has {} MiB, as much as it may: no new durable jobs and runs",
                 *bytes >> 20);
  } else {
    spdlog::info("journal: the store has room again");
  }
}

/// Whether there still is something to write to.
void Journal::Check() {
  const Instant now = Now();
  if (now < next_check_) return;
  next_check_ = now + options_.check_interval;
  const Status status = store_.Check();
  {
    const MutexLock lock(mutex_);
    SetTrouble(std::string(status.message()));
  }
  TellChange();
}

void Journal::TellChange() {
  if (std::exchange(told_writable_, writable()) != writable() && options_.on_change) {
    options_.on_change();
  }
}

/// False: it is time to end. Stop cuts the pause short, so that it gets its last try.
bool Journal::Pause(Duration pause) {
  const MutexLock lock(mutex_);
  const bool was_stopping = stopping_;
  const Instant until = std::min(Now() + pause, was_stopping ? give_up_at_ : Instant::max());
  while (stopping_ == was_stopping && wake_.WaitUntil(mutex_, until)) continue;
  return !stopping_ || Now() < give_up_at_;
}

void Journal::Retain() {
  const Instant now = Now();
  if (now < next_retention_) return;
  if (!Forgets()) {
    next_retention_ = Instant::max();
    return;
  }
  const Result<std::size_t> forgotten = store_.Forget(Limits(now), options_.forget_step);
  const bool behind = forgotten.ok() && *forgotten == options_.forget_step;
  next_retention_ = behind ? now : now + options_.forget_interval;
  if (forgotten.ok()) {
    const MutexLock lock(mutex_);
    stats_.forgotten += *forgotten;
  } else if (!retention_failed_) {
    spdlog::warn("journal: cannot forget old jobs, trying again: {}",
                 std::string(forgotten.status().message()));
  }
  retention_failed_ = !forgotten.ok();
}

bool Journal::Forgets() const {
  return options_.keep_for != Duration::max() || options_.keep_at_most != kKeepAll ||
         options_.keep_drafts_for != Duration::max();
}

Retention Journal::Limits(Instant now) {
  Retention limits{.keep_at_most = options_.keep_at_most};
  const std::int64_t wall = options_.unix_now_ns();
  const std::int64_t age_now = age_clock_.Look(wall, now);
  const bool leapt = Duration(wall - age_now) > kLeap;
  if (leapt && !clock_leapt_) {
    spdlog::warn(
        "journal: the wall clock has leapt ahead by {:.0f} s; finished jobs are kept as if "
        "it ran twice as fast until it is caught up with",
        ToSeconds(Duration(wall - age_now)));
  }
  clock_leapt_ = leapt;
  if (options_.keep_for.count() < age_now) {
    limits.older_than_unix_ns = age_now - options_.keep_for.count();
  }
  if (options_.keep_drafts_for != Duration::max() && now >= next_drafts_) {
    next_drafts_ = now + options_.draft_interval;
    limits.drafts_older_than_unix_ns = age_now - options_.keep_drafts_for.count();
  }
  return limits;
}

}  // namespace twofold::results
