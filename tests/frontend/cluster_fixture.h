#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "lib/common/address.h"
#include "lib/security/client.h"
#include "tests/fakes/caller.h"
#include "tests/fakes/streams.h"
#include "tests/support/postgres_server.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// One of several frontends, and a client of it.
class Member {
 public:
  Member(const Options& options, const security::Client& client) {
    auto started = Frontend::Start(options);
    EXPECT_TRUE(started.ok()) << started.status();
    if (!started.ok()) return;
    frontend_ = *std::move(started);
    caller_.emplace(frontend_->client_address(), client);
  }

  [[nodiscard]] Frontend& frontend() const { return *frontend_; }
  [[nodiscard]] testing::Caller& caller() { return *caller_; }

  /// Calls a method. Tries again while the queue is between two frontends, as a caller is asked to;
  /// a call that looks forwarded is made once.
  template <typename Reply, typename Request>
  Result<Reply> Call(const std::string& method, const Request& request, bool forwarded = false) {
    testing::CallTerms terms;
    if (forwarded) terms.headers = {{"twofold-forwarded", "1"}, {"twofold-hops", "3"}};
    for (int tries = 0;; ++tries) {
      auto reply = caller_->Call<Reply>(method, request, terms);
      if (!absl::IsUnavailable(reply.status()) || forwarded || tries == 500) return reply;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  Result<v1::Job> Submit(const v1::JobOptions& options, bool forwarded = false) {
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    return Call<v1::Job>("Clients/SubmitJob", request, forwarded);
  }
  v1::Job Submit(const std::string& queue, bool durable = false) {
    v1::JobOptions options;
    options.set_queue(queue);
    options.set_durable(durable);
    return testing::Good(Submit(options));
  }
  Result<v1::Job> Get(std::uint64_t id, bool forwarded = false) {
    v1::GetJobRequest request;
    request.set_id(id);
    return Call<v1::Job>("Clients/GetJob", request, forwarded);
  }
  Result<v1::Job> Cancel(std::uint64_t id) {
    v1::CancelJobRequest request;
    request.set_id(id);
    return Call<v1::Job>("Clients/CancelJob", request);
  }
  v1::ListFrontendsReply List() {
    return testing::Good(
        Call<v1::ListFrontendsReply>("Frontends/ListFrontends", v1::ListFrontendsRequest()));
  }
  std::map<std::string, v1::Queue> Queues() {
    const auto reply = Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest());
    std::map<std::string, v1::Queue> queues;
    if (!reply.ok()) return queues;
    for (const v1::Queue& queue : reply->queues()) queues[queue.name()] = queue;
    return queues;
  }
  /// "PauseQueue" or another change of one.
  Result<v1::Queue> Do(const std::string& change, const std::string& queue) {
    v1::QueueRequest request;
    request.set_queue(queue);
    return Call<v1::Queue>("Admin/" + change, request);
  }

 private:
  std::optional<testing::Caller> caller_;
  std::unique_ptr<Frontend> frontend_;
};

/// Frontends in this process that share a database of a real server. REQUIRES: it is installed.
class Cluster {
 public:
  using Change = std::function<void(Options&)>;

  Cluster(std::vector<std::string> queues, Change change = {}, security::Client client = {})
      : queues_(std::move(queues)), change_(std::move(change)), client_(std::move(client)) {}

  Member& Add(const std::string& name) {
    Options options;
    options.queues = queues_;
    options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
    options.storage.url = address_;
    options.name = name;
    options.ttl = 3;
    if (change_) change_(options);
    members_[name] = std::make_unique<Member>(options, client_);
    return *members_[name];
  }

  void Remove(const std::string& name) { members_.erase(name); }
  Member& at(const std::string& name) { return *members_.at(name); }
  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] std::vector<Member*> all() const {
    std::vector<Member*> all;
    for (const auto& [name, member] : members_) all.push_back(member.get());
    return all;
  }

