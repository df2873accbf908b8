// What durable jobs cost in the store: one thread that commits groups, 100-byte specs. "Disk" is a
// file in $TWOFOLD_BENCH_DIR (default: the current folder), where a sync is a sync; "memory" one in
// /dev/shm, where all but the disk is measured. One item is a job.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/postgres_schema.h"
#include "lib/results/journal.h"
#include "lib/results/sqlite_store.h"

namespace twofold::results {
namespace {

enum Place : std::int64_t { kMemory, kDisk };

/// A folder for the benchmark's files; its destructor removes it.
class Folder {
 public:
  explicit Folder(std::int64_t place) {
    const char* const chosen = getenv("TWOFOLD_BENCH_DIR");
    const std::string disk = chosen != nullptr ? chosen : ".";
    path_ = (place == kMemory ? "/dev/shm" : disk) + "/store-benchmark-" + std::to_string(getpid());
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string File() const { return path_ + "/jobs.db"; }

 private:
  std::string path_;
};

JobAccepted Accepted(JobId id) {
  return {.id = id,
          .queue = "sleep",
          .run = "nightly-2026-11-21",
          .suite = "sleep",
          .options = std::string(40, 'o'),
          .spec = std::string(100, 's'),
          .accepted_unix_ns = static_cast<std::int64_t>(id)};
}

AttemptStarted Started(JobId id) {
  return {.job = id,
          .attempt = 1,
          .started_unix_ns = static_cast<std::int64_t>(id),
          .members = {{.member_job = id,
                       .process_key = id * 0x9e3779b97f4a7c15,
                       .node = "node-17",
                       .pod = "backend-sleep-5d4f-abcde"}}};
}

JobEnded Ended(JobId id) {
  return {.job = id,
          .attempts = 1,
          .wait = Duration(123'456'789),
          .run_time = Duration(100'000'000),
          .total = Duration(223'456'789),
          .node = "node-17",
          .pod = "backend-sleep-5d4f-abcde",
          .report = std::string(60, 'r'),
          .ended_unix_ns = static_cast<std::int64_t>(id)};
}

/// Makes the groups of a steady stream. A job is started some groups after it was accepted, and
/// ended some groups later, so that no group has two records of one job.
class Stream {
 public:
  explicit Stream(std::int64_t jobs) : jobs_(static_cast<JobId>(jobs)) {}

  std::vector<Record> Accept() {
    std::vector<Record> records;
    records.reserve(jobs_);
    for (JobId i = 0; i < jobs_; ++i) records.emplace_back(Accepted(next_ + i));
    next_ += jobs_;
    return records;
  }

  std::vector<Record> Live() {
    constexpr JobId kApart = 3;
    std::vector<Record> records = Accept();
    records.reserve(3 * jobs_);
    AddTo<Started>(kApart, records);
    AddTo<Ended>(2 * kApart, records);
    return records;
  }

 private:
  template <auto Make>
  void AddTo(JobId groups_ago, std::vector<Record>& records) const {
    const JobId back = (groups_ago + 1) * jobs_;
    if (next_ <= back) return;
    for (JobId i = 0; i < jobs_; ++i) records.emplace_back(Make(next_ - back + i));
  }

