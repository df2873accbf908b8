#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/rpc/batches.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::fakes {

/// What is put in by one thread and awaited by another.
template <typename T>
class Mailbox {
 public:
  static constexpr std::chrono::seconds kPatience{20};  ///< then the test has failed

  void Put(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }

  /// The next item; nullopt (and a failed test) if none comes.
  std::optional<T> Take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [this] { return !items_.empty(); })) {
      ADD_FAILURE() << "nothing came for " << kPatience.count() << " s";
      return std::nullopt;
    }
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
};

/// The frontend's end of one Work stream, for a test to play the frontend.
///
/// Threads  Receive... from one thread; the rest from any.
class FakeWorkStream : public rpc::ServerStream<v1::WorkerMessage, v1::FrontendMessage> {
 public:
  /// A row of WorkerResults with its own memory.
  struct Result {
    std::uint64_t job = 0;
    std::uint32_t attempt = 0;
    v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
    std::uint64_t run_ns = 0;
    std::string device;
    bool handed_back = false;
    v1::Report report;
  };

  /// How the stream ends when the worker half-closes it; OK unless told.
  void AnswerHalfCloseWith(Status status) {
    const std::lock_guard lock(end_mutex_);
    end_ = std::move(status);
  }

  /// The next message of the worker; nullopt after its half-close or end.
  std::optional<v1::WorkerMessage> Receive() {
    std::optional<std::optional<v1::WorkerMessage>> item = received_.Take();
    return item ? *std::move(item) : std::nullopt;
  }

  /// The Hello that must come first, answered with a Welcome.
  v1::Hello Welcome(std::chrono::nanoseconds lease = std::chrono::seconds(60),
                    std::chrono::nanoseconds idle_lease = std::chrono::nanoseconds(0)) {
    v1::FrontendMessage reply;
    reply.mutable_welcome()->set_lease_ns(static_cast<std::uint64_t>(lease.count()));
    reply.mutable_welcome()->set_idle_lease_ns(static_cast<std::uint64_t>(idle_lease.count()));
    const std::optional<v1::WorkerMessage> first = Receive();
    EXPECT_TRUE(first && first->has_hello()) << "the first message must be Hello";
    Send(reply);
    return first ? first->hello() : v1::Hello();
  }

  /// For parts without columns: it is merged into the message that goes out next.
  void Send(const v1::FrontendMessage& message) {
    Add([&](v1::FrontendMessage& out) {
      out.MergeFrom(message);
      return std::size_t{1};
    });
    Flush();
  }

  /// Hands out jobs `first` .. `first + count - 1`, attempt 1, with the same options and spec.
  void SendAssigns(std::uint64_t first, std::uint64_t count, const v1::JobOptions& options = {},
                   const std::string& spec = {}) {
    Add([&](v1::FrontendMessage& out) {
      v1::AssignBatch& batch = *out.mutable_assigns();
      const auto option = static_cast<std::uint32_t>(batch.options_size());
      *batch.add_options() = options;
      for (std::uint64_t job = first; job < first + count; ++job) {
        rpc::Append(batch, rpc::AssignRow{job, 1, option, spec});
      }
      return std::size_t{1};
    });
    Flush();
  }

  /// Says something about one attempt: `part` is one of the message's mutable_...() of
  /// v1::Attempts.
  void SendAttempt(v1::Attempts* (v1::FrontendMessage::*part)(), std::uint64_t job,
                   std::uint32_t attempt = 1) {
    v1::FrontendMessage message;
    (message.*part)()->add_jobs(job);
    (message.*part)()->add_attempts(attempt);
    Send(message);
  }

  void SendCancel(std::uint64_t job, std::uint32_t attempt = 1) {
    SendAttempt(&v1::FrontendMessage::mutable_cancels, job, attempt);
  }
  void SendGo(std::uint64_t job) { SendAttempt(&v1::FrontendMessage::mutable_go, job); }
  void SendKept(std::uint64_t job) { SendAttempt(&v1::FrontendMessage::mutable_kept, job); }
  void SendFollow(std::uint64_t job) { SendAttempt(&v1::FrontendMessage::mutable_follow, job); }
  void SendUnfollow(std::uint64_t job) { SendAttempt(&v1::FrontendMessage::mutable_unfollow, job); }

  /// Hands out `rank` of a gang of `size` as `job`, attempt 1. The gang is attempt 3 of job 700;
  /// its addresses are 10.0.0.1 and so on.
  void SendMember(std::uint64_t job, std::uint32_t rank, std::uint32_t size,
                  const v1::JobOptions& options = {}) {
    Add([&](v1::FrontendMessage& out) {
      v1::AssignBatch& batch = *out.mutable_assigns();
      const auto option = static_cast<std::uint32_t>(batch.options_size());
      *batch.add_options() = options;
      v1::GangMember& member = *batch.add_members();
      member.set_row(static_cast<std::uint32_t>(batch.jobs_size()));
      member.set_gang(static_cast<std::uint32_t>(batch.gangs_size()));
      member.set_rank(rank);
      v1::GangRoster& gang = *batch.add_gangs();
      gang.set_job(700);
      gang.set_attempt(3);
      gang.set_secret("\x01\xab");
      for (std::uint32_t peer = 0; peer < size; ++peer) {
        gang.add_peers()->set_address("10.0.0." + std::to_string(peer + 1));
      }
      rpc::Append(batch, rpc::AssignRow{job, 1, option, {}});
      return std::size_t{1};
    });
    Flush();
  }

