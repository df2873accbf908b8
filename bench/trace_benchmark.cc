// What tracing costs the queue core: the whole life of a job (submitted, handed out, completed)
// without a trace, with a trace that is thrown away, and with a trace in a file.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "lib/trace/queue_recorder.h"
#include "lib/trace/trace_writer.h"

namespace twofold::queue::trace {
namespace {

constexpr std::size_t kSpecBytes = 100;

/// The only worker: remembers the job that it was given last.
class Worker : public NoEffects {
 public:
  void Do(const Assign& assign) override { last = {assign.job, assign.attempt}; }
  void Do(const Reply& reply) override { benchmark::DoNotOptimize(reply.tag); }
  using NoEffects::Do;

  Held last{};
};

/// Counts the bytes that would go to a file.
class Counter : public RecordSink {
 public:
  void Add(std::string_view body) override {
    file_.clear();
    AppendRecord(file_, body);
    bytes += file_.size();
  }
  [[nodiscard]] bool open() const override { return true; }

  std::uint64_t bytes = 0;

 private:
  std::string file_;
};

void RunJobs(benchmark::State& state, RecordedQueue& queue) {
  const auto options = std::make_shared<const JobOptions>();
  const std::string spec(kSpecBytes, 'x');
  Worker worker;
  Instant now{};
  std::uint64_t tag = 0;
  const ProcessId process = queue.Step(now, input::WorkerJoined{.key = ProcessKey{1}}, worker);
  for (auto _ : state) {
    now += std::chrono::nanoseconds(200);
    queue.Step(now, input::Submit{SubmitterId{1}, ++tag, options, spec}, worker);
    queue.Step(now,
               input::Completed{process, {.job = worker.last.job, .attempt = worker.last.attempt}},
               worker);
  }
  state.SetItemsProcessed(state.iterations());
}

void JobUntraced(benchmark::State& state) {
  RecordedQueue queue({});
  RunJobs(state, queue);
}
BENCHMARK(JobUntraced);

void JobEncoded(benchmark::State& state) {
  Counter counter;
  RecordedQueue queue({}, std::make_unique<QueueRecorder>(counter, 0, "bench", QueueOptions()));
  RunJobs(state, queue);
  state.counters["bytes_per_job"] =
      static_cast<double>(counter.bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(JobEncoded);

void JobTracedToFile(benchmark::State& state) {
  const std::string path = std::filesystem::temp_directory_path() / "twofold_trace_benchmark";
  {
    auto writer = TraceWriter::Open(path);
    if (!writer.ok()) return state.SkipWithError(std::string(writer.status().message()).c_str());
    RecordedQueue queue({}, (*writer)->Record("bench", {}));
    RunJobs(state, queue);
    if (!(*writer)->open()) state.SkipWithError("the disk was too slow");
  }
  std::remove(path.c_str());
  std::remove((path + ".old").c_str());
}
BENCHMARK(JobTracedToFile)->UseRealTime();

}  // namespace
}  // namespace twofold::queue::trace
