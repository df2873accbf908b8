#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/peers/callers.h"
#include "bench/peers/due_thread.h"
#include "bench/peers/fail.h"
#include "bench/peers/held_jobs.h"
#include "bench/peers/peer.h"
#include "lib/rpc/client_stream.h"

/// What peers have in common whose clients and workers are gRPC streams. Their callbacks come on
/// the threads of two loops, what is due comes on one more; so each end has a lock, taken once a
/// message.
namespace twofold::bench {

inline void FailOnEnd(const Status& status) {
  Fail("the stream has ended: " + std::string(status.message()));
}

/// A client's end. `Format` has: Request, Reply (messages); AppendJob(Request&, payload), which
/// returns the bytes it added; ForEachResult(const Reply&, visit(payload)).
template <typename Format>
class StreamClient {
 public:
  using Stream = rpc::ClientStream<typename Format::Request, typename Format::Reply>;

  StreamClient(ClientLoad& load, Format format)
      : load_(load),
        format_(std::move(format)),
        stream_(
            std::make_shared<Stream>([this](const auto& reply) { OnReply(reply); }, FailOnEnd)) {}

  Stream& stream() { return *stream_; }

  void Pump() {
    {
      const std::lock_guard lock(mutex_);
      PumpLocked(Now());
    }
    stream_->Flush();
  }

  Instant NextDue() {
    const std::lock_guard lock(mutex_);
    return load_.NextDue();
  }

 private:
  void OnReply(const typename Format::Reply& reply) {
    {
      const std::lock_guard lock(mutex_);
      const Instant now = Now();
      load_.CountReply();
      format_.ForEachResult(reply, [&](std::string_view payload) { load_.Finish(payload, now); });
      PumpLocked(now);
    }
    stream_->Flush();
  }

  void PumpLocked(Instant now) {
    std::string_view job = load_.Next(now);
    while (!job.empty()) {
      stream_->Add([&](typename Format::Request& request) {
        std::size_t bytes = 0;
        for (; !job.empty() && bytes < rpc::kMessageBytes; job = load_.Next(now)) {
          bytes += format_.AppendJob(request, job);
        }
        return bytes;
      });
    }
  }

  std::mutex mutex_;
  ClientLoad& load_;
  Format format_;
  std::shared_ptr<Stream> stream_;
};

/// A worker's end. `Format` has: Request, Reply; HasJobs(const Reply&); ForEachJob(const Reply&,
/// visit(view)); Job, made of a view, which owns its bytes; AppendResult(Request&, view), also of a
/// Job, which returns the bytes it added.
template <typename Format>
class StreamWorker {
 public:
  using Stream = rpc::ClientStream<typename Format::Request, typename Format::Reply>;
  using Job = typename Format::Job;

  StreamWorker(const Cell& cell, int index)
      : jobs_(FromSeconds(cell.run_seconds), static_cast<std::uint64_t>(index + 1)),
        stream_(std::make_shared<Stream>([this](const auto& message) { OnMessage(message); },
                                         FailOnEnd)) {}

  Stream& stream() { return *stream_; }

  /// The server has answered: it knows this worker.
  [[nodiscard]] bool ready() const { return ready_; }

  /// REQUIRES: before the first job. Who is told that jobs are held.
  void set_due_thread(DueThread* due_thread) { due_thread_ = due_thread; }

  void OnDue(Instant now) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.TakeDue(now, [this](const Job& job) {
        stream_->Add([&](auto& request) { return Format::AppendResult(request, job); });
      });
    }
    stream_->Flush();
  }

  Instant NextDue() {
    const std::lock_guard lock(mutex_);
    return jobs_.NextDue();
  }

 private:
  void OnMessage(const typename Format::Reply& message) {
    ready_ = true;
    if (!Format::HasJobs(message)) return;
    if (jobs_.at_once()) return AnswerAll(message);
    {
      const std::lock_guard lock(mutex_);
      const Instant now = Now();
      Format::ForEachJob(message, [&](const auto& job) { jobs_.Hold(now, Job(job)); });
    }
    due_thread_->Wake();
  }

  void AnswerAll(const typename Format::Reply& message) {
    stream_->Add([&](typename Format::Request& request) {
      std::size_t bytes = 0;
      Format::ForEachJob(message,
                         [&](const auto& job) { bytes += Format::AppendResult(request, job); });
      return bytes;
    });
    stream_->Flush();
  }

  std::mutex mutex_;
  HeldJobs<Job> jobs_;
  std::atomic<bool> ready_ = false;
  DueThread* due_thread_ = nullptr;
  std::shared_ptr<Stream> stream_;
};

/// Waits until all workers are ready().
template <typename Worker>
void AwaitReady(const std::vector<std::unique_ptr<Worker>>& workers) {
  for (const auto& worker : workers) {
    while (!worker->ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Lets the load begin: jobs that are due at an instant come from a thread that is made here.
/// REQUIRES: all streams are started. The vectors live to the end of the process.
template <typename Client, typename Worker>
void Go(std::vector<std::unique_ptr<Client>>& clients,
        std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<DueThread::Member> members;
  for (const auto& one : clients) {
    members.push_back({[&client = *one] { return client.NextDue(); },
                       [&client = *one](Instant) { client.Pump(); }});
  }
  for (const auto& one : workers) {
    members.push_back({[&worker = *one] { return worker.NextDue(); },
                       [&worker = *one](Instant now) { worker.OnDue(now); }});
  }
  auto* due_thread = new DueThread(std::move(members));  // to the end of the process
  for (const auto& worker : workers) worker->set_due_thread(due_thread);
  for (const auto& client : clients) client->Pump();
}

}  // namespace twofold::bench
