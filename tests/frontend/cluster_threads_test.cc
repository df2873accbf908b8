// Two frontends and everybody at once, each at the one that does not serve the queue as well: what
// is looked for are races of streams that are passed on, of calls that are forwarded, and of lists
// that are gathered. ThreadSanitizer names them.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "frontend/frontend.h"
#include "tests/fakes/caller.h"
#include "tests/fakes/streams.h"
#include "tests/support/postgres_server.h"
#include "tests/support/program.h"
#include "twofold/v1/frontends.pb.h"

namespace twofold::frontend {
namespace {

using std::chrono::milliseconds;
using testing::SubmitStream;
using testing::WorkerStream;

constexpr std::uint64_t kJobs = 60;

class ClusterThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    const std::string database = testing::PostgresServer::Shared().NewDatabase();
    for (std::size_t i = 0; i < frontends_.size(); ++i) {
      Options options;
      options.queues = {"sleep"};
      options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
      options.storage.url = database;
      options.name = "frontend-" + std::to_string(i);
      options.relay = true;
      options.ttl = 3;
      auto started = Frontend::Start(options);
      ASSERT_TRUE(started.ok()) << started.status();
      frontends_.at(i) = *std::move(started);
    }
    for (const auto& frontend : frontends_) {
      ASSERT_TRUE(testing::Await([&] { return Serves(*frontend); }));
    }
  }

  /// Whether the frontend knows who serves the queue.
  static bool Serves(const Frontend& frontend) {
    const auto reply =
        Ask<v1::ListQueuesReply>(frontend, "Admin/ListQueues", v1::ListQueuesRequest());
    return reply.ok() && reply->queues_size() == 1 && !reply->queues(0).frontend().empty();
  }

  /// A call on a connection of its own.
  template <typename Reply, typename Request>
  static Result<Reply> Ask(const Frontend& frontend, const std::string& method,
                           const Request& request) {
    return testing::Caller(frontend.client_address()).Call<Reply>(method, request);
  }

  /// Succeeds with each job that comes, until it is told.
  void Work(const Frontend& frontend, std::uint64_t key) {
    WorkerStream worker(frontend.worker_address());
    worker.Join("sleep", key, 4);
    while (!done_) {
      const auto job = worker.assigned.TakeWithin(milliseconds(20));
      if (!job) continue;
      last_job_ = job->job;
      worker.Answer(*job, v1::OUTCOME_SUCCEEDED);
    }
  }

  /// Submits, every other job durable, and waits for all ends.
  static void Submit(const Frontend& frontend) {
    SubmitStream client(frontend.client_address());
    for (std::uint64_t tag = 1; tag <= kJobs; ++tag) {
      v1::JobOptions options;
      options.set_queue("sleep");
      options.set_durable(tag % 2 == 0);
      client.Submit(options, tag, "spec");
    }
    std::vector<bool> ended(kJobs + 1);
    for (std::uint64_t i = 0; i < kJobs; ++i) {
      const std::uint64_t tag = client.results.Take().tag;
      EXPECT_FALSE(ended.at(tag)) << "job " << tag << " ended twice";
      ended[tag] = true;
    }
    client.HalfClose();
    EXPECT_TRUE(client.End().ok());
  }

  /// Follows the newest job, for a message.
  void Follow(const Frontend& frontend) {
    v1::FollowJobRequest request;
    request.set_id(last_job_);
    testing::Caller(frontend.client_address())
        .Ask<v1::JobUpdate>("Clients/FollowJob", request)
        ->Next();
  }

  void AskAll(const Frontend& frontend) {
    while (!done_) {
      v1::GetJobRequest job;
      job.set_id(last_job_);
      (void)Ask<v1::Job>(frontend, "Clients/GetJob", job);
      (void)Ask<v1::ListJobsReply>(frontend, "Clients/ListJobs", v1::ListJobsRequest());
      (void)Ask<v1::ListQueuesReply>(frontend, "Admin/ListQueues", v1::ListQueuesRequest());
      (void)Ask<v1::ListFrontendsReply>(frontend, "Frontends/ListFrontends",
                                        v1::ListFrontendsRequest());
      Follow(frontend);
    }
  }

  std::array<std::unique_ptr<Frontend>, 2> frontends_;
  std::atomic<std::uint64_t> last_job_ = 1;
  std::atomic<bool> done_ = false;
};

TEST_F(ClusterThreadsTest, JobsOfAllEndOnceWhicheverFrontendTheyAndTheirWorkersReach) {
  std::vector<std::thread> others;
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < frontends_.size(); ++i) {
    const Frontend& frontend = *frontends_.at(i);
    others.emplace_back([this, &frontend, i] { Work(frontend, i + 1); });
    others.emplace_back([this, &frontend] { AskAll(frontend); });
    clients.emplace_back([&frontend] { Submit(frontend); });
  }
  for (std::thread& client : clients) client.join();
  done_ = true;
  for (std::thread& other : others) other.join();
}

TEST_F(ClusterThreadsTest, StreamsThatArePassedOnEndWithTheirFrontends) {
  std::vector<std::unique_ptr<WorkerStream>> workers;
  std::vector<std::unique_ptr<SubmitStream>> clients;
  for (const auto& frontend : frontends_) {
    workers.push_back(std::make_unique<WorkerStream>(frontend->worker_address()));
    workers.back()->Join("sleep", workers.size(), 1);
    clients.push_back(std::make_unique<SubmitStream>(frontend->client_address()));
    clients.back()->Submit("sleep", 1);
    clients.back()->Submit("sleep", 2);
  }
  for (auto& frontend : frontends_) frontend.reset();
  for (const auto& client : clients) client->End();
  for (const auto& worker : workers) worker->End();
}

}  // namespace
}  // namespace twofold::frontend
