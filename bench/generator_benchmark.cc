#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "bench/rounds.h"
#include "lib/load/engine/generator.h"
#include "lib/rpc/batches.h"

namespace twofold::load {
namespace {

/// Packs jobs as the session does, and forgets them.
class PackingSink final : public JobSink {
 public:
  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate*) override {
    for (const LoadLoop::Tag tag : tags) {
      rpc::Append(request, {.tag = tag, .spec = spec});
    }
  }
  void Flush() override {}

  v1::SubmitRequest request;
  std::string spec = std::string(100, 'x');
};

/// One job's way through the client: its answer is counted and measured, the next one is packed.
void RoundTrip(benchmark::State& state) {
  const auto batch_size = static_cast<std::uint32_t>(state.range(0));
  Generator generator("sleep", "nowhere", Now());
  const auto sink = std::make_shared<PackingSink>();
  generator.Connected(sink);
  generator.SetParallelism(batch_size);
  v1::SubmitReply reply;
  for (auto _ : state) {
    reply.Clear();
    v1::ResultBatch& batch = *reply.mutable_results();
    for (const std::uint64_t tag : sink->request.tags()) {
      const std::uint32_t worker = rpc::WorkerIndex(batch, "node-1", "pod-1", "");
      rpc::Append(batch,
                  {.tag = tag, .wait_ns = 1000, .run_ns = 20, .worker = worker, .report = {}});
    }
    sink->request.Clear();
    generator.OnReply(reply);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(RoundTrip)->Apply(CountedRounds)->Arg(1)->Arg(64)->Arg(1024)->Arg(100'000);

/// The same in an open loop of a million jobs a second: whatever is due by then, and its answers.
void OpenLoop(benchmark::State& state) {
  Generator generator("sleep", "nowhere", Now());
  const auto sink = std::make_shared<PackingSink>();
  generator.Connected(sink);
  const auto arrivals = state.range(0) == 0 ? Arrivals::kConstant : Arrivals::kPoisson;
  const Status set = generator.SetProfile(
      std::make_shared<const Profile>(RateProfile(1e6, arrivals, kForever, 1)));
  if (!set.ok()) return state.SkipWithError("the profile is refused");
  std::int64_t jobs = 0;
  v1::SubmitReply reply;
  for (auto _ : state) {
    reply.Clear();
    v1::ResultBatch& batch = *reply.mutable_results();
    for (const std::uint64_t tag : sink->request.tags()) {
      const std::uint32_t worker = rpc::WorkerIndex(batch, "node-1", "pod-1", "");
      rpc::Append(batch,
                  {.tag = tag, .wait_ns = 1000, .run_ns = 20, .worker = worker, .report = {}});
    }
    jobs += sink->request.tags_size();
    sink->request.Clear();
    generator.OnReply(reply);
  }
  state.SetItemsProcessed(jobs);
}
BENCHMARK(OpenLoop)->Arg(0)->Arg(1);

/// What a page costs.
void Look(benchmark::State& state) {
  Generator generator("sleep", "nowhere", Now());
  generator.Connected(std::make_shared<PackingSink>());
  generator.SetParallelism(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(generator.Look());
}
BENCHMARK(Look)->Arg(16)->Arg(100'000);

}  // namespace
}  // namespace twofold::load
