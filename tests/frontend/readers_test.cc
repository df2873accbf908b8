// What reads the store keeps nobody else waiting, though the disk hangs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/end_limit.h"
#include "frontend/services/services.h"
#include "frontend/web/web.h"
#include "lib/common/address.h"
#include "lib/http/client.h"
#include "lib/http/server.h"
#include "lib/rpc/listen.h"
#include "tests/fakes/caller.h"
#include "tests/fakes/memory_store.h"
#include "tests/fakes/retry_after.h"
#include "tests/fakes/streams.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using testing::Good;
using ::testing::HasSubstr;

/// Calls wait here while the disk hangs.
class Disk {
 public:
  void Hang() { Set(true); }
  void GoOn() { Set(false); }

  void Pass() const {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [this] { return !hangs_; });
    --waiting_;
  }

  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  void Set(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::size_t waiting_ = 0;
  bool hangs_ = false;
};

class StoreOnDisk final : public results::Store {
 public:
  explicit StoreOnDisk(const Disk& disk) : disk_(disk) {}

  Status Commit(std::span<const results::Record> records) override {
    disk_.Pass();
    return memory_.Commit(records);
  }
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override {
    return memory_.Load(visit);
  }
  Result<results::StoredJob> Find(results::JobId job) const override {
    disk_.Pass();
    return memory_.Find(job);
  }
  Result<std::vector<results::StoredJob>> List(const results::JobQuery& query) const override {
    disk_.Pass();
    return memory_.List(query);
  }
  Result<std::size_t> Forget(const results::Retention& retention, std::size_t at_most) override {
    return memory_.Forget(retention, at_most);
  }

 private:
  const Disk& disk_;
  results::MemoryStore memory_;
};

/// A frontend with the volatile queue "sleep" and the durable queue "kept".
class ReadersTest : public ::testing::Test {
 protected:
  ReadersTest() {
    queues_.SetStore(store_, *journal_);
    auto storage = Storage::Open({.url = "sqlite:" + std::string(folder_ / "jobs.db")});
    EXPECT_TRUE(storage.ok()) << storage.status();
    storage_ = *std::move(storage);
    client_server_ = Listen({&clients_, &admin_}, &client_address_);
    worker_server_ = Listen({&workers_}, &worker_address_);
    auto http = http::Server::Start(
        {"127.0.0.1", 0},
        MakeWeb({.queues = queues_,
                 .storage = storage_.get(),
                 .gates = {&gate_},
                 .stalled = [] { return std::string(); }}),
        {.run_later = [this](ReaderPool::Task task) { return readers_.Post(std::move(task)); }});
    EXPECT_TRUE(http.ok()) << http.status();
    http_ = *std::move(http);
    caller_.emplace(client_address_);
  }

  ~ReadersTest() override {
    disk_.GoOn();
    http_.reset();
    for (rpc::Server* server : {client_server_.get(), worker_server_.get()}) {
      server->Shutdown(Duration(0));
    }
    readers_.Stop();
    journal_.reset();
  }

  static std::unique_ptr<rpc::Server> Listen(const std::vector<rpc::Service*>& services,
                                             std::string* address) {
    auto server = rpc::Listen("127.0.0.1:0", services);
    EXPECT_TRUE(server.ok()) << server.status();
    *address = ToString((*server)->address());
    return *std::move(server);
  }

  using List = testing::OpenCall<v1::ListJobsRequest, v1::ListJobsReply>;

  /// Begins to list finished jobs, which reads the store.
  std::unique_ptr<List> ListFinished() {
    v1::ListJobsRequest request;
    request.set_finished(true);
    return caller_->Ask<v1::ListJobsReply>("Clients/ListJobs", request);
  }

  /// As many lists as there are threads for, each of which waits for the disk.
  void KeepAllReadersBusy() {
    disk_.Hang();
    for (std::size_t i = 0; i < ReaderPool::kThreads; ++i) lists_.push_back(ListFinished());
    EXPECT_TRUE(testing::Await([this] { return disk_.waiting() == ReaderPool::kThreads; }));
  }

  void ExpectAllListsEndWell() {
    disk_.GoOn();
    for (const auto& list : lists_) EXPECT_EQ(list->End(), absl::OkStatus());
  }

  /// Jobs of "sleep" that wait; nobody waits for them.
  void SubmitJobs(std::size_t count) {
    const auto options = std::make_shared<queue::JobOptions>();
    QueueHost::Turn turn(*queues_.all()[0], Now());
    for (std::size_t i = 0; i < count; ++i) turn.Submit(queue::kDetached, 0, options, "");
  }

