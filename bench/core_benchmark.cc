// What the queue core costs by itself: one thread, no I/O. One item is the whole life of a job
// (submitted, handed out, completed) while a given number of others wait.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/rounds.h"
#include "lib/queue/queue.h"

namespace twofold::queue {
namespace {

constexpr std::size_t kSpecBytes = 100;
constexpr SubmitterId kSubmitter{1};

/// Plays all workers: remembers the jobs that were handed out and completes one at random, so that
/// memory is touched out of order, as in a real queue.
class Workers : public NoEffects {
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
  void Do(const Reply& reply) override { benchmark::DoNotOptimize(reply.tag); }
  using NoEffects::Do;

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
  /// The jobs are of these kinds in turn.
  BusyQueue(std::size_t waiting, std::size_t processes, std::vector<JobOptions> kinds = {{}})
      : queue_({}) {
    for (JobOptions& kind : kinds) {
      kinds_.push_back(std::make_shared<const JobOptions>(std::move(kind)));
    }
    for (std::size_t i = 0; i < processes; ++i) {
      queue_.Step(now_, input::WorkerJoined{.key = ProcessKey{i + 1}}, workers_);
      Submit();
    }
    const std::size_t before = HeapBytes();
    for (std::size_t i = 0; i < waiting; ++i) Submit();
    bytes_per_job_ = static_cast<double>(HeapBytes() - before) / static_cast<double>(waiting);
  }

  void Submit() {
    ++tag_;
    queue_.Step(now_, input::Submit{kSubmitter, tag_, kinds_[tag_ % kinds_.size()], spec_},
                workers_);
  }

  void Complete() {
    now_ += std::chrono::nanoseconds(200);
    const Workers::Task task = workers_.Next();
    queue_.Step(now_, input::Completed{task.process, {.job = task.job, .attempt = task.attempt}},
                workers_);
  }

  /// Bytes a job beside its spec, the allocator's overhead included.
  [[nodiscard]] double bookkeeping_per_job() const { return bytes_per_job_ - kSpecBytes; }

