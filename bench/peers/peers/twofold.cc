// Twofold itself: packed Submit and Work streams, full bookkeeping. Volatile jobs; durable ones (on
// disk before they are acknowledged); volatile ones over TLS.

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "bench/peers/peer_table.h"
#include "bench/peers/stream_peer.h"
#include "bench/peers/twofold_jobs.h"
#include "cli/channel/channel.h"
#include "lib/rpc/batches.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::bench {
namespace {

// As many as other peers' workers hold: all that come.
constexpr int kOpenLoopSlots = 1024;
// Volatile jobs are not acknowledged. So many may be on their way before the frontend is asked how
// many have arrived: asking costs it time, too.
constexpr int kUnacknowledged = 65'536;
constexpr int kJobsAMessage = 1024;
// So often a worker process without jobs is heard of (backend/agent/frontend_link.cc).
constexpr Duration kIdleBeat = std::chrono::seconds(53);
constexpr std::size_t kIdleGroups = 8;

// Places in Task::target.ports.
constexpr std::size_t kClientPort = 0;
constexpr std::size_t kWorkerPort = 1;

enum class Kind { kVolatile, kDurable, kTls };

/// How a connection is secured: the only place that knows.
security::Client SecurityOf(const Task& task, Kind kind) {
  if (kind != Kind::kTls) return {};
  security::ClientOptions options;
  options.ca = task.target.directory + "/cert.pem";
  auto opened = security::Client::Open(options);
  if (!opened.ok()) Fail(std::string(opened.status().message()));
  return *std::move(opened);
}

std::string AddressOf(const Task& task, std::size_t port) {
  return fmt::format("127.0.0.1:{}", task.target.ports[port]);
}

struct WorkFormat {
  using Request = v1::WorkerMessage;
  using Reply = v1::FrontendMessage;

  struct Job {
    explicit Job(const rpc::AssignRow& row) : job(row.job), attempt(row.attempt), spec(row.spec) {}

    std::uint64_t job;
    std::uint32_t attempt;
    std::string spec;
  };

  static bool HasJobs(const Reply& message) { return message.has_assigns(); }

  template <typename Visit>
  static void ForEachJob(const Reply& message, Visit&& visit) {
    rpc::ForEach(message.assigns(), visit);
  }

  // `job` is a row or a Job. The specification comes back as the report.
  template <typename AnyJob>
  static std::size_t AppendResult(Request& request, const AnyJob& job) {
    return rpc::Append(
        *request.mutable_results(),
        {.job = job.job, .attempt = job.attempt, .run_ns = 1, .device = {}, .report = job.spec});
  }
};

using Client = StreamClient<SubmitFormat>;
using Worker = StreamWorker<WorkFormat>;

class Twofold final : public Peer {
 public:
  explicit Twofold(Kind kind) : kind_(kind) {}

  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    const int slots = std::max(task.cell.outstanding, kOpenLoopSlots);
    for (int i = 0; i < task.cell.connections; ++i) AddWorker(task, i, slots);
    AwaitReady(workers_);
    for (const auto& load : loads) {
      auto& client =
          *clients_.emplace_back(std::make_unique<Client>(*load, SubmitFormat{durable()}));
      StartSubmit(task, client.stream());
    }
    Go(clients_, workers_);
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    auto& putter =
        *new Putter(durable(), FailOnEnd);  // its stream goes on to the end of the process
    StartSubmit(task, putter.stream());
    const auto admin =
        v1::Admin::NewStub(cli::Connect(AddressOf(task, kClientPort), SecurityOf(task, kind_)));
    const int window = durable() ? task.cell.outstanding : kUnacknowledged;
    for (int sent = 0, taken = 0; taken < task.cell.count; taken = Taken(*admin, putter)) {
      const int batch = std::min(window - (sent - taken), task.cell.count - sent);
      for (int left = batch; left > 0; left -= kJobsAMessage) {
        putter.Put(std::min(left, kJobsAMessage), payload);
      }
      sent += batch;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  void Idle(const Task& task) override {
    for (int i = 0; i * task.cell.slots < task.cell.count; ++i) {
      AddWorker(task, i, task.cell.slots);
      if (i % 100 == 99) AwaitReady(workers_);
    }
    AwaitReady(workers_);
    std::thread([this] { Beat(); }).detach();  // to the end of the process
  }

 private:
  [[nodiscard]] bool durable() const { return kind_ == Kind::kDurable; }

  void AddWorker(const Task& task, int index, int slots) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>(task.cell, index));
    Open(WorkersLoop(), worker.stream(), AddressOf(task, kWorkerPort), "/twofold.v1.Workers/Work",
         SecurityOf(task, kind_));
    worker.stream().Add([&](v1::WorkerMessage& message) {
      v1::Hello& hello = *message.mutable_hello();
      hello.set_queue(std::string(kQueue));
      hello.set_process_key(static_cast<std::uint64_t>(index + 1));
      hello.set_node("bench");
      hello.set_pod(fmt::format("worker-{}", index));
      hello.set_slots(static_cast<std::uint32_t>(slots));
      hello.set_beats_idle(true);
      return std::size_t{64};
    });
    worker.stream().Flush();
  }

  /// As real processes do: an eighth of them at a time.
  [[noreturn]] void Beat() {
    const std::size_t group = std::max<std::size_t>(workers_.size() / kIdleGroups, 1);
    Instant next = Now();
    for (;;) {
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (i % group == 0) std::this_thread::sleep_until(next += kIdleBeat / kIdleGroups);
        workers_[i]->stream().Add([](v1::WorkerMessage&) { return std::size_t{0}; });
        workers_[i]->stream().Flush();
      }
    }
  }

  template <typename Stream>
  void StartSubmit(const Task& task, Stream& stream) {
    Open(ClientsLoop(), stream, AddressOf(task, kClientPort), "/twofold.v1.Clients/Submit",
         SecurityOf(task, kind_));
  }

  int Taken(v1::Admin::Stub& admin, const Putter& putter) const {
    if (durable()) return putter.accepted();
    grpc::ClientContext context;
    v1::ListQueuesReply reply;
    const grpc::Status status = admin.ListQueues(&context, {}, &reply);
    if (!status.ok()) FailOnEnd(cli::FromGrpc(status));
    return static_cast<int>(reply.queues(0).waiting());
  }

  const Kind kind_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Peer> MakeTwofold() { return std::make_unique<Twofold>(Kind::kVolatile); }
std::unique_ptr<Peer> MakeTwofoldDurable() { return std::make_unique<Twofold>(Kind::kDurable); }
std::unique_ptr<Peer> MakeTwofoldTls() { return std::make_unique<Twofold>(Kind::kTls); }

}  // namespace twofold::bench
