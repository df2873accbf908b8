// What the queue core costs by itself: one thread, no I/O. One item is the whole life of a job:
// submitted, handed out, completed, while so many others wait.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/queue/queue.h"

namespace twofold::queue {
namespace {

constexpr std::size_t kSpecBytes = 100;
constexpr SubmitterId kSubmitter{1};

/// Plays all workers: remembers what was handed out and picks one at random to be done next, so
/// that memory is used out of order as it would be.
class Workers : public Effects {
 public:
  struct Task {
    ProcessId process;
    JobId job;
    Attempt attempt;
  };

  void Do(const Assign& assign) override {
    benchmark::DoNotOptimize(assign.spec.data());
    tasks_.push_back({assign.process, assign.job, assign.attempt});
  }
  void Do(const Go&) override {}
  void Do(const CancelOnWorker&) override {}
  void Do(const Requeued&) override {}
  void Do(const Reply& reply) override { benchmark::DoNotOptimize(reply.tag); }
  void Do(const ProcessRemoved&) override {}

  Task Next() {
    std::swap(tasks_[random_() % tasks_.size()], tasks_.back());
    const Task task = tasks_.back();
    tasks_.pop_back();
    return task;
  }

 private:
  std::vector<Task> tasks_;
  std::minstd_rand random_;
};

/// A queue in which each of `processes` processes runs one job and `waiting` jobs wait.
class BusyQueue {
 public:
  BusyQueue(std::size_t waiting, std::size_t processes) : queue_({}) {
    for (std::size_t i = 0; i < processes; ++i) {
      queue_.WorkerJoined(now_, {.key = ProcessKey{i + 1}}, workers_);
      Submit();
    }
    const std::size_t before = HeapBytes();
    for (std::size_t i = 0; i < waiting; ++i) Submit();
    bytes_per_job_ = static_cast<double>(HeapBytes() - before) / static_cast<double>(waiting);
  }

  void Submit() { queue_.Submit(now_, kSubmitter, ++tag_, options_, spec_, workers_); }

  void Complete() {
    now_ += std::chrono::nanoseconds(200);
    const Workers::Task task = workers_.Next();
    queue_.Completed(now_, task.process, {.job = task.job, .attempt = task.attempt}, workers_);
  }

  /// Beside the spec, with the allocator's share.
  [[nodiscard]] double bookkeeping_per_job() const { return bytes_per_job_ - kSpecBytes; }

 private:
  static std::size_t HeapBytes() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  const std::shared_ptr<const JobOptions> options_ = std::make_shared<JobOptions>();
  const std::string spec_ = std::string(kSpecBytes, 'x');
  Workers workers_;
  Queue queue_;
  Instant now_{};
  std::uint64_t tag_ = 0;
  double bytes_per_job_ = 0;
};

void SubmitAssignComplete(benchmark::State& state) {
  BusyQueue queue(static_cast<std::size_t>(state.range(0)),
                  static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    queue.Submit();
    queue.Complete();
  }
  state.SetItemsProcessed(state.iterations());
  // With few jobs a page of the table, not they, would be measured.
  if (state.range(0) >= 1'000'000) {
    state.counters["bookkeeping_bytes_per_job"] = queue.bookkeeping_per_job();
  }
}
BENCHMARK(SubmitAssignComplete)
    ->ArgNames({"waiting", "processes"})
    ->ArgsProduct({{1, 1'000, 1'000'000}, {1, 10, 10'000}});

}  // namespace
}  // namespace twofold::queue
