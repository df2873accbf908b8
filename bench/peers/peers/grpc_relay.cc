// Our own transport without a queue behind it: the same streams, outboxes and batches as Twofold's,
// through a relay that only passes jobs on. What Twofold cannot be faster than.

#include <fmt/format.h>

#include "bench/peers/peer_table.h"
#include "bench/peers/peers/relay.grpc.pb.h"
#include "bench/peers/peers/relay_format.h"
#include "bench/peers/stream_peer.h"

namespace twofold::bench {
namespace {

/// The suffix of the methods that take such messages.
constexpr const char* SuffixOf(const Packed*) { return "Packed"; }
constexpr const char* SuffixOf(const Repeated*) { return "Repeated"; }

template <typename Message>
class GrpcRelay final : public Peer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    for (int i = 0; i < task.cell.connections; ++i) AddWorker(task, i);
    AwaitReady(workers_);
    for (const auto& load : loads) {
      auto& client =
          *clients_.emplace_back(std::make_unique<Client>(*load, RelayFormat<Message>()));
      StartStream(task, client.stream(), false);
    }
    Go(clients_, workers_);
  }

  void Idle(const Task& task) override {
    for (int i = 0; i < task.cell.count; ++i) {
      AddWorker(task, i);
      if (i % 100 == 99) AwaitReady(workers_);
    }
    AwaitReady(workers_);
  }

 private:
  using Client = StreamClient<RelayFormat<Message>>;
  using Worker = StreamWorker<RelayFormat<Message>>;

  void AddWorker(const Task& task, int index) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>(task.cell, index));
    StartStream(task, worker.stream(), true);
    worker.stream().Add([](Message&) { return std::size_t{1}; });  // here I am
    worker.stream().Flush();
  }

  template <typename Stream>
  void StartStream(const Task& task, Stream& stream, bool worker) {
    const std::string address = fmt::format("127.0.0.1:{}", task.target.ports.front());
    const std::string method = fmt::format("/twofold.bench.Relay/{}{}", worker ? "Work" : "Submit",
                                           SuffixOf(static_cast<const Message*>(nullptr)));
    Open(worker ? WorkersLoop() : ClientsLoop(), stream, address, method);
  }

  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Peer> MakeGrpcPacked() { return std::make_unique<GrpcRelay<Packed>>(); }
std::unique_ptr<Peer> MakeGrpcRepeated() { return std::make_unique<GrpcRelay<Repeated>>(); }

}  // namespace twofold::bench
