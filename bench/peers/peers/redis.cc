// Redis lists, in batches: LPUSH of several jobs, BLMPOP ... COUNT, LPUSH of the results to the
// client's own list. A job whose worker dies is lost: there is nothing to acknowledge.

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <initializer_list>
#include <map>

#include "bench/peers/fail.h"
#include "bench/peers/payload.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/socket_peer.h"

namespace twofold::bench {
namespace {

std::string_view Text(const redisReply& reply) { return {reply.str, reply.len}; }

/// Requests as RESP writes them, for any connection.
void SendHead(Connection& connection, std::size_t arguments) {
  connection.Print("*{}\r\n", arguments);
}

void SendArgument(Connection& connection, std::string_view argument) {
  connection.Print("${}\r\n", argument.size());
  connection.Send(argument);
  connection.Send("\r\n");
}

void SendCommand(Connection& connection, std::initializer_list<std::string_view> arguments) {
  SendHead(connection, arguments.size());
  for (const std::string_view argument : arguments) SendArgument(connection, argument);
}

/// Variadic LPUSH, gathered until it is known how many values it has.
class Push {
 public:
  void Add(std::string_view value) {
    fmt::format_to(std::back_inserter(values_), "${}\r\n{}\r\n", value.size(), value);
    ++count_;
  }

  void SendTo(Connection& connection, std::string_view list) {
    if (count_ == 0) return;
    SendHead(connection, 2 + count_);
    SendArgument(connection, "LPUSH");
    SendArgument(connection, list);
    connection.Send(values_);
    values_.clear();
    count_ = 0;
  }

 private:
  std::string values_;
  std::size_t count_ = 0;
};

/// Cuts what arrives into replies.
class ReplyReader {
 public:
  ReplyReader() : reader_(redisReaderCreate()) {}
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;
  ~ReplyReader() { redisReaderFree(reader_); }

  template <typename Visit>
  std::size_t Feed(std::string_view bytes, Visit&& visit) {
    redisReaderFeed(reader_, bytes.data(), bytes.size());
    for (void* next = nullptr;; next = nullptr) {
      if (redisReaderGetReply(reader_, &next) != REDIS_OK) Fail("redis: not its protocol");
      if (next == nullptr) return bytes.size();
      const auto* reply = static_cast<const redisReply*>(next);
      if (reply->type == REDIS_REPLY_ERROR) Fail("redis: " + std::string(Text(*reply)));
      visit(*reply);
      freeReplyObject(next);
    }
  }

 private:
  redisReader* reader_;
};

std::string ResultList(const Task& task, std::uint32_t client) {
  return fmt::format("r{}{}", client, task.name);
}

void SendTake(Connection& connection, std::string_view list, std::string_view most) {
  SendCommand(connection, {"BLMPOP", "0", "1", list, "RIGHT", "COUNT", most});
}

template <typename Visit>
void ForEachTaken(const redisReply& reply, Visit&& visit) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 2) Fail("redis: no BLMPOP reply");
  const redisReply& values = *reply.element[1];
  for (std::size_t i = 0; i < values.elements; ++i) visit(Text(*values.element[i]));
}

/// Takes on its own connection, as that blocks, and gives results on another.
class Worker final : public WorkerConnection {
 public:
  Worker(const Task& task, int index, Connection& giver)
      : WorkerConnection(task.cell, index),
        task_(task),
        most_(std::to_string(task.cell.take)),
        giver_(giver) {}

  void Take() { SendTake(*this, task_.name, most_); }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return reader_.Feed(bytes, [this](const redisReply& reply) {
      ForEachTaken(reply, [this](std::string_view job) { OnJob({}, job); });
      Answered();
      Take();
    });
  }

  void Answer(std::string_view, std::string_view payload) override {
    results_[ReadHead(payload).client].Add(payload);
  }

  void Answered() override {
    for (auto& [client, push] : results_) push.SendTo(giver_, ResultList(task_, client));
  }

 private:
  const Task task_;
  const std::string most_;
  Connection& giver_;
  ReplyReader reader_;
  std::map<std::uint32_t, Push> results_;
};

class Client final : public ClientConnection {
 public:
  Client(const Task& task, ClientLoad& load) : ClientConnection(load), jobs_(task.name) {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override { return bytes.size(); }
  void Submit(std::string_view payload) override { push_.Add(payload); }
  void Submitted() override { push_.SendTo(*this, jobs_); }

 private:
  const std::string jobs_;
  Push push_;
};

/// Takes a client's results.
class Results final : public Connection {
 public:
  Results(const Task& task, std::uint32_t index, Client& client)
      : list_(ResultList(task, index)), most_(std::to_string(task.cell.take)), client_(client) {}

  void Take() { SendTake(*this, list_, most_); }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return reader_.Feed(bytes, [this](const redisReply& reply) {
      const Instant now = Now();
      ForEachTaken(reply, [&](std::string_view result) { client_.Finish(result, now); });
      Take();
      client_.Pump();
    });
  }

 private:
  const std::string list_;
  const std::string most_;
  Client& client_;
  ReplyReader reader_;
};

/// Puts jobs and counts the replies.
class Putter final : public Connection {
 public:
  [[nodiscard]] int accepted() const { return accepted_; }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return reader_.Feed(bytes, [this](const redisReply&) { ++accepted_; });
  }

 private:
  ReplyReader reader_;
  int accepted_ = 0;
};

class Redis final : public SocketPeer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    const std::uint16_t port = task.target.ports.front();
    for (int i = 0; i < task.cell.connections; ++i) {
      Connection& giver = workers_.Connect(port, std::make_unique<SendOnly>());
      AddWorker(task, std::make_unique<Worker>(task, i, giver)).Take();
    }
    std::vector<ClientConnection*> clients;
    for (std::uint32_t i = 0; i < loads.size(); ++i) {
      Client& client = AddClient(task, std::make_unique<Client>(task, *loads[i]));
      clients_.Connect(port, std::make_unique<Results>(task, i, client)).Take();
      clients.push_back(&client);
    }
    Go(clients);
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    Putter& putter = clients_.Connect(task.target.ports.front(), std::make_unique<Putter>());
    PutAll(task, putter, [&] { SendCommand(putter, {"LPUSH", task.name, payload}); });
  }

  void Idle(const Task& task) override {
    ConnectIdle(
        task, [](int) { return std::make_unique<SendOnly>(); },
        [&](Connection& worker) { SendTake(worker, task.name, "1"); });
  }
};

}  // namespace

std::unique_ptr<Peer> MakeRedis() { return std::make_unique<Redis>(); }

}  // namespace twofold::bench
