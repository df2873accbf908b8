// One job's way through the frontend, without the network: a client's message is read and parsed,
// its jobs pass the queue, a worker's results come back, and the reply is serialized.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/rounds.h"
#include "frontend/queues/queue_set.h"
#include "frontend/streams/client_session.h"
#include "frontend/streams/worker_session.h"
#include "lib/rpc/batches.h"
#include "tests/fuzz/fake_call.h"

namespace twofold::frontend {
namespace {

using fuzz::FakeCall;

constexpr std::uint32_t kSlots = 100'000;

std::string Batch(int jobs) {
  v1::SubmitRequest request;
  request.add_options()->set_queue("bench");
  const std::string spec(100, 'x');
  for (int i = 0; i < jobs; ++i) {
    rpc::Append(request, {.tag = static_cast<std::uint64_t>(i), .spec = spec});
  }
  return request.SerializeAsString();
}

std::string Hello(std::uint64_t process) {
  v1::WorkerMessage message;
  message.mutable_hello()->set_queue("bench");
  message.mutable_hello()->set_process_key(process);
  message.mutable_hello()->set_node("node");
  message.mutable_hello()->set_pod("worker-" + std::to_string(process));
  message.mutable_hello()->set_slots(kSlots);
  return message.SerializeAsString();
}

/// Answers each job with its specification, at once.
class Worker {
 public:
  /// `tells`: each message says what the worker uses, which is far more often than workers do.
  Worker(QueueSet& queues, std::uint64_t process, bool tells)
      : session_(std::make_shared<WorkerSession>(queues)), tells_(tells) {
    call_ = std::make_unique<FakeCall>(session_, [this](std::string_view bytes) { Take(bytes); });
    call_->Receive(Hello(process));
    call_->Settle();
  }

  /// Takes what it was given, and answers.
  void Work() {
    call_->Settle();
    if (results_.results().jobs().empty()) return;
    if (tells_) Tell();
    call_->Receive(results_.SerializeAsString());
    results_.Clear();
  }

 private:
  void Tell() {
    v1::Usage& usage = *results_.mutable_usage();
    usage.set_cpu_ns(++used_ * 1'000'000);
    usage.set_throttled_ns(used_ * 1000);
    usage.set_cpu_quota(0.5);
    usage.set_uptime_ns(used_ * 2'000'000);
  }

  void Take(std::string_view bytes) {
    message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    rpc::ForEach(message_.assigns(), [this](const rpc::AssignRow& row) {
      rpc::Append(*results_.mutable_results(), {.job = row.job,
                                                .attempt = row.attempt,
                                                .run_ns = 1000,
                                                .device = {},
                                                .report = row.spec});
    });
  }

  std::shared_ptr<WorkerSession> session_;
  std::unique_ptr<FakeCall> call_;
  v1::FrontendMessage message_;
  v1::WorkerMessage results_;
  bool tells_;
  std::uint64_t used_ = 0;
};

/// Streams: so many clients and as many workers. Jobs: in a client's message. Usage: 1 if workers
/// say what they use with each message.
void RoundTrip(benchmark::State& state) {
  const auto streams = static_cast<std::size_t>(state.range(0));
  const std::string batch = Batch(static_cast<int>(state.range(1)));
  QueueSet queues({{.name = "bench"}}, {}, 1, nullptr);
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<FakeCall>> clients;
  for (std::uint64_t i = 1; i <= streams; ++i) {
    workers.push_back(std::make_unique<Worker>(queues, i, state.range(2) != 0));
    const auto client = std::make_shared<ClientSession>(queues, queue::SubmitterId{i});
    clients.push_back(std::make_unique<FakeCall>(client, [](std::string_view) {}));
  }
  for (auto _ : state) {
    for (const auto& client : clients) client->Receive(batch);
    for (const auto& worker : workers) worker->Work();
    for (const auto& client : clients) client->Settle();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}
BENCHMARK(RoundTrip)
    ->Apply(CountedRounds)
    ->ArgNames({"streams", "jobs", "usage"})
    ->Args({1, 1, 0})
    ->Args({1, 1, 1})
    ->Args({1, 64, 0})
    ->Args({1, 64, 1})
    ->Args({1, 1024, 0})
    ->Args({8, 8, 0})
    ->Args({8, 8, 1})
    ->Args({8, 128, 0})
    ->Args({8, 128, 1});

}  // namespace
}  // namespace twofold::frontend