  int StatusOf(const std::string& path) {
    const auto response = http::Get("http://127.0.0.1:" + std::to_string(http_->port()) + path,
                                    std::chrono::seconds(20));
    EXPECT_TRUE(response.ok()) << path << ": " << response.status();
    return response.ok() ? response->status : 0;
  }

  const testing::TempDir folder_;
  Disk disk_;
  StoreOnDisk store_{disk_};
  std::optional<results::Journal> journal_{std::in_place, store_};
  QueueSet queues_{{{.name = "sleep", .number = 0}, {.name = "kept", .durable = true, .number = 1}},
                   queue::QueueOptions{},
                   1,
                   nullptr};
  std::unique_ptr<Storage> storage_;  // of runs
  security::Gate gate_{"test", nullptr};
  OpenCalls calls_{0, gate_};
  ReaderPool readers_;
  ClientsService clients_{queues_, calls_, readers_};
  AdminService admin_{queues_, calls_, readers_};
  WorkersService workers_{queues_, calls_, readers_};
  std::unique_ptr<rpc::Server> client_server_;
  std::unique_ptr<rpc::Server> worker_server_;
  std::unique_ptr<http::Server> http_;
  std::string client_address_;
  std::string worker_address_;
  std::optional<testing::Caller> caller_;
  std::vector<std::unique_ptr<List>> lists_;
};

TEST_F(ReadersTest, ProbesMetricsAndJobsGoOnWhileAllReadersWaitForTheDisk) {
  testing::WorkerStream worker(worker_address_);
  worker.Join("sleep", 1, 1);
  testing::SubmitStream client(client_address_);
  KeepAllReadersBusy();

  for (const char* path : {"/healthz", "/readyz", "/metrics", "/api/v1/queues", "/"}) {
    EXPECT_EQ(StatusOf(path), 200) << path;
  }
  for (std::uint64_t tag = 1; tag <= 10; ++tag) {
    client.Submit("sleep", tag);
    const testing::Assigned job = worker.assigned.Take();
    v1::GetJobRequest get;
    get.set_id(job.job);
    EXPECT_EQ(Good(caller_->Call<v1::Job>("Clients/GetJob", get)).state(), v1::JOB_STATE_RUNNING);
    worker.Answer(job, v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(client.results.Take().tag, tag);
  }
  Good(caller_->Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest()));
  Good(caller_->Call<v1::ListWorkersReply>("Admin/ListWorkers", v1::WorkersRequest()));
  Good(caller_->Call<v1::ListJobsReply>("Clients/ListJobs", v1::ListJobsRequest()));
  ExpectAllListsEndWell();
}

TEST_F(ReadersTest, MoreReadsThanMayWaitAreRefusedWithADelay) {
  KeepAllReadersBusy();
  for (std::size_t i = 0; i < ReaderPool::kMostWaiting; ++i) {
    EXPECT_TRUE(readers_.Post([] {}));
  }
  const Status status = ListFinished()->End();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("too many reads"));
  EXPECT_EQ(rpc::RetryAfter(status), std::chrono::seconds(1));
  EXPECT_EQ(StatusOf("/api/v1/runs"), 503);
  EXPECT_EQ(StatusOf("/healthz"), 200);
  ExpectAllListsEndWell();
}

TEST_F(ReadersTest, PagesOfRunsWaitForAReaderAndProbesDoNot) {
  KeepAllReadersBusy();
  auto runs = std::async(std::launch::async, [this] { return StatusOf("/api/v1/runs"); });
  EXPECT_EQ(StatusOf("/healthz"), 200);
  ExpectAllListsEndWell();
  EXPECT_EQ(runs.get(), 200);
}

TEST_F(ReadersTest, DurableJobsWaitForTheDiskAndVolatileOnesDoNot) {
  disk_.Hang();
  testing::SubmitStream client(client_address_);
  client.Submit("kept", 1);
  testing::WorkerStream worker(worker_address_);
  worker.Join("sleep", 1, 1);
  client.Submit("sleep", 2);
  worker.Answer(worker.assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client.results.Take().tag, 2U);
  EXPECT_TRUE(client.accepted.empty());
  EXPECT_EQ(StatusOf("/metrics"), 200);
  disk_.GoOn();
  EXPECT_EQ(client.accepted.Take().tag, 1U);
}

