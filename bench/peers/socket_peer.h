#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "bench/peers/event_loop.h"
#include "bench/peers/held_jobs.h"
#include "bench/peers/peer.h"

/// What peers have in common whose protocol is spoken over sockets: a thread for all clients and
/// one for all workers, requests pipelined. That shows what the server can do, not a client
/// library.
namespace twofold::bench {

/// The connection on which a client submits.
class ClientConnection : public Connection {
 public:
  explicit ClientConnection(ClientLoad& load) : load_(load) {}

  /// Submits all that is due.
  void Pump();

  void Finish(std::string_view payload, Instant now) { load_.Finish(payload, now); }

  void OnDue(Instant) override { Pump(); }
  [[nodiscard]] Instant NextDue() const override { return load_.NextDue(); }

 protected:
  virtual void Submit(std::string_view payload) = 0;
  virtual void Submitted() {}  ///< that was all for now

 private:
  ClientLoad& load_;
};

/// The connection on which a worker gets its jobs.
class WorkerConnection : public Connection {
 public:
  WorkerConnection(const Cell& cell, int worker)
      : jobs_(FromSeconds(cell.run_seconds), static_cast<std::uint64_t>(worker + 1)) {}

  void OnDue(Instant now) override;
  [[nodiscard]] Instant NextDue() const override { return jobs_.NextDue(); }

 protected:
  /// `id` is what the protocol wants back with the answer.
  void OnJob(std::string_view id, std::string_view payload);

  virtual void Answer(std::string_view id, std::string_view payload) = 0;
  virtual void Answered() {}  ///< those were all for now

 private:
  struct Job {
    std::string id;
    std::string payload;
  };

  HeldJobs<Job> jobs_;
};

/// A connection whose answers do not matter.
class SendOnly final : public Connection {
 protected:
  std::size_t OnBytes(std::string_view bytes) override { return bytes.size(); }
};

class SocketPeer : public Peer {
 protected:
  template <typename T>
  T& AddWorker(const Task& task, std::unique_ptr<T> worker) {
    T& added = workers_.Connect(task.target.ports.front(), std::move(worker));
    workers_.Time(added);
    return added;
  }

  template <typename T>
  T& AddClient(const Task& task, std::unique_ptr<T> client) {
    T& added = clients_.Connect(task.target.ports.front(), std::move(client));
    clients_.Time(added);
    return added;
  }

  /// Submits what is due first, and lets both threads run.
  void Go(const std::vector<ClientConnection*>& clients);

  /// Calls put() for each of the cell's jobs, with so many unacknowledged at most, until the putter
  /// has counted all as accepted().
  template <typename Putter, typename Put>
  void PutAll(const Task& task, const Putter& putter, Put put) {
    int sent = 0;
    clients_.RunUntil([&] {
      for (; sent < task.cell.count && sent - putter.accepted() < task.cell.outstanding; ++sent) {
        put();
      }
      return putter.accepted() == task.cell.count;
    });
  }

  /// Connects `count` idle connections; `make` builds one, `greet` makes it a worker.
  template <typename Make, typename Greet>
  void ConnectIdle(const Task& task, Make make, Greet greet) {
    for (int i = 0; i < task.cell.count; ++i) {
      greet(clients_.Connect(task.target.ports.front(), make(i)));
      if (i % 64 == 0) clients_.Turn(Now());  // no backlog of connections at the server
    }
    clients_.RunFor(std::chrono::seconds(2));
    clients_.RunForEver();
  }

  EventLoop clients_;
  EventLoop workers_;
};

}  // namespace twofold::bench
