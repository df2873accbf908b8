// gearmand, by its binary protocol: SUBMIT_JOB; workers GRAB_JOB in batches and sleep when there is
// none; WORK_COMPLETE goes through to the submitter.

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "bench/peers/fail.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/socket_peer.h"

namespace twofold::bench {
namespace {

enum PacketType : std::uint32_t {
  kCanDo = 1,
  kPreSleep = 4,
  kNoop = 6,
  kSubmitJob = 7,
  kJobCreated = 8,
  kGrabJob = 9,
  kNoJob = 10,
  kJobAssign = 11,
  kWorkComplete = 13,
  kWorkFail = 14,
  kSubmitJobBackground = 18,
  kError = 19,
};

constexpr std::size_t kHeadBytes = 12;  // magic, type, size

void SendPacket(Connection& connection, PacketType type,
                std::initializer_list<std::string_view> arguments) {
  std::size_t size = arguments.size() > 0 ? arguments.size() - 1 : 0;
  for (const std::string_view argument : arguments) size += argument.size();
  char head[kHeadBytes] = {0, 'R', 'E', 'Q'};
  const std::uint32_t numbers[] = {htonl(type), htonl(static_cast<std::uint32_t>(size))};
  std::memcpy(head + 4, numbers, sizeof numbers);
  connection.Send({head, kHeadBytes});
  bool first = true;
  for (const std::string_view argument : arguments) {
    if (!first) connection.Send({"\0", 1});
    first = false;
    connection.Send(argument);
  }
}

/// Calls on_packet(type, body) for each whole packet; returns the bytes used.
template <typename OnPacket>
std::size_t ReadPackets(std::string_view bytes, OnPacket on_packet) {
  std::size_t used = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(used);
    if (rest.size() < kHeadBytes) return used;
    std::uint32_t numbers[2];
    std::memcpy(numbers, rest.data() + 4, sizeof numbers);
    const std::size_t size = ntohl(numbers[1]);
    if (rest.size() < kHeadBytes + size) return used;
    const std::string_view body = rest.substr(kHeadBytes, size);
    const std::uint32_t type = ntohl(numbers[0]);
    if (type == kError || type == kWorkFail) Fail(fmt::format("gearmand: {}", body));
    on_packet(type, body);
    used += kHeadBytes + size;
  }
}

/// Takes the argument before the next NUL byte off the front.
std::string_view CutArgument(std::string_view& body) {
  const std::size_t end = body.find('\0');
  const std::string_view argument = body.substr(0, end);
  body.remove_prefix(end + 1);
  return argument;
}

class Worker final : public WorkerConnection {
 public:
  Worker(const Task& task, int index)
      : WorkerConnection(task.cell, index), function_(task.name), most_(task.cell.take) {}

  void Begin() {
    SendPacket(*this, kCanDo, {function_});
    Grab();
  }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadPackets(bytes, [this](std::uint32_t type, std::string_view body) {
      if (type == kNoop) {
        if (asleep_) Grab();
      } else if (type == kJobAssign) {
        const std::string_view handle = CutArgument(body);
        CutArgument(body);  // the function
        OnJob(handle, body);
        ++jobs_;
        EndBatch();
      } else if (type == kNoJob) {
        ++none_;
        EndBatch();
      }
    });
  }

  void Answer(std::string_view id, std::string_view payload) override {
    SendPacket(*this, kWorkComplete, {id, payload});
  }

 private:
  void Grab() {
    jobs_ = none_ = 0;
    asleep_ = false;
    for (int i = 0; i < asked_; ++i) SendPacket(*this, kGrabJob, {});
  }

  // After the last answer: asks for about as many as came, or sleeps until the server wakes it.
  void EndBatch() {
    if (jobs_ + none_ < asked_) return;
    if (jobs_ == 0) {
      asked_ = 1;
      asleep_ = true;
      return SendPacket(*this, kPreSleep, {});
    }
    asked_ = std::min(most_, none_ > 0 ? jobs_ + 1 : asked_ * 2);
    Grab();
  }

  const std::string function_;
  const int most_;
  int asked_ = 1;
  int jobs_ = 0;
  int none_ = 0;
  bool asleep_ = false;
};

class Client final : public ClientConnection {
 public:
  Client(const Task& task, ClientLoad& load) : ClientConnection(load), function_(task.name) {}

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    const Instant now = Now();
    const std::size_t used = ReadPackets(bytes, [&](std::uint32_t type, std::string_view body) {
      if (type != kWorkComplete) return;
      CutArgument(body);  // the handle
      Finish(body, now);
    });
    Pump();
    return used;
  }

  void Submit(std::string_view payload) override {
    SendPacket(*this, kSubmitJob, {function_, "", payload});
  }

 private:
  const std::string function_;
};

/// Submits in the background and counts what the server has taken.
class Putter final : public Connection {
 public:
  [[nodiscard]] int accepted() const { return accepted_; }

 protected:
  std::size_t OnBytes(std::string_view bytes) override {
    return ReadPackets(
        bytes, [this](std::uint32_t type, std::string_view) { accepted_ += type == kJobCreated; });
  }

 private:
  int accepted_ = 0;
};

class Gearman final : public SocketPeer {
 public:
  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    for (int i = 0; i < task.cell.connections; ++i) {
      AddWorker(task, std::make_unique<Worker>(task, i)).Begin();
    }
    std::vector<ClientConnection*> clients;
    for (const auto& load : loads) {
      clients.push_back(&AddClient(task, std::make_unique<Client>(task, *load)));
    }
    Go(clients);
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    Putter& putter = clients_.Connect(task.target.ports.front(), std::make_unique<Putter>());
    PutAll(task, putter, [&] {
      SendPacket(putter, kSubmitJobBackground, {task.name, "", payload});
    });
  }

  void Idle(const Task& task) override {
    ConnectIdle(
        task, [&](int index) { return std::make_unique<Worker>(task, index); },
        [](Worker& worker) { worker.Begin(); });
  }
};

}  // namespace

std::unique_ptr<Peer> MakeGearman() { return std::make_unique<Gearman>(); }

}  // namespace twofold::bench
