#include "lib/results/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/fakes/failing_store.h"
#include "tests/fakes/memory_store.h"
#include "tests/lib/results/samples.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kLong = std::chrono::seconds(30);

/// A store whose commits wait until they are let through.
class GatedStore final : public MemoryStore {
 public:
  Status Commit(std::span<const Record> records) override {
    std::unique_lock lock(mutex_);
    sizes_.push_back(records.size());
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return MemoryStore::Commit(records);
  }

  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void AwaitCommits(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  std::vector<std::size_t> sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::vector<std::size_t> sizes_;
};

/// Callbacks that came, by name.
class Callbacks {
 public:
  Journal::OnDisk Named(int name) {
    return [this, name] {
      const std::lock_guard lock(mutex_);
      names_.push_back(name);
      changed_.notify_all();
    };
  }
  void Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kLong, [&] { return names_.size() >= count; }));
  }
  std::vector<int> names() {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> names_;
};

/// Polls; the bound is for a test that fails.
template <typename Condition>
bool Eventually(const Condition& condition) {
  const Instant end = Now() + kLong;
  while (!condition()) {
    if (Now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

JournalOptions Quick() {
  return {.first_pause = std::chrono::milliseconds(1),
          .longest_pause = std::chrono::milliseconds(4)};
}

TEST(Journal, CallsBackWhenTheRecordsAreInTheStore) {
  MemoryStore store;
  Callbacks callbacks;
  Journal journal(store);
  bool found = false;
  journal.Append({Accepted(7)}, [&] {
    found = store.Find(7).ok();
    callbacks.Named(1)();
  });
  callbacks.Await(1);
  EXPECT_TRUE(found);
}

TEST(Journal, GathersWhatArrivesDuringACommit) {
  GatedStore store;
  Callbacks callbacks;
  Journal journal(store);
  journal.Append({Accepted(1)}, callbacks.Named(1));
  store.AwaitCommits(1);
  journal.Append({Accepted(2), Accepted(3)}, callbacks.Named(2));
  journal.Append({Accepted(4)}, callbacks.Named(3));
  EXPECT_THAT(callbacks.names(), IsEmpty());
  store.Open();
  callbacks.Await(3);
  EXPECT_THAT(store.sizes(), ElementsAre(1, 3));
  EXPECT_THAT(callbacks.names(), ElementsAre(1, 2, 3));
}

TEST(Journal, CommitsAreBoundedInBytes) {
  GatedStore store;
  Callbacks callbacks;
  JobAccepted big = Accepted(1);
  big.spec.assign(1000, 'x');
  Journal journal(store, {.commit_bytes = 2000});
  journal.Append({big}, callbacks.Named(0));
  store.AwaitCommits(1);
  for (JobId id = 2; id <= 7; ++id) {
    big.id = id;
    journal.Append({big}, callbacks.Named(0));
  }
  store.Open();
  callbacks.Await(7);
  EXPECT_THAT(store.sizes(), ElementsAre(1, 2, 2, 2));
}

TEST(Journal, WantedSpecsAreThereWhenItCallsBack) {
  MemoryStore store;
  Callbacks callbacks;
  Journal journal(store);
  JobAccepted job = Accepted(7);
  job.spec = "spec";
  const auto wanted = std::make_shared<WantedSpec>(WantedSpec{.job = 7});
  const auto missing = std::make_shared<WantedSpec>(WantedSpec{.job = 8});
  std::string spec;
  journal.Append({job, Started(7)},
                 [&] {
                   spec = wanted->spec;
                   callbacks.Named(1)();
                 },
                 {wanted, missing});
  callbacks.Await(1);
  EXPECT_EQ(spec, "spec");
  EXPECT_TRUE(wanted->found);
  EXPECT_FALSE(missing->found);
}

/// A store that cannot be read at first.
class UnreadableStore final : public MemoryStore {
 public:
  Status ReadSpecs(const WantedSpecs& wanted) override {
    if (++reads_ <= 3) return absl::UnavailableError("cannot be read");
    return MemoryStore::ReadSpecs(wanted);
  }

 private:
  int reads_ = 0;
};

TEST(Journal, NobodyHearsOfAnAttemptWhoseSpecCannotBeRead) {
  UnreadableStore store;
  Callbacks callbacks;
  Journal journal(store, Quick());
  const auto wanted = std::make_shared<WantedSpec>(WantedSpec{.job = 7});
  std::uint64_t failures = 0;
  journal.Append({Accepted(7), Started(7)},
                 [&] {
                   failures = journal.Stats().failures;
                   callbacks.Named(1)();
                 },
                 {wanted});
  callbacks.Await(1);
  EXPECT_TRUE(wanted->found);
  EXPECT_EQ(failures, 3U);
  EXPECT_TRUE(journal.writable());
}

TEST(Journal, NoRecordsKeepTheirPlaceAndCostNoCommit) {
  GatedStore store;
  Callbacks callbacks;
  Journal journal(store);
  journal.Append({}, callbacks.Named(0));
  callbacks.Await(1);
  EXPECT_THAT(store.sizes(), IsEmpty());
  journal.Append({Accepted(1)}, callbacks.Named(1));
  store.AwaitCommits(1);
  journal.Append({}, callbacks.Named(2));
  EXPECT_THAT(callbacks.names(), ElementsAre(0));
  store.Open();
  callbacks.Await(3);
  EXPECT_THAT(callbacks.names(), ElementsAre(0, 1, 2));
  EXPECT_THAT(store.sizes(), SizeIs(1));
}

TEST(Journal, NoRecordsWaitForNoLaterCommit) {
  GatedStore store;
  Callbacks callbacks;
  Journal journal(store);
  std::atomic<bool> appended = false;
  journal.Append({}, [&] {
    while (!appended) std::this_thread::yield();  // both of the next are there, together
  });
  journal.Append({}, callbacks.Named(1));
  journal.Append({Accepted(1)}, callbacks.Named(2));
  appended = true;
  callbacks.Await(1);
  EXPECT_THAT(callbacks.names(), ElementsAre(1));
  store.Open();
  callbacks.Await(2);
}

TEST(Journal, RecordsArePreparedOnceByItsThreadBeforeTheyAreCommitted) {
  MemoryStore memory;
  FailingStore store(memory, 1, 2, FailingStore::How::kBefore);
  Callbacks callbacks;
  JournalOptions options = Quick();
  int prepared = 0;
  std::thread::id by;
  options.prepare = [&](Record& record) {
    ++prepared;
    by = std::this_thread::get_id();
    std::get<JobAccepted>(record).suite = "prepared";
  };
  Journal journal(store, options);
  journal.Append({Accepted(1), Accepted(2)}, callbacks.Named(1));
  callbacks.Await(1);
  EXPECT_EQ(store.operations(), 3u);
  EXPECT_EQ(prepared, 2);
  EXPECT_NE(by, std::this_thread::get_id());
  EXPECT_EQ(memory.Find(2)->accepted.suite, "prepared");
}

TEST(Journal, CallbackMayAppend) {
  MemoryStore store;
  Callbacks callbacks;
  Journal journal(store);
  journal.Append({Accepted(1)},
                 [&] { journal.Append({Started(1)}, [&] { callbacks.Named(1)(); }); });
  callbacks.Await(1);
  EXPECT_TRUE(std::holds_alternative<AttemptStarted>(store.Find(1)->state));
}

TEST(Journal, PendingBytesAreThoseNotYetOnDisk) {
  GatedStore store;
  Callbacks callbacks;
  Journal journal(store);
  EXPECT_EQ(journal.pending_bytes(), 0u);
  journal.Append({Accepted(1)}, callbacks.Named(1));
  EXPECT_EQ(journal.pending_bytes(), ByteSize(Accepted(1)));
  store.Open();
  callbacks.Await(1);
  EXPECT_EQ(journal.pending_bytes(), 0u);
}

TEST(Journal, CountsWhatItHasDone) {
  MemoryStore memory;
  FailingStore store(memory, 1, 2, FailingStore::How::kBefore);
  Callbacks callbacks;
  Journal journal(store, Quick());
  journal.Append({Accepted(1), Accepted(2)}, callbacks.Named(1));
  callbacks.Await(1);
  const JournalStats stats = journal.Stats();
  EXPECT_EQ(stats.commits, 1u);
  EXPECT_EQ(stats.records, 2u);
  EXPECT_EQ(stats.failures, 2u);
  EXPECT_EQ(stats.bytes, ByteSize(Accepted(1)) + ByteSize(Accepted(2)));
  EXPECT_EQ(stats.commit_time.Count(), 1u);
}

TEST(Journal, SaysWhyItCannotWriteAndRecoversByItself) {
  MemoryStore memory;
  FailingStore store(memory, 2, 5, FailingStore::How::kBefore);
  Callbacks callbacks;
  Journal journal(store, Quick());
  journal.Append({Accepted(1)}, callbacks.Named(1));
  callbacks.Await(1);
  EXPECT_TRUE(journal.writable());
  journal.Append({Accepted(2)}, callbacks.Named(2));
  bool was_unwritable = false;
  ASSERT_TRUE(Eventually([&] {
    was_unwritable |= !journal.writable() && journal.trouble() == "the disk is away";
    return callbacks.names().size() == 2;
  }));
  EXPECT_TRUE(was_unwritable);
  EXPECT_TRUE(journal.writable());
  EXPECT_EQ(journal.trouble(), "");
}

TEST(Journal, FlushWaitsForWhatIsThereButNotForEver) {
  GatedStore store;
  Callbacks callbacks;
  Journal journal(store);
  journal.Append({Accepted(1)}, callbacks.Named(1));
  store.AwaitCommits(1);
  journal.Flush(std::chrono::milliseconds(20));
  EXPECT_THAT(callbacks.names(), IsEmpty());
  store.Open();
  journal.Flush(kLong);
  EXPECT_THAT(callbacks.names(), ElementsAre(1));
  EXPECT_TRUE(journal.Stop(kLong));
  journal.Flush(kLong);  // has nothing to wait for
}

TEST(Journal, StopCommitsWhatIsThere) {
  MemoryStore store;
  Callbacks callbacks;
  Journal journal(store, {.commit_bytes = 1});
  for (JobId id = 1; id <= 50; ++id) journal.Append({Accepted(id)}, callbacks.Named(0));
  EXPECT_TRUE(journal.Stop(kLong));
  EXPECT_THAT(callbacks.names(), SizeIs(50));
}

TEST(Journal, StopEndsThoughTheStoreFailsForEver) {
  MemoryStore memory;
  FailingStore store(memory, 1, UINT64_MAX, FailingStore::How::kBefore);
  Callbacks callbacks;
  Journal journal(store, Quick());
  journal.Append({Accepted(1)}, callbacks.Named(1));
  EXPECT_FALSE(journal.Stop(std::chrono::milliseconds(20)));
  EXPECT_THAT(callbacks.names(), IsEmpty());
  EXPECT_GE(store.operations(), 2u);
}

TEST(Journal, StopTriesOnceMoreAtOnce) {
  MemoryStore memory;
  FailingStore store(memory, 1, 1, FailingStore::How::kBefore);
  Journal journal(store, {.first_pause = kLong, .longest_pause = kLong});
  journal.Append({Accepted(1)}, [] {});
  ASSERT_TRUE(Eventually([&] { return !journal.writable(); }));
  EXPECT_TRUE(journal.Stop(kLong));
  EXPECT_TRUE(memory.Find(1).ok());
}

TEST(Journal, AfterStopNothingIsTakenIn) {
  MemoryStore store;
  Callbacks callbacks;
  Journal journal(store);
  EXPECT_TRUE(journal.Stop(kLong));
  journal.Append({Accepted(1)}, callbacks.Named(1));
  EXPECT_TRUE(journal.Stop(kLong));
  EXPECT_THAT(callbacks.names(), IsEmpty());
  EXPECT_FALSE(store.Find(1).ok());
}

TEST(Journal, ForgetsInIdleTimeByCountAndAge) {
  MemoryStore store;
  std::vector<Record> records;
  for (JobId id = 1; id <= 100; ++id) {
    records.emplace_back(Accepted(id));
    records.emplace_back(Ended(id, static_cast<std::int64_t>(id)));
  }
  ASSERT_TRUE(store.Commit(records).ok());
  Journal journal(
      store, {.keep_for = Duration(1000), .keep_at_most = 50, .forget_step = 7, .unix_now_ns = [] {
                return std::int64_t{1081};
              }});
  ASSERT_TRUE(Eventually([&] { return journal.Stats().forgotten == 80; }));
  EXPECT_EQ(IdsOf(*store.List({})).front(), 81u);
}

TEST(Journal, AWallClockThatLeapsThirtyDaysMakesNoJobOld) {
  constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;
  MemoryStore store;
  ASSERT_TRUE(store.Commit(std::vector<Record>{Accepted(1), Ended(1, 100 * kDay)}).ok());
  std::atomic<std::int64_t> wall = 100 * kDay;
  std::atomic<int> looks = 0;
  Journal journal(store, {.keep_for = std::chrono::hours(24 * 7),
                          .forget_interval = std::chrono::milliseconds(1),
                          .unix_now_ns = [&] {
                            ++looks;
                            return wall.load();
                          }});
  ASSERT_TRUE(Eventually([&] { return looks > 0; }));
  wall = 130 * kDay;
  const int before = looks;
  ASSERT_TRUE(Eventually([&] { return looks > before + 5; }));
  EXPECT_EQ(journal.Stats().forgotten, 0U);
}

TEST(AgeClock, FollowsTheWallClockAtItsPaceAndALeapAtTwiceThePace) {
  AgeClock clock;
  const Instant start{};
  EXPECT_EQ(clock.Look(1'000, start), 1'000) << "what it was before nobody knows";
  EXPECT_EQ(clock.Look(1'010, start + Duration(10)), 1'010);
  EXPECT_EQ(clock.Look(5'020, start + Duration(20)), 1'030) << "it has leapt by 4 000";
  EXPECT_EQ(clock.Look(5'030, start + Duration(30)), 1'050);
  EXPECT_EQ(clock.Look(9'000, start + Duration(4'000)), 8'990);
  EXPECT_EQ(clock.Look(9'010, start + Duration(4'010)), 9'010) << "it has caught up";
  EXPECT_EQ(clock.Look(500, start + Duration(4'020)), 500) << "backwards deletes less";
  EXPECT_EQ(clock.Look(10'000, start + Duration(4'030)), 520);
}

TEST(Journal, ForgetsThoughItIsNeverIdle) {
  MemoryStore store;
  Journal journal(
      store,
      {.keep_at_most = 10, .forget_step = 5, .forget_interval = std::chrono::milliseconds(5)});
  std::atomic<bool> enough = false;
  std::function<void(JobId)> next = [&](JobId id) {
    if (!enough) journal.Append({Accepted(id), Ended(id)}, [&next, id] { next(id + 1); });
  };
  next(1);
  EXPECT_TRUE(Eventually([&] { return journal.Stats().forgotten > 100; }));
  enough = true;
  EXPECT_TRUE(journal.Stop(kLong));
}

TEST(Journal, ManyThreadsKeepTheirOrder) {
  MemoryStore store;
  constexpr int kThreads = 4;
  constexpr int kEach = 100;
  std::vector<std::vector<int>> seen(kThreads);
  {
    Journal journal(store);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kEach; ++i) {
          const auto id = static_cast<JobId>(1 + thread * kEach + i);
          std::vector<Record> records;
          if (i % 3 != 0) records.emplace_back(Accepted(id));
          journal.Append(std::move(records), [&seen, thread, i] {
            seen[static_cast<std::size_t>(thread)].push_back(i);
          });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(journal.Stop(kLong));
  }
  for (const std::vector<int>& each : seen) {
    EXPECT_THAT(each, SizeIs(kEach));
    EXPECT_TRUE(std::is_sorted(each.begin(), each.end()));
  }
}

/// A store that says how large it is.
class SizedStore final : public MemoryStore {
 public:
  explicit SizedStore(Store& store) : store_(store) {}

  Status Commit(std::span<const Record> records) override { return MemoryStore::Commit(records); }
  Result<std::uint64_t> Bytes() override { return bytes.load(); }

  std::atomic<std::uint64_t> bytes = 0;

 private:
  Store& store_;
};

TEST(JournalLimit, StoreIsFullUntilItHasRoomAgain) {
  MemoryStore memory;
  SizedStore store(memory);
  Journal journal(store, {.check_interval = std::chrono::milliseconds(1),
                          .most_bytes = 100,
                          .measure_interval = std::chrono::milliseconds(1)});
  store.bytes = 99;
  journal.Flush(std::chrono::seconds(10));
  EXPECT_FALSE(journal.is_full());
  store.bytes = 100;
  while (!journal.is_full()) std::this_thread::yield();
  EXPECT_TRUE(journal.writable()) << "what is there goes on";
  store.bytes = 50;
  while (journal.is_full()) std::this_thread::yield();
}

TEST(JournalChange, IsToldWhenTheStoreFailsAndWhenItIsBack) {
  MemoryStore memory;
  FailingStore store(memory, 1, 2, FailingStore::How::kBefore);
  std::atomic<int> changes = 0;
  JournalOptions options;
  options.first_pause = options.longest_pause = std::chrono::milliseconds(1);
  options.check_interval = std::chrono::hours(1);
  options.on_change = [&] { ++changes; };
  Journal journal(store, options);
  journal.Append({SequenceUsed{"sleep", 1}}, {});
  journal.Flush(std::chrono::seconds(10));
  EXPECT_EQ(changes, 2);
  EXPECT_TRUE(journal.writable());
}

}  // namespace
}  // namespace twofold::results
