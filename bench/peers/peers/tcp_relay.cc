// The floor: a relay over bare sockets, one thread, frames with their length in front. A client's
// jobs go to the workers in turn, results to the client whose number is in the payload.

#include <cstring>
#include <map>
#include <vector>

#include "bench/peers/payload.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/relay_servers.h"
#include "bench/peers/socket_peer.h"

namespace twofold::bench {
namespace {

constexpr std::string_view kIAmAWorker = "W";  // the first frame says who connects
constexpr std::string_view kIAmAClient = "C";

void SendFrame(Connection& connection, std::string_view payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  connection.Send({reinterpret_cast<const char*>(&size), sizeof size});
  connection.Send(payload);
}

template <typename OnFrame>
std::size_t ReadFrames(std::string_view bytes, OnFrame on_frame) {
  std::size_t used = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(used);
    std::uint32_t size = 0;
    if (rest.size() < sizeof size) return used;
    std::memcpy(&size, rest.data(), sizeof size);
    if (rest.size() < sizeof size + size) return used;
    on_frame(rest.substr(sizeof size, size));
    used += sizeof size + size;
  }
}

// ---- the server

class Session;

struct Hub {
  std::vector<Session*> workers;
  std::map<std::uint32_t, Session*> clients;
  std::size_t turn = 0;
};

class Session final : public Connection {
 public:
  explicit Session(Hub& hub) : hub_(hub) {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadFrames(bytes, [this](std::string_view payload) {
      if (role_.empty()) return Begin(payload);
      if (Session* to = role_ == kIAmAClient ? NextWorker(payload) : Submitter(payload)) {
        SendFrame(*to, payload);
      }
    });
  }

  void OnClosed() override {
    std::erase(hub_.workers, this);
    std::erase_if(hub_.clients, [this](const auto& entry) { return entry.second == this; });
  }

 private:
  void Begin(std::string_view role) {
    role_ = role;
    if (role_ == kIAmAWorker) hub_.workers.push_back(this);
  }

  Session* NextWorker(std::string_view payload) {
    hub_.clients[ReadHead(payload).client] = this;
    return hub_.workers.empty() ? nullptr : hub_.workers[hub_.turn++ % hub_.workers.size()];
  }

  Session* Submitter(std::string_view payload) {
    const auto client = hub_.clients.find(ReadHead(payload).client);
    return client == hub_.clients.end() ? nullptr : client->second;
  }

  Hub& hub_;
  std::string role_;
};

// ---- clients and workers

class Worker final : public WorkerConnection {
 public:
  using WorkerConnection::WorkerConnection;

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadFrames(bytes, [this](std::string_view payload) { OnJob({}, payload); });
  }

  void Answer(std::string_view, std::string_view payload) override { SendFrame(*this, payload); }
};

class Client final : public ClientConnection {
 public:
  using ClientConnection::ClientConnection;

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    const Instant now = Now();
    const std::size_t used =
        ReadFrames(bytes, [&](std::string_view payload) { Finish(payload, now); });
    Pump();
    return used;
  }

  void Submit(std::string_view payload) override { SendFrame(*this, payload); }
};

class TcpRelay final : public SocketPeer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    for (int i = 0; i < task.cell.connections; ++i) {
      SendFrame(AddWorker(task, std::make_unique<Worker>(task.cell, i)), kIAmAWorker);
    }
    workers_.RunFor(std::chrono::milliseconds(200));  // without a worker, jobs would be lost
    std::vector<ClientConnection*> clients;
    for (const auto& load : loads) {
      clients.push_back(&AddClient(task, std::make_unique<Client>(*load)));
      SendFrame(*clients.back(), kIAmAClient);
    }
    Go(clients);
  }

  void Idle(const Task& task) override {
    ConnectIdle(
        task, [](int) { return std::make_unique<SendOnly>(); },
        [](Connection& worker) { SendFrame(worker, kIAmAWorker); });
  }
};

}  // namespace

void ServeTcpRelay(std::uint16_t port) {
  EventLoop loop;
  Hub hub;
  loop.Listen(port, [&] { return std::make_unique<Session>(hub); });
  for (;;) loop.RunFor(std::chrono::hours(1));
}

std::unique_ptr<Peer> MakeTcpRelay() { return std::make_unique<TcpRelay>(); }

}  // namespace twofold::bench
