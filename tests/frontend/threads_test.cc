// Everybody at once: streams, calls of all kinds, pages and a load, with no library between that
// was built without the sanitizer. What is looked for are races, which ThreadSanitizer names.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "lib/http/client.h"
#include "lib/load/engine/run.h"
#include "tests/fakes/caller.h"
#include "tests/fakes/streams.h"
#include "tests/support/program.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Assigned;
using testing::SubmitStream;
using testing::WorkerStream;

constexpr int kWorkers = 3;
constexpr int kClients = 3;
constexpr std::uint64_t kJobsOfClient = 150;

/// Threads that go on until they are told.
class Crowd {
 public:
  ~Crowd() { Stop(); }

  /// Calls `act` again and again.
  void Add(std::function<void()> act) {
    threads_.emplace_back([this, act = std::move(act)] {
      while (!stops_) act();
    });
  }
  void Stop() {
    stops_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> stops_ = false;
  std::vector<std::thread> threads_;
};

std::uint64_t Succeeded(const load::Run& load) {
  return load.Look().totals.finished[v1::OUTCOME_SUCCEEDED];
}

class ThreadsTest : public ::testing::Test {
 protected:
  void Serve(const std::string& client_address = "127.0.0.1:0",
             const std::string& worker_address = "127.0.0.1:0") {
    Options options;
    options.queues = {"sleep"};
    options.client_address = client_address;
    options.worker_address = worker_address;
    options.http_address = "127.0.0.1:0";
    options.loops = 3;
    options.storage.url = "sqlite:" + (folder_ / "store.db");
    auto started = Frontend::Start(options);
    ASSERT_TRUE(started.ok()) << started.status();
    frontend_ = *std::move(started);
  }

  /// A call, and nothing of its answer.
  void Ask(const std::string& method, const google::protobuf::Message& request) {
    testing::Caller caller(frontend_->client_address());
    (void)caller.CallWithBytes(method, request.SerializeAsString());
  }
  void AskOfJob(const std::string& method) {
    v1::GetJobRequest request;
    request.set_id(last_job_);
    Ask(method, request);
  }
  void AskOfWorkers(const std::string& method) {
    v1::WorkersRequest request;
    request.set_node("*");
    Ask(method, request);
  }

  /// A worker that succeeds, until its stream ends.
  void Work(Crowd& crowd, std::uint64_t key) {
    const auto worker = std::make_shared<WorkerStream>(frontend_->worker_address());
    worker->Join("sleep", key, 8);
    crowd.Add([this, worker] {
      const auto job = worker->assigned.TakeWithin(milliseconds(20));
      if (!job) return;
      last_job_ = job->job;
      worker->Answer(*job, v1::OUTCOME_SUCCEEDED);
    });
  }

  /// Submits, every other job durable, and waits for all results.
  void Submit() {
    SubmitStream client(frontend_->client_address());
    for (std::uint64_t tag = 1; tag <= kJobsOfClient; ++tag) {
      v1::JobOptions options;
      options.set_queue("sleep");
      options.set_durable(tag % 2 == 0);
      client.Submit(options, tag, "spec");
    }
    std::vector<bool> ended(kJobsOfClient + 1);
    for (std::uint64_t i = 0; i < kJobsOfClient; ++i) {
      const std::uint64_t tag = client.results.Take().tag;
      EXPECT_FALSE(ended.at(tag)) << "job " << tag << " ended twice";
      ended[tag] = true;
    }
    client.HalfClose();
    EXPECT_TRUE(client.End().ok());
  }

  testing::TempDir folder_;
  std::unique_ptr<Frontend> frontend_;
  std::atomic<std::uint64_t> last_job_ = 1;
};

TEST_F(ThreadsTest, JobsOfAllEndOnceWhileEverybodyAsks) {
  Serve();
  Crowd crowd;
  for (std::uint64_t key = 1; key <= kWorkers; ++key) Work(crowd, key);
  crowd.Add([&] {
    Ask("Admin/ListQueues", v1::ListQueuesRequest());
    AskOfWorkers("Admin/ListWorkers");
    AskOfWorkers("Admin/PauseWorkers");
    AskOfWorkers("Admin/ResumeWorkers");
  });
  crowd.Add([&] {
    for (const char* method : {"GetJob", "ExplainJob"}) {
      AskOfJob(std::string("Clients/") + method);
    }
    Ask("Clients/ListJobs", v1::ListJobsRequest());
    Ask("Results/ListRuns", v1::ListRunsRequest());
  });
  crowd.Add([&] {
    for (const char* page : {"/metrics", "/", "/api/v1/queues"}) {
      static_cast<void>(http::Get("http://" + frontend_->http_address() + page, seconds(30)));
    }
  });
  crowd.Add([&] {  // comes and goes with what it has
    SubmitStream passing(frontend_->client_address());
    passing.Submit("sleep", 1);
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back([&] { Submit(); });
  for (std::thread& client : clients) client.join();
  AskOfWorkers("Admin/ResumeWorkers");
}

TEST_F(ThreadsTest, FrontendEndsWhileStreamsAreOpen) {
  Serve();
  WorkerStream worker(frontend_->worker_address());
  worker.Join("sleep", 1, 1);
  SubmitStream client(frontend_->client_address());
  client.Submit("sleep", 1);
  client.Submit("sleep", 2);
  const Assigned running = worker.assigned.Take();
  EXPECT_GT(running.job, 0U);
  frontend_.reset();
  EXPECT_FALSE(client.End().ok());
  EXPECT_FALSE(worker.End().ok());
}

TEST_F(ThreadsTest, LoadOutlivesItsFrontend) {
  Serve();
  const std::string clients = frontend_->client_address();
  const std::string workers = frontend_->worker_address();
  load::RunOptions options;
  options.frontend = clients;
  options.job.options.set_queue("sleep");
  options.profile = load::ParallelProfile(32, load::kForever);
  options.warm_up = Duration(0);
  load::Run load(options);
  ASSERT_TRUE(load.Start().ok());
  for (std::uint64_t key = 1; key <= 3; ++key) {
    const std::uint64_t before = Succeeded(load);
    {
      Crowd crowd;
      Work(crowd, key);
      EXPECT_TRUE(testing::Await([&] { return Succeeded(load) > before + 100; }));
    }
    frontend_.reset();
    Serve(clients, workers);
  }
  EXPECT_TRUE(load.Finish([] { return true; }).has_value());
}

}  // namespace
}  // namespace twofold::frontend
