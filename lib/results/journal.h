#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/results/age_clock.h"
#include "lib/results/records.h"
#include "lib/results/store.h"
#include "lib/stats/histogram.h"

namespace twofold::results {

struct JournalOptions {
  /// Called once for every record, by the journal's thread, before it is committed: for work that
  /// would keep those waiting who append. Must not throw.
  std::function<void(Record&)> prepare = {};

  /// Called when `writable` has changed, by the journal's thread with no lock held. Must not throw.
  std::function<void()> on_change = {};

  /// A commit takes in what waits up to about so many bytes, so that one commit stays short.
  std::size_t commit_bytes = 2 << 20;

  /// After a failed commit: the first pause, doubled with each failure up to the longest.
  Duration first_pause = std::chrono::milliseconds(100);
  Duration longest_pause = std::chrono::seconds(1);

  /// Between looks whether the store is still there, while nothing is committed.
  Duration check_interval = std::chrono::seconds(1);

  /// How long (see AgeClock) and how many finished jobs are kept.
  Duration keep_for = Duration::max();
  std::uint64_t keep_at_most = kKeepAll;
  Duration keep_drafts_for = Duration::max();             ///< runs to which no job has come
  Duration draft_interval = std::chrono::minutes(1);      ///< between looks for these
  std::size_t forget_step = 500;                          ///< jobs deleted in one go
  Duration forget_interval = std::chrono::seconds(1);     ///< between looks
  std::function<std::int64_t()> unix_now_ns = UnixNowNs;  ///< for keep_for

  /// What the store may take; 0 = no limit. Records are committed all the same: whoever takes in
  /// new work asks is_full().
  std::uint64_t most_bytes = 0;
  Duration measure_interval = std::chrono::seconds(1);
};

/// What the journal has done since its start.
struct JournalStats {
  std::uint64_t commits = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failures = 0;   ///< commits that failed, each retry counted
  std::uint64_t forgotten = 0;  ///< finished jobs deleted
  std::size_t pending_bytes = 0;
  stats::Histogram commit_time;  ///< of commits that succeeded
};

/// Puts records on disk in groups: while one commit runs, all that arrives gathers in the next.
///
/// So an idle journal has the latency of one sync and a busy one spends one sync on thousands of
/// records; no timers. Records are committed, and the callbacks called, in the order of Append.
///
/// When the store fails, also by Store::Check while nothing is committed, nothing is dropped: the
/// journal keeps the group, says so in writable() and trouble() and once in the log, and tries
/// again until it succeeds. Callbacks wait meanwhile; who appends should stop taking in work while
/// writable() is false, since what waits is in memory.
///
/// Retention runs when nothing waits. When it is behind, a step follows each commit even so.
///
/// Threads  Safe. Callbacks come from the journal's thread, with no lock held; they may call
///          anything here except Stop and the destructor. The store is used by that thread only
///          (beside Find and List).
/// Cost     Append: one lock, no I/O, no waiting.
class Journal {
 public:
  using OnDisk = std::function<void()>;

  explicit Journal(Store& store, JournalOptions options = {});

  /// Stop without a try.
  ~Journal();

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Calls `on_disk` when these records are on disk, and all that were appended before. With no
  /// records it costs no sync; it only keeps its place in the order. After Stop: drops both.
  /// `wanted` are read in between, from the store as it is then. REQUIRES: with these come records.
  void Append(std::vector<Record> records, OnDisk on_disk, WantedSpecs wanted = {});

  /// Waits until all is on disk, and its callbacks have been called, that was appended before;
  /// `limit` at most. Not from a callback.
  void Flush(Duration limit);

  /// False from a failed commit to the next one that succeeds.
  /// Cost     an atomic read.
  [[nodiscard]] bool writable() const { return writable_; }

  /// Whether the store had as much as it may when it was measured last.
  /// Cost     an atomic read.
  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] std::uint64_t most_bytes() const { return options_.most_bytes; }

  /// Why it is not writable, one line; empty when it is.
  [[nodiscard]] std::string trouble() const;

  /// About how much memory waits for the disk.
  [[nodiscard]] std::size_t pending_bytes() const;

  [[nodiscard]] JournalStats Stats() const;

  /// Commits what was appended, if that can be done within `limit`, and ends the thread. False:
  /// something was not committed; its callbacks never come. A commit that runs is waited for.
  bool Stop(Duration limit);

 private:
  struct Entry {
    std::vector<Record> records;
    std::size_t bytes;
    OnDisk on_disk;
    WantedSpecs wanted;
  };

  /// What goes to disk together.
  struct Group {
    std::vector<Record> records;
    std::size_t bytes = 0;
    std::vector<OnDisk> callbacks;
    WantedSpecs wanted;

    void Add(Entry entry);
    void Clear();
  };

  void Run();
  bool NextGroup(Group& group);
  bool AwaitWork();
  void TakeGroup(Group& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CommitUntilDone(const Group& group);
  Status Commit(const Group& group);
  void Succeeded(const Group& group, Duration took);
  void Failed(const Status& status);
  void SetTrouble(const std::string& trouble) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellChange();
  void LookAround();
  void Check();
  bool Pause(Duration pause);
  void Retain();
  void Measure();
  [[nodiscard]] bool Forgets() const;
  [[nodiscard]] Retention Limits(Instant now);

  Store& store_;
  const JournalOptions options_;

  mutable Mutex mutex_;
  Condition wake_;
  std::deque<Entry> waiting_ ABSL_GUARDED_BY(mutex_);
  std::string trouble_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> writable_ = true;  // as trouble_ says
  std::atomic<bool> is_full_ = false;
  JournalStats stats_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Instant give_up_at_ ABSL_GUARDED_BY(mutex_){};

  // Of the thread, as long as it runs.
  bool all_committed_ = false;
  Instant next_check_{};
  Instant next_retention_{};
  Instant next_drafts_{};
  Instant next_measure_{};
  bool retention_failed_ = false;
  bool told_writable_ = true;  // by on_change
  AgeClock age_clock_;
  bool clock_leapt_ = false;  // the log has it

  std::thread thread_;
};

}  // namespace twofold::results