 private:
  static std::size_t HeapBytes() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  std::vector<std::shared_ptr<const JobOptions>> kinds_;
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
  // With few jobs the size of a page would be measured, not that of jobs.
  if (state.range(0) >= 1'000'000) {
    state.counters["bookkeeping_bytes_per_job"] = queue.bookkeeping_per_job();
  }
}
BENCHMARK(SubmitAssignComplete)
    ->Apply(CountedRounds)
    ->ArgNames({"waiting", "processes"})
    ->ArgsProduct({{1, 1'000, 1'000'000}, {10, 1'000, 10'000}});

// ---- What options add to the life of a job, while 1000 wait for 10 processes

void RunKinds(benchmark::State& state, const std::vector<JobOptions>& kinds) {
  BusyQueue queue(1'000, 10, kinds);
  for (auto _ : state) {
    queue.Submit();
    queue.Complete();
  }
  state.SetItemsProcessed(state.iterations());
}

/// Kinds of jobs, each with a key of its own.
std::vector<JobOptions> WithKeys(std::size_t keys, std::string JobOptions::*key) {
  std::vector<JobOptions> kinds(keys);
  for (std::size_t i = 0; i < keys; ++i) kinds[i].*key = "key " + std::to_string(i);
  return kinds;
}

void FairKeys(benchmark::State& state) {
  RunKinds(state, WithKeys(static_cast<std::size_t>(state.range(0)), &JobOptions::fair_key));
}
BENCHMARK(FairKeys)->ArgName("keys")->Arg(10)->Arg(1'000);

void LimitKeys(benchmark::State& state) {
  RunKinds(state, WithKeys(static_cast<std::size_t>(state.range(0)), &JobOptions::limit_key));
}
BENCHMARK(LimitKeys)->ArgName("keys")->Arg(20)->Arg(1'000);

void DedupKeys(benchmark::State& state) {
  // More keys than jobs, so that each job is a new one.
  RunKinds(state, WithKeys(10'000, &JobOptions::dedup_key));
}
BENCHMARK(DedupKeys);

void Deadlines(benchmark::State& state) { RunKinds(state, {{.deadline = std::chrono::hours(1)}}); }
BENCHMARK(Deadlines);

void DurableJobs(benchmark::State& state) { RunKinds(state, {{.durable = true}}); }
BENCHMARK(DurableJobs);

/// Each job is for one of many nodes, which have one process each. The process of that node has
/// just had a job, so it is the last of the idle ones to be looked at.
void Placements(benchmark::State& state) {
  const auto nodes = static_cast<std::uint64_t>(state.range(0));
  Workers workers;
  Queue queue({});
  Instant now{};
  for (std::uint64_t i = 1; i <= nodes; ++i) {
    const std::string node = "node-" + std::to_string(i);
    queue.Step(now, input::WorkerJoined{.key = ProcessKey{i}, .node = node}, workers);
  }
  const auto options = std::make_shared<const JobOptions>(JobOptions{.placement = "node node-1\n"});
  std::uint64_t tag = 0;
  for (auto _ : state) {
    now += std::chrono::microseconds(1);
    queue.Step(now, input::Submit{kSubmitter, ++tag, options, ""}, workers);
    const Workers::Task task = workers.Next();
    queue.Step(now, input::Completed{task.process, {.job = task.job, .attempt = task.attempt}},
               workers);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Placements)->ArgName("nodes")->Arg(10)->Arg(1'000);

/// Plain jobs for ten processes, while many jobs wait for a process that stays busy, each with a
/// placement of its own.
void PlacedBehindABusyProcess(benchmark::State& state) {
  Workers workers;
  Queue queue({});
  Instant now{};
  const auto submit = [&](std::string placement) {
    now += std::chrono::microseconds(1);
    const JobOptions options{.placement = std::move(placement)};
    queue.Step(now, input::Submit{kSubmitter, 1, std::make_shared<const JobOptions>(options), ""},
               workers);
  };
  queue.Step(now, input::WorkerJoined{.key = ProcessKey{1}, .node = "busy"}, workers);
  submit("node busy\n");
  workers.Next();
  for (std::uint64_t i = 2; i <= 11; ++i) {
    queue.Step(now, input::WorkerJoined{.key = ProcessKey{i}, .node = "node-" + std::to_string(i)},
               workers);
  }
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    submit("node busy\nnode away-" + std::to_string(i) + "\n");
  }
  for (auto _ : state) {
    submit("");
    const Workers::Task task = workers.Next();
    queue.Step(now, input::Completed{task.process, {.job = task.job, .attempt = task.attempt}},
               workers);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(PlacedBehindABusyProcess)->ArgName("waiting")->Arg(0)->Arg(1'000)->Arg(75'000);

/// Many jobs are delayed; each item adds one, and runs one that has become due.
void DelayedJobs(benchmark::State& state) {
  constexpr auto kStep = std::chrono::microseconds(1);
  const auto waiting = state.range(0);
  Workers workers;
  Queue queue({});
  Instant now{};
  JobOptions options;
  options.delay = waiting * kStep;
  const auto delayed = std::make_shared<const JobOptions>(options);
  queue.Step(now, input::WorkerJoined{.key = ProcessKey{1}}, workers);
  std::uint64_t tag = 0;
  const auto submit = [&] {
    now += kStep;
    queue.Step(now, input::Submit{kSubmitter, ++tag, delayed, ""}, workers);
  };
  for (std::int64_t i = 0; i < waiting; ++i) submit();
  for (auto _ : state) {
    submit();
    queue.Step(now, input::Tick{}, workers);
    const Workers::Task task = workers.Next();
    queue.Step(now, input::Completed{task.process, {.job = task.job, .attempt = task.attempt}},
               workers);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DelayedJobs)->ArgName("waiting")->Arg(1'000)->Arg(1'000'000);

/// Remembers the members of the gang that runs.
class Members : public NoEffects {
 public:
  void Do(const Assign& assign) override {
    members.push_back({assign.process, {assign.job, assign.attempt}});
  }
  void Do(const Go& go) override { benchmark::DoNotOptimize(go.job); }
  void Do(const Reply& reply) override { benchmark::DoNotOptimize(reply.tag); }
  using NoEffects::Do;

  std::vector<std::pair<ProcessId, Held>> members;
};

/// The whole life of a gang: submitted, assigned, ready, go, and each member's end, rank 0 last.
void GangsLife(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  Members effects;
  Queue queue({});
  Instant now{};
  for (std::uint64_t key = 1; key <= size; ++key) {
    const std::string node = "node " + std::to_string(key);
    queue.Step(now, input::WorkerJoined{.key = ProcessKey{key}, .node = node}, effects);
  }
  const auto options = std::make_shared<const JobOptions>(JobOptions{
      .gang = {.size = size, .spread = state.range(1) == 1 ? Spread::kNode : Spread::kAny}});
  for (auto _ : state) {
    now += std::chrono::microseconds(1);
    effects.members.clear();
    queue.Step(now, input::Submit{kSubmitter, 1, options, ""}, effects);
    for (const auto& [process, held] : effects.members) {
      queue.Step(now, input::MemberReady{process, held}, effects);
    }
    for (auto member = effects.members.rbegin(); member != effects.members.rend(); ++member) {
      const auto& [process, held] = *member;
      queue.Step(now, input::Completed{process, {.job = held.job, .attempt = held.attempt}},
                 effects);
    }
  }
  state.SetItemsProcessed(state.iterations() * size);
}
BENCHMARK(GangsLife)->ArgNames({"size", "distinct_nodes"})->ArgsProduct({{2, 16, 256}, {0, 1}});

/// One step in which the turn comes of very many jobs of one placement, none of which has a worker.
void WidePlacement(benchmark::State& state) {
  std::string placement;
  for (std::int64_t node = 0; node < state.range(0); ++node) {
    placement += "node " + std::to_string(node) + "\n";
  }
  const auto options = std::make_shared<const JobOptions>(JobOptions{.placement = placement});
  for (auto _ : state) {
    state.PauseTiming();
    Workers workers;
    auto queue = std::make_unique<Queue>(QueueOptions{});
    const Instant now{};
    queue->Step(now, input::WorkerJoined{.key = ProcessKey{1}, .node = "elsewhere"}, workers);
    queue->Step(now, input::Pause{}, workers);
    for (std::int64_t job = 0; job < state.range(1); ++job) {
      queue->Step(now, input::Submit{kSubmitter, static_cast<std::uint64_t>(job), options, ""},
                  workers);
    }
    state.ResumeTiming();
    queue->Step(now, input::Resume{}, workers);
    state.PauseTiming();
    queue.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(WidePlacement)->ArgNames({"nodes", "jobs"})->Args({1, 30'000})->Args({4'600, 30'000});

// ---- Whether those who look at a queue slow it down

/// What is asked of a queue each second: metrics, what a run's jobs do, why a job waits. Each is a
/// question of its own, as the frontend lets go of the lock between them.
class Onlookers {
 public:
  explicit Onlookers(const Queue& queue) : queue_(queue) {}

  void Look(Instant now, JobId job) const {
    benchmark::DoNotOptimize(queue_.Stats().waiting);
    benchmark::DoNotOptimize(queue_.Explain(now, job));
    for (int poll = 0; poll < 2; ++poll) {
      std::uint32_t from = 0;
      do {
        const JobPage page{.from = from, .limit = 1000, .run = "run 1"};
        from = queue_.List(now, page,
                           [](const JobView& view) { benchmark::DoNotOptimize(view.spec_size); });
      } while (from != 0);
    }
  }

 private:
  const Queue& queue_;
};

/// A million jobs wait for 10 000 processes on as many nodes in 500 racks: one in ten is for a rack
/// or for a node, one in a hundred belongs to a run.
class CrowdedQueue {
 public:
  static constexpr std::uint64_t kProcesses = 10'000;
  static constexpr std::uint64_t kRacks = 500;
  static constexpr std::uint64_t kWaiting = 1'000'000;

  CrowdedQueue() : queue_({}) {
    for (std::uint64_t i = 0; i < kRacks; ++i) {
      AddPlace("label rack=" + std::to_string(i) + "\n");
      AddPlace("node node-" + std::to_string(i) + "\n");
    }
    for (std::uint64_t i = 0; i < kProcesses; ++i) {
      const std::string node = "node-" + std::to_string(i);
      const std::string labels = "rack=" + std::to_string(i % kRacks) + "\n";
      queue_.Step(now_,
                  input::WorkerJoined{.key = ProcessKey{i + 1}, .node = node, .labels = labels},
                  workers_);
      Submit();
    }
    for (std::uint64_t i = 0; i < kWaiting; ++i) Submit();
  }

  /// Runs jobs for the given time, and returns how many a second.
  double RunFor(std::chrono::milliseconds duration, bool watched) {
    const auto begin = std::chrono::steady_clock::now();
    const auto end = begin + duration;
    if (watched) Onlookers(queue_).Look(now_, last_);
    std::uint64_t jobs = 0;
    auto ended = begin;
    for (; ended < end; ended = std::chrono::steady_clock::now()) {
      for (int i = 0; i < 1000; ++i, ++jobs) RunOne();
    }
    return static_cast<double>(jobs) / std::chrono::duration<double>(ended - begin).count();
  }

 private:
  void AddPlace(std::string placement) {
    places_.push_back(std::make_shared<const JobOptions>(JobOptions{.placement = placement}));
  }

  void Submit() {
    ++tag_;
    const auto& options = tag_ % 100 == 0  ? of_run_
                          : tag_ % 10 == 0 ? places_[tag_ / 10 % places_.size()]
                                           : plain_;
    last_ = queue_.Step(now_, input::Submit{kSubmitter, tag_, options, "spec"}, workers_).job;
  }

  void RunOne() {
    now_ += std::chrono::microseconds(1);
    Submit();
    const Workers::Task task = workers_.Next();
    queue_.Step(now_, input::Completed{task.process, {.job = task.job, .attempt = task.attempt}},
                workers_);
  }

  std::vector<std::shared_ptr<const JobOptions>> places_;
  const std::shared_ptr<const JobOptions> plain_ = std::make_shared<const JobOptions>();
  const std::shared_ptr<const JobOptions> of_run_ =
      std::make_shared<const JobOptions>(JobOptions{.run = "run 1"});
  Workers workers_;
  Queue queue_;
  Instant now_{};
  JobId last_{};
  std::uint64_t tag_ = 0;
};

/// Seconds with and without onlookers take turns, so that a busy machine slows both alike. The
/// counter is the median of the ratios of two neighbours, which should be 0.95 at least.
void Watched(benchmark::State& state) {
  constexpr auto kSlice = std::chrono::seconds(1);
  CrowdedQueue queue;
  queue.RunFor(kSlice, false);
  std::vector<double> ratios;
  double quiet = 0;
  for (auto _ : state) {
    quiet = queue.RunFor(kSlice, false);
    ratios.push_back(queue.RunFor(kSlice, true) / quiet);
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["watched_to_quiet"] = ratios[ratios.size() / 2];
  state.counters["quiet_jobs_per_second"] = quiet;
}
BENCHMARK(Watched)->Iterations(9)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace twofold::queue