  void SendDrain() {
    v1::FrontendMessage message;
    message.set_drain(true);
    Send(message);
  }

  /// Results until there are `count`, fewer if the stream ends before. Passes over the rest.
  std::vector<Result> ReceiveResults(std::size_t count) {
    std::vector<Result> results;
    while (results.size() < count) {
      const std::optional<v1::WorkerMessage> message = Receive();
      if (!message) break;
      AppendResults(message->results(), results);
    }
    return results;
  }

  /// What HearUntil has heard so far, by kind.
  struct Heard {
    std::vector<Result> results;
    std::vector<std::uint64_t> ready;  ///< jobs
    std::vector<v1::Progress> progress;
    std::string output;  ///< of all jobs
    std::uint64_t missed = 0;
    std::size_t largest_chunk = 0;  ///< of output
  };

  /// Receives until `condition(heard)` holds; it fails the test if the stream ends before.
  template <typename Condition>
  const Heard& HearUntil(Condition&& condition) {
    while (!condition(std::as_const(heard_))) {
      const std::optional<v1::WorkerMessage> message = Receive();
      EXPECT_TRUE(message) << "the stream has ended";
      if (!message) break;
      AppendResults(message->results(), heard_.results);
      heard_.ready.insert(heard_.ready.end(), message->ready().jobs().begin(),
                          message->ready().jobs().end());
      heard_.progress.insert(heard_.progress.end(), message->progress().begin(),
                             message->progress().end());
      for (const v1::Output& output : message->output()) {
        heard_.output += output.data();
        heard_.missed += output.missed();
        heard_.largest_chunk = std::max(heard_.largest_chunk, output.data().size());
      }
    }
    return heard_;
  }

  const Heard& HearReady(std::size_t count) {
    return HearUntil([=](const Heard& heard) { return heard.ready.size() >= count; });
  }
  const Heard& HearResults(std::size_t count) {
    return HearUntil([=](const Heard& heard) { return heard.results.size() >= count; });
  }

  /// After the next message nothing is read, nor sent, until Resume, which must come before the
  /// test ends.
  void Pause() { SetPaused(true, true); }
  /// The worker's half-close is not heard until Resume; all before it is, and what is added, sent.
  void PauseAtHalfClose() { SetPaused(false, true); }
  void Resume() { SetPaused(false, false); }

  /// Passes over messages until one says that the worker drains. False: the stream ended before.
  bool ReceiveDraining() {
    while (const std::optional<v1::WorkerMessage> message = Receive()) {
      if (message->draining()) return true;
    }
    return false;
  }

  /// Passes over messages until the worker has half-closed; the number of results among them.
  std::size_t ReceiveEnd() {
    std::size_t results = 0;
    while (const std::optional<v1::WorkerMessage> message = Receive()) {
      results += static_cast<std::size_t>(message->results().jobs_size());
    }
    return results;
  }

 private:
  static void AppendResults(const v1::WorkerResults& batch, std::vector<Result>& results) {
    EXPECT_TRUE(rpc::Check(batch).ok()) << rpc::Check(batch);
    rpc::ForEach(batch, [&](const rpc::WorkerResultRow& row) {
      results.push_back({row.job,
                         row.attempt,
                         row.outcome,
                         row.run_ns,
                         std::string(row.device),
                         row.handed_back,
                         {}});
      EXPECT_TRUE(results.back().report.ParseFromString(std::string(row.report)));
    });
  }

  void SetPaused(bool at_messages, bool at_half_close) {
    const std::lock_guard lock(pause_mutex_);
    paused_at_messages_ = at_messages;
    paused_at_half_close_ = at_half_close;
    resumed_.notify_all();
  }
  // The thread of the server's loop waits here, so nothing else is read or written.
  void AwaitResume(const bool& paused) {
    std::unique_lock lock(pause_mutex_);
    resumed_.wait(lock, [&] { return !paused; });
  }

  void OnMessage(const v1::WorkerMessage& message) override {
    received_.Put(message);
    AwaitResume(paused_at_messages_);
  }
  void OnHalfClosed() override {
    AwaitResume(paused_at_half_close_);
    received_.Put(std::nullopt);
    const std::lock_guard lock(end_mutex_);
    Close(end_);
  }
  void OnGone() override {}

  Mailbox<std::optional<v1::WorkerMessage>> received_;
  std::mutex end_mutex_;
  Status end_;
  std::mutex pause_mutex_;
  std::condition_variable resumed_;
  bool paused_at_messages_ = false;
  bool paused_at_half_close_ = false;
  Heard heard_;
};

/// A frontend's worker side on a free port of loopback; the test decides what it says.
class FakeWorkersService : private rpc::Service {
 public:
  FakeWorkersService() : rpc::Service("twofold.v1.Workers") {
    Serve("Work", [this](auto&) {
      auto stream = std::make_shared<FakeWorkStream>();
      opened_.Put(stream);
      return stream;
    });
    server_ = rpc::Listen("127.0.0.1:0", {this}).value();
    address_ = ToString(server_->address());
  }

  [[nodiscard]] const std::string& address() const { return address_; }

  /// The next stream that a worker has opened; null (and a failed test) if none comes.
  std::shared_ptr<FakeWorkStream> Accept() { return opened_.Take().value_or(nullptr); }

 private:
  std::string address_;
  Mailbox<std::shared_ptr<FakeWorkStream>> opened_;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace twofold::fakes
