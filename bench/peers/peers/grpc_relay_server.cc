#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bench/peers/fail.h"
#include "bench/peers/payload.h"
#include "bench/peers/peers/relay.grpc.pb.h"
#include "bench/peers/peers/relay_format.h"
#include "bench/peers/relay_servers.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/server_stream.h"
#include "lib/rpc/service.h"

namespace twofold::bench {
namespace {

template <typename Message>
class Session;

/// Who is there. One lock for all, held for the routing of a message, never for its sending.
template <typename Message>
struct Hub {
  using Ends = std::vector<std::shared_ptr<Session<Message>>>;

  std::mutex mutex;
  Ends workers;
  std::map<std::uint32_t, std::shared_ptr<Session<Message>>> clients;
  std::size_t turn = 0;
};

template <typename Message>
std::uint32_t ClientOfFirst(const Message& message) {
  std::optional<std::uint32_t> client;
  ForEach(message, [&](std::string_view payload) {
    if (!client) client = ReadHead(payload).client;
  });
  return client.value_or(0);
}

template <typename Message>
class Session final : public rpc::ServerStream<Message, Message> {
 public:
  Session(Hub<Message>& hub, bool worker) : hub_(hub), worker_(worker) {}

 protected:
  void OnMessage(const Message& message) override {
    if (Jobs(message) == 0) return Welcome();
    if (worker_) {
      ToClients(message);
    } else {
      ToWorker(message);
    }
  }

  void OnHalfClosed() override { this->Close(absl::OkStatus()); }

  void OnGone() override {
    const std::lock_guard lock(hub_.mutex);
    std::erase_if(hub_.workers, [this](const auto& worker) { return worker.get() == this; });
    std::erase_if(hub_.clients, [this](const auto& entry) { return entry.second.get() == this; });
  }

 private:
  std::shared_ptr<Session> Self() {
    return std::static_pointer_cast<Session>(this->shared_from_this());
  }

  void Welcome() {
    {
      const std::lock_guard lock(hub_.mutex);
      hub_.workers.push_back(Self());
    }
    this->Add([](Message&) { return std::size_t{1}; });
    this->Flush();
  }

  // A whole message to one worker, the next one to the next.
  void ToWorker(const Message& message) {
    std::shared_ptr<Session> worker;
    {
      const std::lock_guard lock(hub_.mutex);
      hub_.clients.try_emplace(ClientOfFirst(message), Self());
      if (!hub_.workers.empty()) worker = hub_.workers[hub_.turn++ % hub_.workers.size()];
    }
    if (!worker) return;
    worker->Add([&](Message& out) {
      std::size_t bytes = 0;
      ForEach(message, [&](std::string_view payload) { bytes += Append(out, payload); });
      return bytes;
    });
    worker->Flush();
  }

  // Job by job to whose it is; each client that got some is written to once.
  void ToClients(const Message& message) {
    std::map<std::uint32_t, std::shared_ptr<Session>> clients;
    {
      const std::lock_guard lock(hub_.mutex);
      clients = hub_.clients;
    }
    std::map<std::uint32_t, std::vector<std::string_view>> results;
    ForEach(message, [&](std::string_view payload) {
      results[ReadHead(payload).client].push_back(payload);
    });
    for (const auto& [client, payloads] : results) {
      const auto found = clients.find(client);
      if (found == clients.end()) continue;
      found->second->Add([&](Message& out) {
        std::size_t bytes = 0;
        for (const std::string_view payload : payloads) bytes += Append(out, payload);
        return bytes;
      });
      found->second->Flush();
    }
  }

  Hub<Message>& hub_;
  const bool worker_;
};

class RelayService final : public rpc::Service {
 public:
  RelayService() : rpc::Service(Relay::service_full_name()) {
    Open("SubmitPacked", packed_, false);
    Open("WorkPacked", packed_, true);
    Open("SubmitRepeated", repeated_, false);
    Open("WorkRepeated", repeated_, true);
  }

 private:
  template <typename Message>
  void Open(std::string_view method, Hub<Message>& hub, bool worker) {
    Serve(method,
          [&hub, worker](auto&) { return std::make_shared<Session<Message>>(hub, worker); });
  }

  Hub<Packed> packed_;
  Hub<Repeated> repeated_;
};

}  // namespace

void ServeGrpcRelay(std::uint16_t port) {
  RelayService service;
  const auto server = rpc::Listen(fmt::format("127.0.0.1:{}", port), {&service});
  if (!server.ok()) Fail(std::string(server.status().message()));
  for (;;) pause();
}

}  // namespace twofold::bench
