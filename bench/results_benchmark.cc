// A sweep of benchmarks in the store, 30 measurements a job, 3 of them headlines: what it costs to
// take a result out of its report, to write the jobs of a run, and to read its results. "Disk" and
// "memory" are as in store_benchmark.cc. One item is a job.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/postgres_schema.h"
#include "bench/sweep/result.h"
#include "lib/results/report_reader.h"
#include "lib/results/run_reader.h"
#include "lib/results/sqlite_store.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::results {
namespace {

constexpr JobId kGroup = 500;  // jobs a commit

enum Place : std::int64_t { kMemory, kDisk };

/// A folder for the benchmark's files; its destructor removes it.
class Folder {
 public:
  explicit Folder(std::int64_t place) {
    const char* const chosen = getenv("TWOFOLD_BENCH_DIR");
    const std::string disk = chosen != nullptr ? chosen : ".";
    path_ =
        (place == kMemory ? "/dev/shm" : disk) + "/results-benchmark-" + std::to_string(getpid());
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string File() const { return path_ + "/jobs.db"; }
  [[nodiscard]] double Bytes() const {
    return static_cast<double>(std::filesystem::file_size(File()));
  }

 private:
  std::string path_;
};

JobAccepted Accepted(JobId id, JobId permutations) {
  JobAccepted job{.id = id,
                  .queue = "iperf",
                  .run = "sweep",
                  .place = {},
                  .suite = "iperf",
                  .options = std::string(60, 'o'),
                  .spec = std::string(100, 's'),
                  .accepted_unix_ns = static_cast<std::int64_t>(id)};
  job.place.set_number(id);
  job.place.set_permutation(id % permutations + 1);
  job.place.set_repetition(static_cast<std::uint32_t>(id / permutations + 1));
  job.place.set_name("sweep-" + std::to_string(id));
  return job;
}

/// Latency by message size, as osu_latency has it for 22 sizes.
void AddSeries(JobId id, std::int64_t rows, v1::BenchmarkResult& result) {
  if (rows == 0) return;
  v1::Series& series = *result.add_series();
  series.set_name("osu_latency");
  for (const auto& [name, better] :
       {std::pair("size", v1::BETTER_NONE), std::pair("latency", v1::BETTER_LOWER),
        std::pair("bandwidth", v1::BETTER_HIGHER)}) {
    v1::Column& column = *series.add_columns();
    column.set_name(name);
    column.set_better(better);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const double size = static_cast<double>(std::int64_t{1} << row);
    const double latency = 1.8 + static_cast<double>(id % 100) / 100.0 + size / 1000.0;
    for (const double value : {size, latency, size / latency}) series.add_values(value);
  }
}

JobEnded Ended(JobId id, std::int64_t rows = 0) {
  v1::BenchmarkResult result = SweepResult(id);
  AddSeries(id, rows, result);
  return {.job = id,
          .attempts = 1,
          .node = "node-17",
          .pod = "backend-iperf-5d4f-abcde",
          .report = std::string(20, 'r'),
          .ended_unix_ns = static_cast<std::int64_t>(id),
          .benchmark = SharedBenchmark::Parse(result.SerializeAsString())};
}

RunCreated Created(JobId permutations) {
  RunCreated created;
  created.run.set_id("sweep");
  created.run.set_kind("IPerf");
  created.run.set_definition("kind: BenchmarkSet\n");
  for (JobId p = 1; p <= permutations; ++p) {
    v1::Permutation& added = created.permutations.emplace_back();
    added.set_number(p);
    added.set_varied(R"({"streams":)" + std::to_string(p) + "}");
  }
  return created;
}

/// Accepts and ends all jobs of the run, each in a commit of its own beside those of others.
bool WriteAll(Store& store, JobId jobs, JobId permutations, benchmark::State* state,
              std::int64_t rows = 0) {
  bool ok = store.Commit(std::vector<Record>{Created(permutations)}).ok();
  for (JobId first = 0; first < jobs + kGroup; first += kGroup) {
    if (state != nullptr) state->PauseTiming();
    std::vector<Record> records;
    for (JobId i = first; i < first + kGroup; ++i) {
      if (i < jobs) records.emplace_back(Accepted(i + 1, permutations));
      if (i >= kGroup && i - kGroup < jobs) records.emplace_back(Ended(i - kGroup + 1, rows));
    }
    if (state != nullptr) state->ResumeTiming();
    ok = ok && store.Commit(records).ok();
  }
  return ok;
}

/// What the journal's thread does before it commits: parses a report, checks it, serializes what is
/// left of it.
void TakeReport(benchmark::State& state) {
  v1::Report report;
  report.set_output(std::string(400, 'o'));
  report.set_data(SweepResult(1).SerializeAsString());
  JobEnded ended = Ended(1);
  ended.benchmark = {};
  ended.report = report.SerializeAsString();
  ReportReader reader;
  for (auto _ : state) {
    Record record = ended;
    reader.Read(record);
    benchmark::DoNotOptimize(record);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["message_bytes"] = static_cast<double>(report.data().size());
}

void WriteSweep(benchmark::State& state) {
  const auto jobs = static_cast<JobId>(state.range(1));
  double bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder(state.range(0));
    auto store = SqliteStore::Open(folder.File()).value();
    state.ResumeTiming();
    if (!WriteAll(*store, jobs, jobs / 10, &state)) state.SkipWithError("cannot write");
    state.PauseTiming();
    store.reset();
    bytes = folder.Bytes();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
  state.counters["file_bytes_per_job"] = bytes / static_cast<double>(jobs);
}

void PostgresWriteSweep(benchmark::State& state) {
  const auto jobs = static_cast<JobId>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    const PostgresSchema schema;
    const auto store = schema.Open();
    state.ResumeTiming();
    if (!WriteAll(*store, jobs, jobs / 10, &state)) state.SkipWithError("cannot write");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// All that `twofold results` asks for; with `series` what `twofold results --series` does.
void ReadAll(const RunReader& reader, benchmark::State& state, JobId jobs, bool series = false) {
  for (auto _ : state) {
    const std::int64_t run = *reader.NumberOf("sweep");
    const Overlaps overlaps = reader.FindOverlaps(run).value();
    std::uint64_t succeeded = 0;
    std::uint64_t from = 0;
    for (;;) {
      const auto page = reader.Results(run, from, overlaps, series).value();
      if (page.empty()) break;
      for (const v1::PermutationResult& each : page) succeeded += each.succeeded();
      from = page.back().number() + 1;
    }
    if (succeeded != jobs) state.SkipWithError("not all read");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(jobs));
}

/// So many jobs in so many permutations, each with a series of so many rows.
void ReadSweep(benchmark::State& state) {
  const Folder folder(state.range(0));
  const auto jobs = static_cast<JobId>(state.range(1));
  const auto store = SqliteStore::Open(folder.File()).value();
  if (!WriteAll(*store, jobs, static_cast<JobId>(state.range(2)), nullptr, state.range(3))) {
    state.SkipWithError("cannot write");
  }
  ReadAll(*RunReader::Open(folder.File()).value(), state, jobs, state.range(3) > 0);
}

void PostgresReadSweep(benchmark::State& state) {
  const PostgresSchema schema;
  const auto jobs = static_cast<JobId>(state.range(0));
  if (!WriteAll(*schema.Open(), jobs, static_cast<JobId>(state.range(1)), nullptr)) {
    state.SkipWithError("cannot write");
  }
  ReadAll(*RunReader::Open(schema.target()), state, jobs);
}

BENCHMARK(TakeReport);
BENCHMARK(WriteSweep)
    ->ArgNames({"disk", "jobs"})
    ->ArgsProduct({{kMemory, kDisk}, {100'000}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
const bool kHasPostgres = [] {
  if (!PostgresSchema::IsThere()) return false;
  benchmark::RegisterBenchmark("PostgresWriteSweep", PostgresWriteSweep)
      ->ArgName("jobs")
      ->Arg(20'000)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark("PostgresReadSweep", PostgresReadSweep)
      ->ArgNames({"jobs", "permutations"})
      ->Args({20'000, 200})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  return true;
}();
BENCHMARK(ReadSweep)
    ->ArgNames({"disk", "jobs", "permutations", "rows"})
    ->Args({kMemory, 100'000, 1'000, 0})
    ->Args({kMemory, 100'000, 100'000, 0})
    ->Args({kMemory, 100'000, 1'000, 22})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace twofold::results
