// Our own transport without a queue behind it: the same streams, outboxes and batches as Twofold's,
// through a relay that only passes jobs on. What Twofold cannot be faster than.

#include <fmt/format.h>

#include "bench/peers/peer_table.h"
#include "bench/peers/peers/relay.grpc.pb.h"
#include "bench/peers/peers/relay_format.h"
#include "bench/peers/stream_peer.h"
#include "lib/rpc/channel.h"

namespace twofold::bench {
namespace {

void Open(Relay::Stub& stub, grpc::ClientBidiReactor<Packed, Packed>* stream,
          grpc::ClientContext* context, bool worker) {
  if (worker) return stub.async()->WorkPacked(context, stream);
  stub.async()->SubmitPacked(context, stream);
}

void Open(Relay::Stub& stub, grpc::ClientBidiReactor<Repeated, Repeated>* stream,
          grpc::ClientContext* context, bool worker) {
  if (worker) return stub.async()->WorkRepeated(context, stream);
  stub.async()->SubmitRepeated(context, stream);
}

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
    auto& stub = *stubs_.emplace_back(Relay::NewStub(rpc::Connect(address)));
    Open(stub, &stream, stream.context(), worker);
    stream.Start();
  }

  std::vector<std::unique_ptr<Relay::Stub>> stubs_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Peer> MakeGrpcPacked() { return std::make_unique<GrpcRelay<Packed>>(); }
std::unique_ptr<Peer> MakeGrpcRepeated() { return std::make_unique<GrpcRelay<Repeated>>(); }

}  // namespace twofold::bench
