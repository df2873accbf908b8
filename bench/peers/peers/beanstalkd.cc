// beanstalkd: put; reserve in batches whose first one blocks; a result is put to the client's own
// tube and the job deleted; the client reserves and deletes its results. The server answers each
// command by itself, so batches only save the waiting.

#include <fmt/format.h>

#include <algorithm>

#include "bench/peers/fail.h"
#include "bench/peers/payload.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/socket_peer.h"
#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

constexpr std::string_view kEnd = "\r\n";

/// Puts to one tube after the other: `use` is sent only when the tube changes.
class Putting {
 public:
  void Put(Connection& connection, std::string_view tube, std::string_view payload) {
    if (tube != used_) {
      connection.Print("use {}\r\n", tube);
      used_ = tube;
    }
    connection.Print("put 0 0 60 {}\r\n", payload.size());
    connection.Send(payload);
    connection.Send(kEnd);
  }

 private:
  std::string used_;
};

void SendDelete(Connection& connection, std::string_view id) {
  connection.Print("delete {}\r\n", id);
}

void SendWatch(Connection& connection, std::string_view tube) {
  connection.Print("watch {}\r\nignore default\r\n", tube);
}

/// Reserves in batches: one that blocks and as many that do not as came last time, and one more, so
/// that few come back empty.
class Reserving {
 public:
  explicit Reserving(int most) : most_(most) {}

  void SendTo(Connection& connection) {
    got_ = missed_ = 0;
    connection.Send("reserve\r\n");
    for (int i = 1; i < asked_; ++i) connection.Send("reserve-with-timeout 0\r\n");
  }

  void Got() { ++got_; }
  void Missed() { ++missed_; }

  /// True once after the last answer of a batch.
  bool End() {
    if (got_ + missed_ < asked_) return false;
    asked_ = missed_ > 0 ? std::max(1, std::min(most_, got_ + 1)) : std::min(most_, asked_ * 2);
    return true;
  }

 private:
  const int most_;
  int asked_ = 1;
  int got_ = 0;
  int missed_ = 0;
};

struct Reserved {
  std::string_view id;
  std::string_view payload;
};

/// Cuts replies out of `bytes`. Handler: OnReserved(Reserved), OnTimedOut(), OnInserted(), each
/// called once a reply. Returns the bytes used.
template <typename Handler>
std::size_t ReadReplies(std::string_view bytes, Handler& handler) {
  std::size_t used = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t line_end = rest.find(kEnd);
    if (line_end == rest.npos) return used;
    const std::string_view line = rest.substr(0, line_end);
    std::size_t reply_bytes = line_end + kEnd.size();
    if (line.starts_with("RESERVED ")) {
      const std::size_t space = line.find(' ', 9);
      const auto parsed = ParseNumber<std::size_t>(line.substr(space + 1));
      if (!parsed) Fail("beanstalkd: no size");
      const std::size_t size = *parsed;
      if (rest.size() < reply_bytes + size + kEnd.size()) return used;
      handler.OnReserved(Reserved{line.substr(9, space - 9), rest.substr(reply_bytes, size)});
      reply_bytes += size + kEnd.size();
    } else if (line == "TIMED_OUT") {
      handler.OnTimedOut();
    } else if (line.starts_with("INSERTED")) {
      handler.OnInserted();
    } else if (line != "DELETED" && !line.starts_with("USING") && !line.starts_with("WATCHING")) {
      Fail(fmt::format("beanstalkd: {}", line));
    }
    used += reply_bytes;
  }
}

/// Puts results on a connection of its own: what is sent behind a reserve that blocks would wait
/// for the next job. (Deletes do, as only who has reserved may delete. Nobody waits for them.)
class Worker final : public WorkerConnection {
 public:
  Worker(const Task& task, int index, Connection& giver)
      : WorkerConnection(task.cell, index),
        task_(task),
        reserving_(task.cell.take),
        giver_(giver) {}