TEST_F(ReadersTest, CallerThatGivesUpIsNotWaitedFor) {
  KeepAllReadersBusy();
  EXPECT_TRUE(absl::IsCancelled(lists_.front()->Break()));
  client_server_->Shutdown(Duration(0));  // returns though the disk hangs
  for (auto list = std::next(lists_.begin()); list != lists_.end(); ++list) {
    EXPECT_FALSE((*list)->End().ok());
  }
}

TEST_F(ReadersTest, AnEndThatWaitsForAReaderIsGivenUp) {
  KeepAllReadersBusy();
  std::promise<void> given_up;
  const std::jthread limit = EndLimit(std::chrono::milliseconds(50), [&] {
    given_up.set_value();
    disk_.GoOn();  // where a process would end
  });
  readers_.Stop();
  given_up.get_future().get();
}

TEST_F(ReadersTest, AnEndInTimeIsNotGivenUp) {
  bool given_up = false;
  {
    const std::jthread limit = EndLimit(std::chrono::hours(1), [&] { given_up = true; });
    readers_.Stop();
  }
  EXPECT_FALSE(given_up);
}

// ---- in slices, so that no lock is held for long

/// A connected process that nobody plays.
class Mute final : public WorkerEndpoint {
 public:
  void OnAssign(const queue::Assign&, const GangPlan*) override {}
  void OnAskSent() override {}
  void OnGo(const queue::Held&) override {}
  void OnCancelAttempt(const queue::Held&) override {}
  void OnKept(const queue::Held&) override {}
  void OnFollow(const queue::Held&, bool) override {}
  void OnDrain() override {}
  void OnMoved(const std::string&) override {}
  void OnReplaced() override {}
  void OnSilent() override {}
  void Flush() override {}
};

void JoinMany(QueueHost& host, std::uint64_t workers) {
  for (std::uint64_t key = 1; key <= workers; ++key) {
    QueueHost::Turn(host, Now())
        .Join(queue::ProcessKey{key}, 1, {}, {"node", "pod-" + std::to_string(key)},
              std::make_shared<Mute>(), {});
  }
}

TEST_F(ReadersTest, ListsOfManyWorkersAreWhole) {
  constexpr std::uint64_t kWorkers = 1001;
  JoinMany(*queues_.all()[0], kWorkers);
  const auto reply =
      Good(caller_->Call<v1::ListWorkersReply>("Admin/ListWorkers", v1::WorkersRequest()));
  std::set<std::string> pods;
  for (const v1::Worker& worker : reply.workers()) pods.insert(worker.pod());
  EXPECT_EQ(reply.workers_size(), static_cast<int>(kWorkers));
  EXPECT_EQ(pods.size(), kWorkers);
}

TEST_F(ReadersTest, ManyWorkersArePausedInShortTurnsAndWhatWasSaidLastCountsForAll) {
  constexpr std::uint64_t kWorkers = 2 * QueueHost::Turn::kWorkersATurn + 1;
  QueueHost& host = *queues_.all()[0];
  JoinMany(host, kWorkers);
  const auto paused = [&] { return QueueHost::Turn(host, Now()).core().Stats().workers_paused; };
  const std::size_t next = QueueHost::Turn(host, Now()).PauseWorkers({"*", ""});
  EXPECT_EQ(paused(), QueueHost::Turn::kWorkersATurn);
  v1::WorkersRequest request;
  request.set_node("*");
  Good(caller_->Call<v1::ListWorkersReply>("Admin/ResumeWorkers", request));
  EXPECT_EQ(paused(), 0U);
  QueueHost::Turn(host, Now()).PauseWorkers({"*", ""}, next);
  EXPECT_EQ(paused(), 0U) << "somebody has resumed them since the first turn";
  Good(caller_->Call<v1::ListWorkersReply>("Admin/PauseWorkers", request));
  EXPECT_EQ(paused(), kWorkers);
}

TEST_F(ReadersTest, ListsOfManyJobsAreWhole) {
  constexpr std::size_t kJobs = 2500;
  SubmitJobs(kJobs);
  std::set<std::uint64_t> ids;
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  do {
    const auto reply = Good(caller_->Call<v1::ListJobsReply>("Clients/ListJobs", request));
    for (const v1::Job& job : reply.jobs()) EXPECT_TRUE(ids.insert(job.id()).second);
    request.set_page_token(reply.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(ids.size(), kJobs);
}

}  // namespace
}  // namespace twofold::frontend
