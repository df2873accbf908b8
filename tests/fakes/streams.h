#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "tests/fakes/callers_loop.h"
#include "tests/fakes/inbox.h"
#include "tests/support/googletest.h"
#include "twofold/v1/queue.pb.h"

/// The two streams of the contract, driven by hand: a test says each message and takes each row.
namespace twofold::testing {

struct Assigned {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::string spec;
  v1::JobOptions options;
};

struct Cancelled {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
};

/// Of a call: metadata that it brings.
using Headers = std::map<std::string, std::string>;

/// Begins a call on a connection of its own.
inline void Begin(rpc::OutgoingCall& call, const std::string& address, const std::string& method,
                  const Headers& headers) {
  call.Start(rpc::Channel::Connect(CallersLoop(), address, {}),
             {.path = method, .metadata = {headers.begin(), headers.end()}});
}

/// A worker process as the test wants it to behave.
class WorkerStream {
 public:
  explicit WorkerStream(const std::string& address, const Headers& headers = {})
      : stream_(std::make_shared<Stream>(
            [this](const v1::FrontendMessage& message) { OnMessage(message); },
            [this](const Status& status) { ended.Put(status); })) {
    Begin(*stream_, address, "/twofold.v1.Workers/Work", headers);
  }
  ~WorkerStream() {
    if (!over_) Break();
  }

  void Say(const v1::WorkerMessage& message) {
    stream_->Add([&](v1::WorkerMessage& next) {
      next.MergeFrom(message);
      return std::size_t{1};
    });
    stream_->Flush();
  }

  void Say(const rpc::WorkerResultRow& result) {
    stream_->Add([&](v1::WorkerMessage& next) {
      rpc::Append(*next.mutable_results(), result);
      return result.report.size() + 1;  // so that a message is not longer than one may be
    });
    stream_->Flush();
  }

  /// Joins and waits for the welcome.
  v1::Welcome Join(const std::string& queue, std::uint64_t key, std::uint32_t slots,
                   const std::vector<Assigned>& held = {}) {
    SayHello(queue, key, slots, held);
    return welcomes.Take();
  }

  void SayHello(const std::string& queue, std::uint64_t key, std::uint32_t slots,
                const std::vector<Assigned>& held = {}, std::uint64_t moved_epoch = 0) {
    v1::WorkerMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_queue(queue);
    hello.set_process_key(key);
    hello.set_node("node-" + std::to_string(key));
    hello.set_pod("pod-" + std::to_string(key));
    hello.set_slots(slots);
    hello.mutable_labels()->insert(labels.begin(), labels.end());
    for (const Assigned& job : held) {
      hello.add_held_jobs(job.job);
      hello.add_held_attempts(job.attempt);
    }
    hello.set_moved_epoch(moved_epoch);
    Say(message);
  }

  void Answer(const Assigned& job, v1::Outcome outcome, const v1::Report& report = {}) {
    const std::string bytes = report.SerializeAsString();
    Say({.job = job.job,
         .attempt = job.attempt,
         .outcome = outcome,
         .run_ns = 1000,
         .device = "device",
         .report = bytes});
  }

  void HandBack(const Assigned& job) {
    Say({.job = job.job, .attempt = job.attempt, .device = {}, .handed_back = true, .report = {}});
  }

  /// Breaks off, as if the process had been killed.
  const Status& Break() {
    stream_->Cancel();
    return End();
  }

  /// Says that it leaves and half-closes; the stream ends in order.
  const Status& Leave() {
    v1::WorkerMessage message;
    message.set_leaving(true);
    Say(message);
    stream_->Close();
    return End();
  }

  /// Waits for the end.
  const Status& End() {
    over_ = true;
    end_ = ended.Take();
    return end_;
  }

  std::map<std::string, std::string> labels;  ///< of the Joins to come

  Inbox<v1::Welcome> welcomes;
  Inbox<v1::GangRoster> gangs;  ///< each comes before its members do
  Inbox<Assigned> assigned;
  Inbox<Cancelled> cancelled;
  Inbox<bool> drained;
  Inbox<bool> followed;  ///< somebody wants to see what an attempt prints, or nobody any more
  Inbox<v1::Moved> moved;
  Inbox<Status> ended;

 private:
  using Stream = rpc::ClientStream<v1::WorkerMessage, v1::FrontendMessage>;