  const JobId jobs_;
  JobId next_ = 1;
};

void Commit(benchmark::State& state, Store& store, const std::vector<Record>& records) {
  if (const Status status = store.Commit(records); !status.ok()) {
    state.SkipWithError(std::string(status.message()).c_str());
  }
}

void AcceptInto(Store& store, benchmark::State& state, std::int64_t jobs) {
  Stream stream(jobs);
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<Record> records = stream.Accept();
    state.ResumeTiming();
    Commit(state, store, records);
  }
  state.SetItemsProcessed(state.iterations() * jobs);
}

/// Accepted, started and ended, each in a commit of its own (beside those of other jobs).
void LiveIn(Store& store, benchmark::State& state, std::int64_t jobs) {
  Stream stream(jobs);
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<Record> records = stream.Live();
    state.ResumeTiming();
    Commit(state, store, records);
  }
  state.SetItemsProcessed(state.iterations() * jobs);
}

void Accept(benchmark::State& state) {
  const Folder folder(state.range(0));
  AcceptInto(*SqliteStore::Open(folder.File()).value(), state, state.range(1));
}

void PostgresAccept(benchmark::State& state) {
  const PostgresSchema schema;
  AcceptInto(*schema.Open(), state, state.range(0));
}

void WholeLife(benchmark::State& state) {
  const Folder folder(state.range(0));
  const auto store = SqliteStore::Open(folder.File()).value();
  LiveIn(*store, state, state.range(1));
  state.counters["file_bytes_per_job"] =
      static_cast<double>(std::filesystem::file_size(folder.File())) /
      static_cast<double>(state.iterations() * state.range(1));
}

void PostgresWholeLife(benchmark::State& state) {
  const PostgresSchema schema;
  LiveIn(*schema.Open(), state, state.range(0));
}

/// The same, while as many old jobs are forgotten, in the steps that the journal takes.
void WholeLifeAndForget(benchmark::State& state) {
  const Folder folder(state.range(0));
  const auto store = SqliteStore::Open(folder.File()).value();
  Stream stream(state.range(1));
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<Record> records = stream.Live();
    state.ResumeTiming();
    Commit(state, *store, records);
    const Retention retention{.keep_at_most = 50'000};
    while (store->Forget(retention, 500).value_or(0) == 500) {
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

/// Through the journal, as fast as it accepts jobs with a given number on the way to the disk.
void JournalWholeLife(benchmark::State& state) {
  const Folder folder(state.range(0));
  const auto store = SqliteStore::Open(folder.File()).value();
  const std::int64_t outstanding = state.range(1);
  Stream stream(10);  // a batch from a stream
  std::atomic<std::int64_t> on_the_way = 0;
  Journal journal(*store);
  for (auto _ : state) {
    for (std::int64_t now = on_the_way; now >= outstanding; now = on_the_way) on_the_way.wait(now);
    on_the_way += 10;
    journal.Append(stream.Live(), [&] {
      on_the_way -= 10;
      on_the_way.notify_one();
    });
  }
  journal.Stop(std::chrono::hours(1));
  state.SetItemsProcessed(state.iterations() * 10);
  const JournalStats stats = journal.Stats();
  state.counters["records_per_commit"] =
      static_cast<double>(stats.records) / static_cast<double>(stats.commits);
  state.counters["commit_p50_ms"] = ToSeconds(*stats.commit_time.Quantile(0.5)) * 1e3;
  state.counters["commit_p99_ms"] = ToSeconds(*stats.commit_time.Quantile(0.99)) * 1e3;
}

/// For comparison: how long the disk takes to append one block and sync it.
void BareSync(benchmark::State& state) {
  const Folder folder(state.range(0));
  const int fd = open(folder.File().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::array<char, 4096> block{};
  for (auto _ : state) {
    if (write(fd, block.data(), block.size()) != 4096 || fdatasync(fd) != 0) {
      state.SkipWithError("cannot write");
    }
  }
  close(fd);
}

/// The start of a frontend with a million waiting jobs.
void Load(benchmark::State& state) {
  constexpr std::int64_t kGroup = 5000;
  const Folder folder(state.range(0));
  const auto store = SqliteStore::Open(folder.File()).value();
  Stream stream(kGroup);
  for (std::int64_t i = 0; i < state.range(1) / kGroup; ++i) {
    Commit(state, *store, stream.Accept());
  }
  for (auto _ : state) {
    std::int64_t jobs = 0;
    if (!store->Load([&](const StoredJob&) { ++jobs; }).ok() || jobs != state.range(1)) {
      state.SkipWithError("not all loaded");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

const std::vector<std::string> kNames = {"disk", "jobs"};

BENCHMARK(BareSync)->ArgName("disk")->Arg(kDisk)->UseRealTime();
BENCHMARK(Accept)
    ->ArgNames(kNames)
    ->ArgsProduct({{kMemory, kDisk}, {1, 100, 1000, 5000}})
    ->UseRealTime();
BENCHMARK(WholeLife)
    ->ArgNames(kNames)
    ->ArgsProduct({{kMemory, kDisk}, {1, 33, 333, 1667}})
    ->UseRealTime();
BENCHMARK(WholeLifeAndForget)
    ->ArgNames(kNames)
    ->Args({kDisk, 333})
    ->Args({kDisk, 1667})
    ->UseRealTime();
BENCHMARK(JournalWholeLife)
    ->ArgNames(kNames)
    ->ArgsProduct({{kDisk}, {10, 1000, 10'000}})
    ->UseRealTime();
const bool kHasPostgres = [] {
  if (!PostgresSchema::IsThere()) return false;
  for (auto* const function : {PostgresAccept, PostgresWholeLife}) {
    const char* const name = function == PostgresAccept ? "PostgresAccept" : "PostgresWholeLife";
    benchmark::RegisterBenchmark(name, function)
        ->ArgName("jobs")
        ->ArgsProduct({{1, 100, 1000, 5000}})
        ->UseRealTime();
  }
  return true;
}();
BENCHMARK(Load)->ArgNames(kNames)->Args({kMemory, 1'000'000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace twofold::results
