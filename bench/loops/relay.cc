#include "bench/loops/relay.h"

#include <pthread.h>
#include <sys/socket.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/loops/sockets.h"
#include "lib/h2/session.h"

namespace twofold::h2 {
namespace {

constexpr std::size_t kJobBytes = 100;

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// A connection as lib/h2's, as far as messages go.
class Connection final : public Link {
 public:
  Connection(Waiting& waiting, Ledger& ledger, Descriptor end, Session::Serve serve)
      : account_(ledger, "localhost", [](std::string_view) {}) {
    socket = end.get();
    buffers = &waiting.buffers();
    waiting.Add(*this, std::move(end));
    auto made = Session::Make({.limits = limits_,
                               .account = account_,
                               .on_output = [this, &waiting] { waiting.MarkDirty(*this); },
                               .serve = std::move(serve)},
                              Now());
    Need(made.ok(), "session");
    session_ = *std::move(made);
  }
  ~Connection() override { session_->Close("the end"); }

  Session& session() { return *session_; }

 private:
  void OnBytes(std::string_view bytes) override {
    Need(session_->Receive(bytes, Now()).ok(), "receive");
  }

  void OnFlush() override {
    std::string& bytes = buffers->out.bytes;
    while (true) {
      bytes.clear();
      session_->Collect(buffers->out, Now());
      if (bytes.empty()) return;
      const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      Need(sent == static_cast<ssize_t>(bytes.size()), "send");
    }
  }

  const Limits limits_;
  Account account_;
  std::unique_ptr<Session> session_;
};

/// A stream that hands each message on to another one, or back to its own.
class Pipe final : public End {
 public:
  /// `passed`, if any, counts messages.
  explicit Pipe(std::atomic<std::uint64_t>* passed) : passed_(passed) {}

  void Open(Stream& stream, Pipe* to) {
    stream_ = &stream;
    to_ = to;
    stream.WantPull();
  }
  void Send(std::string_view message) {
    ready_.emplace_back(message);
    if (stream_ != nullptr) stream_->WantPull();
  }

 private:
  void OnMessage(std::string_view bytes) override {
    if (passed_ != nullptr) passed_->fetch_add(1, std::memory_order_relaxed);
    if (to_ != nullptr) to_->Send(bytes);
  }
  void Pull(MessageWriter& out) override {
    for (const std::string& message : ready_) out.Add(message);
    ready_.clear();
  }
  void OnEnd(const Status&, const Metadata&) override { stream_ = nullptr; }

  std::atomic<std::uint64_t>* const passed_;
  Stream* stream_ = nullptr;
  Pipe* to_ = nullptr;  // null: nobody
  std::vector<std::string> ready_;
};

/// See MeasureRelay.
class Relay {
 public:
  Relay(const Way& way, const Shape& shape)
      : shape_(shape), message_(shape.jobs * kJobBytes, 'x'), waiting_(way.make()) {
    for (std::size_t i = 0; i < 2 * shape.pairs; ++i) {
      pipes_.push_back(std::make_shared<Pipe>(&relayed_));
      callers_.push_back(std::make_shared<Pipe>(nullptr));
    }
    for (std::size_t i = 0; i < pipes_.size(); ++i) Call(i);
    if (shape.every > Duration(0)) {
      SendEach(Now(), 0);
    } else {
      for (std::size_t i = 0; i < pipes_.size(); i += 2) callers_[i]->Send(message_);
    }
  }

  Measured For(Duration time) {
    std::thread relaying([this] { waiting_->Run(); });
    std::thread calling([this] { calling_.Run(); });
    clockid_t clock{};
    pthread_getcpuclockid(relaying.native_handle(), &clock);
    std::this_thread::sleep_for(time / 5);  // does not count: windows of TCP grow
    const double cpu = Seconds(clock);
    const std::uint64_t relayed = relayed_;
    const Instant begun = Now();
    std::this_thread::sleep_for(time);
    const auto messages = static_cast<double>(relayed_ - relayed);
    const Measured measured{messages / ToSeconds(Now() - begun),
                            1e6 * (Seconds(clock) - cpu) / messages};
    calling_.Stop();
    waiting_->Stop();
    calling.join();
    relaying.join();
    return measured;
  }

 private:
  /// Even ones are clients, odd ones their workers.
  void Call(std::size_t i) {
    auto [ours, theirs] = ConnectedPair();
    connections_.push_back(std::make_unique<Connection>(
        *waiting_, relaying_ledger_, std::move(theirs), [this, i](Stream& stream) {
          pipes_[i]->Open(stream, pipes_[i ^ 1].get());
          return Result<std::shared_ptr<End>>(pipes_[i]);
        }));
    connections_.push_back(
        std::make_unique<Connection>(calling_, calling_ledger_, std::move(ours), nullptr));
    Session& session = connections_.back()->session();
    const auto stream = session.Call({.path = "/relay"}, callers_[i], Now());
    Need(stream.ok(), "call");
    const bool sends_back = i % 2 == 1 || shape_.every == Duration(0);
    callers_[i]->Open(**stream, sends_back ? callers_[i].get() : nullptr);
  }

  void SendEach(Instant when, std::size_t client) {
    calling_.loop().RunAt(when, [this, when, client] {
      callers_[2 * client]->Send(message_);
      SendEach(when + shape_.every, (client + 1) % shape_.pairs);
    });
  }

  const Shape& shape_;
  const std::string message_;
  std::atomic<std::uint64_t> relayed_ = 0;
  Ledger relaying_ledger_{Budgets()};
  Ledger calling_ledger_{Budgets()};
  const std::unique_ptr<Waiting> waiting_;
  OnLoop calling_;
  std::vector<std::shared_ptr<Pipe>> pipes_;
  std::vector<std::shared_ptr<Pipe>> callers_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace

Measured MeasureRelay(const Way& way, const Shape& shape, Duration time) {
  return Relay(way, shape).For(time);
}

double OwnCpu() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace twofold::h2
