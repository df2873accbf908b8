// Twofold itself: packed Submit and Work streams, full bookkeeping. Volatile jobs; durable ones (on
// disk before they are acknowledged); volatile ones over TLS.

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "bench/peers/peer_table.h"
#include "bench/peers/stream_peer.h"
#include "bench/peers/twofold_jobs.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::bench {
namespace {

// As many as other peers' workers hold: all that come.
constexpr int kOpenLoopSlots = 1024;
// Volatile jobs are not acknowledged. So many may be on their way before the frontend is asked how
// many have arrived: asking costs it time, too.
constexpr int kUnacknowledged = 65'536;
constexpr int kJobsAMessage = 1024;

// Places in Task::target.ports.
constexpr std::size_t kClientPort = 0;
constexpr std::size_t kWorkerPort = 1;

enum class Kind { kVolatile, kDurable, kTls };

/// How a connection is secured: the only place that knows.
std::shared_ptr<grpc::Channel> Connect(const Task& task, Kind kind, std::size_t port) {
  const std::string address = fmt::format("127.0.0.1:{}", task.target.ports[port]);
  if (kind != Kind::kTls) {
    const bool is_worker = port == kWorkerPort;
    return rpc::Connect(address, {}, is_worker ? rpc::Liveness::kOfKernel : rpc::Liveness::kPings);
  }
  std::ifstream file(task.target.directory + "/cert.pem");
  grpc::SslCredentialsOptions options;
  options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own, as Connect
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(options), arguments);
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
    const auto admin = v1::Admin::NewStub(Connect(task, kind_, kClientPort));
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
  }

 private:
  [[nodiscard]] bool durable() const { return kind_ == Kind::kDurable; }

  void AddWorker(const Task& task, int index, int slots) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>(task.cell, index));
    auto& stub =
        *worker_stubs_.emplace_back(v1::Workers::NewStub(Connect(task, kind_, kWorkerPort)));
    stub.async()->Work(worker.stream().context(), &worker.stream());
    worker.stream().Start();
    worker.stream().Add([&](v1::WorkerMessage& message) {
      v1::Hello& hello = *message.mutable_hello();
      hello.set_queue(std::string(kQueue));
      hello.set_process_key(static_cast<std::uint64_t>(index + 1));
      hello.set_node("bench");
      hello.set_pod(fmt::format("worker-{}", index));
      hello.set_slots(static_cast<std::uint32_t>(slots));
      return std::size_t{64};
    });
    worker.stream().Flush();
  }

  template <typename Stream>
  void StartSubmit(const Task& task, Stream& stream) {
    auto& stub =
        *client_stubs_.emplace_back(v1::Clients::NewStub(Connect(task, kind_, kClientPort)));
    stub.async()->Submit(stream.context(), &stream);
    stream.Start();
  }

  int Taken(v1::Admin::Stub& admin, const Putter& putter) const {
    if (durable()) return putter.accepted();
    grpc::ClientContext context;
    v1::ListQueuesReply reply;
    const grpc::Status status = admin.ListQueues(&context, {}, &reply);
    if (!status.ok()) FailOnEnd(status);
    return static_cast<int>(reply.queues(0).waiting());
  }

  const Kind kind_;
  std::vector<std::unique_ptr<v1::Clients::Stub>> client_stubs_;
  std::vector<std::unique_ptr<v1::Workers::Stub>> worker_stubs_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Peer> MakeTwofold() { return std::make_unique<Twofold>(Kind::kVolatile); }
std::unique_ptr<Peer> MakeTwofoldDurable() { return std::make_unique<Twofold>(Kind::kDurable); }
std::unique_ptr<Peer> MakeTwofoldTls() { return std::make_unique<Twofold>(Kind::kTls); }

}  // namespace twofold::bench
