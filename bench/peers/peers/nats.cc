// NATS core: request and reply, workers in a queue group. The server passes messages on at once and
// keeps nothing: what nobody receives is gone.

#include <fmt/format.h>

#include "bench/peers/peer_table.h"
#include "bench/peers/peers/nats_protocol.h"
#include "bench/peers/socket_peer.h"

namespace twofold::bench {
namespace {

class Worker final : public WorkerConnection {
 public:
  using WorkerConnection::WorkerConnection;

  void Begin(std::string_view subject) {
    SendConnect(*this);
    SendSubscribe(*this, subject, "workers");
  }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadAllNats(*this, bytes, [this](const NatsMessage& message) {
      OnJob(message.reply, message.payload);
    });
  }

  void Answer(std::string_view id, std::string_view payload) override {
    SendPublish(*this, {.subject = id, .reply = {}, .payload = payload});
  }
};

class Client final : public ClientConnection {
 public:
  Client(const Task& task, std::size_t index, ClientLoad& load)
      : ClientConnection(load),
        jobs_(task.name),
        inbox_(fmt::format("r.{}.{}", task.name, index)) {}

  void Begin() {
    SendConnect(*this);
    SendSubscribe(*this, inbox_);
  }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    const Instant now = Now();
    const std::size_t used = ReadAllNats(
        *this, bytes, [&](const NatsMessage& message) { Finish(message.payload, now); });
    Pump();
    return used;
  }

  void Submit(std::string_view payload) override {
    SendPublish(*this, {.subject = jobs_, .reply = inbox_, .payload = payload});
  }

 private:
  const std::string jobs_;
  const std::string inbox_;
};

class Nats final : public SocketPeer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    for (int i = 0; i < task.cell.connections; ++i) {
      AddWorker(task, std::make_unique<Worker>(task.cell, i)).Begin(task.name);
    }
    workers_.RunFor(std::chrono::milliseconds(200));  // nobody subscribed yet would mean lost jobs
    std::vector<ClientConnection*> clients;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      Client& client = AddClient(task, std::make_unique<Client>(task, i, *loads[i]));
      client.Begin();
      clients.push_back(&client);
    }
    Go(clients);
  }

  void Idle(const Task& task) override {
    ConnectIdle(
        task, [&](int index) { return std::make_unique<Worker>(task.cell, index); },
        [&](Worker& worker) { worker.Begin(task.name); });
  }
};

}  // namespace

std::unique_ptr<Peer> MakeNats() { return std::make_unique<Nats>(); }

}  // namespace twofold::bench
