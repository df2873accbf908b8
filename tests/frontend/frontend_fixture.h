#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "frontend/frontend.h"
#include "lib/common/address.h"
#include "lib/http/client.h"
#include "tests/fakes/caller.h"
#include "tests/fakes/streams.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// A whole frontend in this process, on free ports, with the queues "sleep" and "media".
class FrontendTest : public ::testing::Test {
 protected:
  void Serve(const std::function<void(Options&)>& change = [](Options&) {}) {
    Options options;
    options.queues = {"sleep", "media"};
    options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
    change(options);
    auto started = Frontend::Start(options);
    ASSERT_TRUE(started.ok()) << started.status();
    frontend_ = *std::move(started);
    caller_ = std::make_unique<testing::Caller>(frontend_->client_address());
  }

  /// A call as a client, see testing::Caller.
  template <typename Reply, typename Request>
  Result<Reply> Call(const std::string& method, const Request& request,
                     const testing::CallTerms& terms = {}) {
    return caller_->Call<Reply>(method, request, terms);
  }

  std::unique_ptr<testing::WorkerStream> NewWorker() {
    return std::make_unique<testing::WorkerStream>(frontend_->worker_address());
  }
  std::unique_ptr<testing::SubmitStream> NewClient() {
    return std::make_unique<testing::SubmitStream>(frontend_->client_address());
  }

  v1::Queue Queue(const std::string& name) {
    const auto reply =
        testing::Good(Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest()));
    for (const v1::Queue& queue : reply.queues()) {
      if (queue.name() == name) return queue;
    }
    ADD_FAILURE() << "no queue " << name;
    return {};
  }

  /// Waits until the queue is as wanted; fails after a time that only a hang takes.
  void AwaitQueue(const std::string& name, const std::function<bool(const v1::Queue&)>& wanted) {
    for (int i = 0; i < 3000; ++i) {
      if (wanted(Queue(name))) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "queue " << name << " stays " << Queue(name).ShortDebugString();
  }

  http::Response Get(const std::string& path) {
    auto response =
        http::Get("http://" + frontend_->http_address() + path, std::chrono::seconds(10));
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : http::Response{};
  }

  std::unique_ptr<Frontend> frontend_;
  std::unique_ptr<testing::Caller> caller_;
};

}  // namespace twofold::frontend