  void OnMessage(const v1::FrontendMessage& message) {
    if (message.has_welcome()) welcomes.Put(message.welcome());
    const v1::AssignBatch& assigns = message.assigns();
    for (const v1::GangRoster& gang : assigns.gangs()) gangs.Put(gang);
    rpc::ForEach(assigns, [&](const rpc::AssignRow& row) {
      assigned.Put({row.job, row.attempt, std::string(row.spec),
                    assigns.options(static_cast<int>(row.option))});
    });
    for (int i = 0; i < message.cancels().jobs_size(); ++i) {
      cancelled.Put({message.cancels().jobs(i), message.cancels().attempts(i)});
    }
    if (message.drain()) drained.Put(true);
    for (int i = 0; i < message.follow().jobs_size(); ++i) followed.Put(true);
    for (int i = 0; i < message.unfollow().jobs_size(); ++i) followed.Put(false);
    if (message.has_moved()) moved.Put(message.moved());
  }

  std::shared_ptr<Stream> stream_;
  bool over_ = false;
  Status end_;
};

struct Ended {
  std::uint64_t tag = 0;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::uint64_t wait_ns = 0;
  std::uint64_t run_ns = 0;
  std::uint32_t attempts = 0;
  v1::WorkerName worker;
  v1::Report report;
  std::uint64_t retry_after_ns = 0;
  std::uint64_t others_started = 0;
  std::optional<v1::Standing> standing{};
};

/// A durable job that is on disk.
struct Accepted {
  std::uint64_t tag = 0;
  std::uint64_t job = 0;
};

/// A client's Submit stream as the test wants it to behave.
class SubmitStream {
 public:
  explicit SubmitStream(const std::string& address, const Headers& headers = {})
      : stream_(std::make_shared<Stream>([this](const v1::SubmitReply& reply) { OnReply(reply); },
                                         [this](const Status& status) { ended.Put(status); })) {
    Begin(*stream_, address, "/twofold.v1.Clients/Submit", headers);
  }
  ~SubmitStream() {
    if (!over_) Break();
  }

  void Say(const v1::SubmitRequest& request) {
    stream_->Add([&](v1::SubmitRequest& next) {
      next.MergeFrom(request);
      return std::size_t{1} << 20;  // a message of its own: options are by index
    });
    stream_->Flush();
  }

  void Submit(const v1::JobOptions& options, std::uint64_t tag, const std::string& spec = "",
              std::uint64_t moved_epoch = 0) {
    v1::SubmitRequest request;
    request.set_moved_epoch(moved_epoch);
    request.set_load_key(load_key);
    *request.add_options() = options;
    rpc::Append(request, {.tag = tag, .option = 0, .spec = spec});
    Say(request);
  }

  void Submit(const std::string& queue, std::uint64_t tag) {
    v1::JobOptions options;
    options.set_queue(queue);
    Submit(options, tag);
  }

  const Status& Break() {
    stream_->Cancel();
    return End();
  }

  void HalfClose() { stream_->Close(); }

  const Status& End() {
    over_ = true;
    end_ = ended.Take();
    return end_;
  }

  std::uint64_t load_key = 0;  ///< of the Submits to come

  Inbox<Accepted> accepted;  ///< before the result of the same job
  Inbox<Ended> results;
  Inbox<v1::Moved> moved;
  Inbox<std::uint32_t> shards;
  Inbox<Status> ended;

 private:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  void OnReply(const v1::SubmitReply& reply) {
    for (int i = 0; i < reply.accepted().tags_size(); ++i) {
      accepted.Put({reply.accepted().tags(i), reply.accepted().jobs(i)});
    }
    for (const v1::Moved& one : reply.moved()) moved.Put(one);
    if (reply.shards() > 0) shards.Put(reply.shards());
    EXPECT_TRUE(rpc::Check(reply.results()).ok());
    rpc::ForEach(reply.results(), [&](const rpc::ResultRow& row) {
      Ended one{row.tag,
                row.outcome,
                row.wait_ns,
                row.run_ns,
                row.attempts,
                {},
                {},
                reply.retry_after_ns(),
                reply.others_started()};
      if (reply.has_standing()) one.standing = reply.standing();
      one.worker = reply.results().workers(static_cast<int>(row.worker));
      EXPECT_TRUE(one.report.ParseFromString(std::string(row.report)));
      results.Put(std::move(one));
    });
  }

  std::shared_ptr<Stream> stream_;
  bool over_ = false;
  Status end_;
};

}  // namespace twofold::testing
