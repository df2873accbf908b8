#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "twofold/v1/frontends.grpc.pb.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::fakes {

/// A frontend that knows who serves which queue, on a free port of loopback; the test decides what
/// it says.
///
/// Threads  Safe.
class FakeFrontendsService : private v1::Frontends::Service, private v1::Admin::Service {
 public:
  using List = v1::ListFrontendsReply;

  FakeFrontendsService() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(static_cast<v1::Frontends::Service*>(this));
    builder.RegisterService(static_cast<v1::Admin::Service*>(this));
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  FakeFrontendsService(const FakeFrontendsService&) = delete;
  FakeFrontendsService& operator=(const FakeFrontendsService&) = delete;
  ~FakeFrontendsService() override { server_->Shutdown(std::chrono::system_clock::now()); }

  [[nodiscard]] const std::string& address() const { return address_; }

  /// What it answers, call after call, whatever is asked; then always the last.
  void Answer(std::vector<List> lists) {
    const std::lock_guard lock(mutex_);
    lists_ = std::move(lists);
    next_ = 0;
  }

  /// Of all calls of the service Frontends.
  void Refuse(grpc::Status why) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(why);
  }

  void SetQueues(v1::ListQueuesReply queues) {
    const std::lock_guard lock(mutex_);
    queues_ = std::move(queues);
  }

  /// What it was told to change, as "drain NAME", "move QUEUE NAME" or "accept QUEUE".
  [[nodiscard]] std::vector<std::string> changes() const {
    const std::lock_guard lock(mutex_);
    return changes_;
  }

 private:
  grpc::Status ListFrontends(grpc::ServerContext*, const v1::ListFrontendsRequest*,
                             List* reply) override {
    return Next("", reply);
  }
  grpc::Status DrainFrontend(grpc::ServerContext*, const v1::DrainFrontendRequest* request,
                             List* reply) override {
    return Next("drain " + request->frontend(), reply);
  }
  grpc::Status MoveQueue(grpc::ServerContext*, const v1::MoveQueueRequest* request,
                         List* reply) override {
    return Next("move " + request->queue() + " " + request->to(), reply);
  }
  grpc::Status AcceptLoss(grpc::ServerContext*, const v1::AcceptLossRequest* request,
                          List* reply) override {
    return Next("accept " + request->queue(), reply);
  }
  grpc::Status ListQueues(grpc::ServerContext*, const v1::ListQueuesRequest*,
                          v1::ListQueuesReply* reply) override {
    const std::lock_guard lock(mutex_);
    *reply = queues_;
    return grpc::Status::OK;
  }

  grpc::Status Next(const std::string& change, List* reply) {
    const std::lock_guard lock(mutex_);
    if (!refusal_.ok()) return refusal_;
    if (!change.empty()) changes_.push_back(change);
    *reply = lists_.at(next_);
    if (next_ + 1 < lists_.size()) ++next_;
    return grpc::Status::OK;
  }

  mutable std::mutex mutex_;  // guards the rest
  std::vector<List> lists_ = {List()};
  std::size_t next_ = 0;
  grpc::Status refusal_;
  v1::ListQueuesReply queues_;
  std::vector<std::string> changes_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace twofold::fakes