  void Begin() {
    SendWatch(*this, task_.name);
    reserving_.SendTo(*this);
  }

  void OnReserved(const Reserved& job) {
    OnJob(job.id, job.payload);
    reserving_.Got();
    NextBatch();
  }

  void OnTimedOut() {
    reserving_.Missed();
    NextBatch();
  }

  void OnInserted() {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override { return ReadReplies(bytes, *this); }

  void Answer(std::string_view id, std::string_view payload) override {
    putting_.Put(giver_, fmt::format("r{}{}", ReadHead(payload).client, task_.name), payload);
    SendDelete(*this, id);
  }

 private:
  void NextBatch() {
    if (reserving_.End()) reserving_.SendTo(*this);
  }

  const Task task_;
  Reserving reserving_;
  Connection& giver_;
  Putting putting_;
};

class Client final : public ClientConnection {
 public:
  Client(const Task& task, ClientLoad& load) : ClientConnection(load), jobs_(task.name) {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override { return bytes.size(); }
  void Submit(std::string_view payload) override { putting_.Put(*this, jobs_, payload); }

 private:
  const std::string jobs_;
  Putting putting_;
};

/// Reserves a client's results.
class Results final : public Connection {
 public:
  Results(const Task& task, std::size_t index, Client& client)
      : tube_(fmt::format("r{}{}", index, task.name)),
        client_(client),
        reserving_(task.cell.take) {}

  void Begin() {
    SendWatch(*this, tube_);
    reserving_.SendTo(*this);
  }

  void OnReserved(const Reserved& result) {
    SendDelete(*this, result.id);
    client_.Finish(result.payload, Now());
    reserving_.Got();
    NextBatch();
  }

  void OnTimedOut() {
    reserving_.Missed();
    NextBatch();
  }

  void OnInserted() {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    const std::size_t used = ReadReplies(bytes, *this);
    client_.Pump();
    return used;
  }

 private:
  void NextBatch() {
    if (reserving_.End()) reserving_.SendTo(*this);
  }

  const std::string tube_;
  Client& client_;
  Reserving reserving_;
};

/// Puts jobs and counts what the server has taken.
class Putter final : public Connection {
 public:
  void Put(std::string_view tube, std::string_view payload) { putting_.Put(*this, tube, payload); }
  [[nodiscard]] int accepted() const { return accepted_; }

  void OnReserved(const Reserved&) {}
  void OnTimedOut() {}
  void OnInserted() { ++accepted_; }

 protected:
  std::size_t OnBytes(std::string_view bytes) override { return ReadReplies(bytes, *this); }

 private:
  Putting putting_;
  int accepted_ = 0;
};

class Beanstalkd final : public SocketPeer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    for (int i = 0; i < task.cell.connections; ++i) {
      Connection& giver = workers_.Connect(task.target.ports.front(), std::make_unique<SendOnly>());
      AddWorker(task, std::make_unique<Worker>(task, i, giver)).Begin();
    }
    std::vector<ClientConnection*> clients;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      Client& client = AddClient(task, std::make_unique<Client>(task, *loads[i]));
      clients_.Connect(task.target.ports.front(), std::make_unique<Results>(task, i, client))
          .Begin();
      clients.push_back(&client);
    }
    Go(clients);
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    Putter& putter = clients_.Connect(task.target.ports.front(), std::make_unique<Putter>());
    PutAll(task, putter, [&] { putter.Put(task.name, payload); });
  }

  void Idle(const Task& task) override {
    ConnectIdle(
        task, [](int) { return std::make_unique<SendOnly>(); },
        [&](Connection& worker) {
          SendWatch(worker, task.name);
          worker.Send("reserve\r\n");
        });
  }
};

}  // namespace

std::unique_ptr<Peer> MakeBeanstalkd() { return std::make_unique<Beanstalkd>(); }

}  // namespace twofold::bench