  /// Waits until all is as wanted; fails after a time that only a hang takes.
  static void Await(const std::string& what, const std::function<bool()>& is_so) {
    for (int i = 0; i < 3000; ++i) {
      if (is_so()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "it never came about: " << what;
  }

  /// Who serves which queue, as all members say; empty: they do not agree, or durable work waits.
  std::map<std::string, std::string> Owners() {
    std::map<std::string, std::string> owners;
    for (Member* const member : all()) {
      std::map<std::string, std::string> seen;
      for (const auto& [name, queue] : member->Queues()) {
        if (queue.frontend().empty() || !queue.store_trouble().empty()) return {};
        seen[name] = queue.frontend();
      }
      if (seen.size() != queues_.size() || (!owners.empty() && owners != seen)) return {};
      owners = std::move(seen);
    }
    return owners;
  }

  /// Waits until all queues are served.
  std::map<std::string, std::string> AwaitOwners(
      const std::function<bool(const std::map<std::string, std::string>&)>& wanted = {}) {
    std::map<std::string, std::string> owners;
    Await("queues have their owners", [&] {
      owners = Owners();
      return !owners.empty() && (!wanted || wanted(owners));
    });
    return owners;
  }

  Status Move(Member& asked, const std::string& queue, const std::string& to) {
    v1::MoveQueueRequest request;
    request.set_queue(queue);
    request.set_to(to);
    return asked.Call<v1::ListFrontendsReply>("Frontends/MoveQueue", request).status();
  }

 private:
  const std::string address_ = testing::PostgresServer::Shared().NewDatabase();
  const std::vector<std::string> queues_;
  const Change change_;
  const security::Client client_;
  std::map<std::string, std::unique_ptr<Member>> members_;
};

inline const std::vector<std::string> kQueues = {"q0", "q1", "q2", "q3", "q4", "q5"};
inline const std::vector<std::string> kNames = {"a", "b", "c"};

/// Three frontends that the tests share, and leave as they are.
class ClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!testing::PostgresServer::IsInstalled()) return;
    cluster_ = std::make_unique<Cluster>(kQueues);
    for (const std::string& name : kNames) cluster_->Add(name);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (!testing::PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    owners_ = cluster_->AwaitOwners();
    queue_ = kQueues[0];
  }

  Member& Owner() { return cluster_->at(owners_.at(queue_)); }
  Member& Other() { return cluster_->at(owners_.at(queue_) == "a" ? "b" : "a"); }
  std::string OtherName() { return owners_.at(queue_) == "a" ? "b" : "a"; }

  /// A worker where the queue is served.
  std::unique_ptr<testing::WorkerStream> Join(std::uint64_t key) {
    auto worker = std::make_unique<testing::WorkerStream>(Owner().frontend().worker_address());
    worker->Join(queue_, key, 1);
    return worker;
  }

  /// The stream of a client that goes where it was told to until its job waits there: who comes
  /// while a queue is being opened is told to come again.
  std::unique_ptr<testing::SubmitStream> SubmitWhereItIs(v1::Moved where, std::uint64_t tag) {
    v1::JobOptions options;
    options.set_queue(queue_);
    for (int hops = 0; hops < 100; ++hops) {
      auto client = std::make_unique<testing::SubmitStream>(where.shards(0).client_address());
      client->Submit(options, tag, "", where.epoch());
      Cluster::Await("the job waits, or is sent on", [&] {
        return !client->moved.empty() || Owner().Queues().at(queue_).waiting() == 1;
      });
      if (client->moved.empty()) return client;
      where = client->moved.Take();
    }
    ADD_FAILURE() << "client is sent around";
    return nullptr;
  }

  /// A worker that goes where it was told to until it is welcome: who comes while a queue is being
  /// opened is told to come again.
  std::unique_ptr<testing::WorkerStream> Follow(v1::Moved where, std::uint64_t key,
                                                const std::vector<testing::Assigned>& held = {}) {
    for (int hops = 0; hops < 100; ++hops) {
      auto worker = std::make_unique<testing::WorkerStream>(where.shards(0).worker_address());
      worker->SayHello(queue_, key, 1, held, where.epoch());
      for (int i = 0; i < 1000 && worker->moved.empty(); ++i) {
        if (worker->welcomes.TakeWithin(std::chrono::milliseconds(20))) return worker;
      }
      where = worker->moved.Take();
    }
    ADD_FAILURE() << "worker is sent around";
    return nullptr;
  }

  v1::Job AwaitFinished(Member& asked, std::uint64_t id) {
    Result<v1::Job> job = v1::Job();
    Cluster::Await("job ends", [&] {
      job = asked.Get(id);
      return job.ok() && job->state() == v1::JOB_STATE_FINISHED;
    });
    return testing::Good(job);
  }

  static inline std::unique_ptr<Cluster> cluster_;
  std::map<std::string, std::string> owners_;
  std::string queue_;
};

}  // namespace twofold::frontend
