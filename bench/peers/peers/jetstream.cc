// NATS JetStream: jobs in a work-queue stream, published with acknowledgement; workers pull on
// credit, publish the result to the client's core subject and acknowledge each job.

#include <fmt/format.h>

#include "bench/peers/fail.h"
#include "bench/peers/payload.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/peers/nats_protocol.h"
#include "bench/peers/socket_peer.h"

namespace twofold::bench {
namespace {

/// Makes the stream, and the consumer that all workers pull from.
class Creator final : public Connection {
 public:
  void Create(const Task& task, std::string_view storage) {
    SendConnect(*this);
    SendSubscribe(*this, "made." + task.name);
    Ask(task, "$JS.API.STREAM.CREATE." + task.name,
        fmt::format(R"({{"name":"{0}","subjects":["j.{0}"],"retention":"workqueue",)"
                    R"("storage":"{1}","num_replicas":1,"max_consumers":-1,"max_msgs":-1,)"
                    R"("max_bytes":-1,"discard":"old"}})",
                    task.name, storage));
    Ask(task, "$JS.API.CONSUMER.DURABLE.CREATE." + task.name + ".workers",
        fmt::format(R"({{"stream_name":"{}","config":{{"durable_name":"workers",)"
                    R"("ack_policy":"explicit","deliver_policy":"all","replay_policy":"instant",)"
                    R"("max_ack_pending":1000000,"ack_wait":60000000000}}}})",
                    task.name));
  }

  [[nodiscard]] bool done() const { return answers_ == 2; }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadAllNats(*this, bytes, [this](const NatsMessage& message) {
      if (message.payload.find("\"error\"") != message.payload.npos) {
        Fail(fmt::format("jetstream: {}", message.payload));
      }
      ++answers_;
    });
  }

 private:
  void Ask(const Task& task, std::string_view subject, std::string_view what) {
    SendPublish(*this, {.subject = subject, .reply = "made." + task.name, .payload = what});
  }

  int answers_ = 0;
};

class Worker final : public WorkerConnection {
 public:
  Worker(const Task& task, int index)
      : WorkerConnection(task.cell, index),
        task_(task),
        inbox_(fmt::format("w.{}.{}", task.name, index)),
        pull_(fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.workers", task.name)) {}

  void Begin() {
    SendConnect(*this);
    SendSubscribe(*this, inbox_);
    Pull();
  }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadAllNats(*this, bytes, [this](const NatsMessage& message) {
      if (message.reply.empty()) Fail("jetstream: a pull has failed");
      OnJob(message.reply, message.payload);
      if (--credit_ <= task_.cell.take / 2) Pull();
    });
  }

  void Answer(std::string_view id, std::string_view payload) override {
    const std::string inbox = fmt::format("r.{}.{}", task_.name, ReadHead(payload).client);
    SendPublish(*this, {.subject = inbox, .reply = {}, .payload = payload});
    SendPublish(*this, {.subject = id, .reply = {}, .payload = {}});  // acknowledges
  }

 private:
  // Asks for more when half of what it asked for has come, so that the server always knows
  // somebody who wants jobs.
  void Pull() {
    SendPublish(*this, {.subject = pull_,
                        .reply = inbox_,
                        .payload = fmt::format("{{\"batch\":{}}}", task_.cell.take - credit_)});
    credit_ = task_.cell.take;
  }

  const Task task_;
  const std::string inbox_;
  const std::string pull_;
  int credit_ = 0;
};

class Client final : public ClientConnection {
 public:
  Client(const Task& task, std::size_t index, ClientLoad& load)
      : ClientConnection(load),
        jobs_("j." + task.name),
        acks_(fmt::format("a.{}.{}", task.name, index)),
        inbox_(fmt::format("r.{}.{}", task.name, index)) {}

  void Begin() {
    SendConnect(*this);
    SendSubscribe(*this, inbox_);
    SendSubscribe(*this, acks_);
  }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    const Instant now = Now();
    const std::size_t used = ReadAllNats(*this, bytes, [&](const NatsMessage& message) {
      if (message.subject == inbox_) Finish(message.payload, now);
    });
    Pump();
    return used;
  }

  void Submit(std::string_view payload) override {
    SendPublish(*this, {.subject = jobs_, .reply = acks_, .payload = payload});
  }

 private:
  const std::string jobs_;
  const std::string acks_;
  const std::string inbox_;
};

/// Publishes jobs and counts the acknowledgements.
class Putter final : public Connection {
 public:
  explicit Putter(const Task& task) : jobs_("j." + task.name), acks_("a." + task.name) {}

  void Begin() {
    SendConnect(*this);
    SendSubscribe(*this, acks_);
  }

  void Put(std::string_view payload) {
    SendPublish(*this, {.subject = jobs_, .reply = acks_, .payload = payload});
  }

  [[nodiscard]] int accepted() const { return accepted_; }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadAllNats(*this, bytes, [this](const NatsMessage&) { ++accepted_; });
  }

 private:
  const std::string jobs_;
  const std::string acks_;
  int accepted_ = 0;
};

class JetStream final : public SocketPeer {
 public:
  explicit JetStream(std::string_view storage) : storage_(storage) {}

  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    Create(task);
    for (int i = 0; i < task.cell.connections; ++i) {
      AddWorker(task, std::make_unique<Worker>(task, i)).Begin();
    }
    std::vector<ClientConnection*> clients;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      Client& client = AddClient(task, std::make_unique<Client>(task, i, *loads[i]));
      client.Begin();
      clients.push_back(&client);
    }
    Go(clients);
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    Create(task);
    Putter& putter = clients_.Connect(task.target.ports.front(), std::make_unique<Putter>(task));
    putter.Begin();
    PutAll(task, putter, [&] { putter.Put(payload); });
  }

 private:
  void Create(const Task& task) {
    Creator& creator = clients_.Connect(task.target.ports.front(), std::make_unique<Creator>());
    creator.Create(task, storage_);
    clients_.RunUntil([&] { return creator.done(); });
  }

  const std::string_view storage_;
};

}  // namespace

std::unique_ptr<Peer> MakeJetStreamMemory() { return std::make_unique<JetStream>("memory"); }
std::unique_ptr<Peer> MakeJetStreamFile() { return std::make_unique<JetStream>("file"); }

}  // namespace twofold::bench
