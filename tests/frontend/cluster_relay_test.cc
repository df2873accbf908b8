// Callers that reach one frontend only, which passes their streams on (--relay).

#include <cstddef>

#include "tests/frontend/cluster_fixture.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using testing::Assigned;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SubmitStream;
using testing::WorkerStream;

constexpr const char* kQueue = "q";

/// "door" relays, and is all that callers know; "owner" serves the queue. The tests share them.
class RelayTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Cluster> Serve(const Cluster::Change& change = {},
                                        const security::Client& client = {}) {
    const auto set = [change](Options& options) {
      options.relay = options.name == "door";
      options.loops = 2;  // callers come on both, and other frontends are called on the first
      if (change) change(options);
    };
    auto cluster = std::make_unique<Cluster>(std::vector<std::string>{kQueue}, set, client);
    cluster->Add("door");
    return cluster;
  }
  static void SetUpTestSuite() {
    if (testing::PostgresServer::IsInstalled()) shared_ = Serve();
  }
  static void TearDownTestSuite() { shared_.reset(); }

  void SetUp() override {
    if (!testing::PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    if (shared_->all().size() == 1) shared_->Add("owner");
    MoveTo("owner");
  }
  void MoveTo(const std::string& name) {
    const std::string owner = cluster_->AwaitOwners()[kQueue];
    if (owner == name) return;
    Cluster::Await("the one that has just started is seen",
                   [&] { return cluster_->Move(cluster_->at(owner), kQueue, name).ok(); });
    cluster_->AwaitOwners([&](const auto& owners) { return owners.at(kQueue) == name; });
  }

  std::string client_address() { return cluster_->at("door").frontend().client_address(); }
  std::string worker_address() { return cluster_->at("door").frontend().worker_address(); }
  v1::Queue Look() { return cluster_->at("door").Queues()[kQueue]; }

  /// A job goes all the way, by these.
  static void RunOne(SubmitStream& client, WorkerStream& worker, std::uint64_t tag) {
    client.Submit(kQueue, tag);
    worker.Answer(worker.assigned.Take(), v1::OUTCOME_SUCCEEDED);
    const Ended ended = client.results.Take();
    EXPECT_EQ(ended.tag, tag);
    EXPECT_EQ(ended.outcome, v1::OUTCOME_SUCCEEDED);
  }

  static inline std::unique_ptr<Cluster> shared_;
  Cluster* cluster_ = shared_.get();
};

TEST_F(RelayTest, CallersThatReachOneFrontendAreServedByAnother) {
  WorkerStream worker(worker_address());
  worker.Join(kQueue, 1, 1);
  SubmitStream client(client_address());
  for (std::uint64_t tag = 1; tag <= 100; ++tag) RunOne(client, worker, tag);
  EXPECT_EQ(Look().frontend(), "owner");
  client.HalfClose();
  EXPECT_TRUE(client.End().ok());
  EXPECT_TRUE(worker.Leave().ok());
  EXPECT_TRUE(client.moved.empty());
  EXPECT_TRUE(worker.moved.empty());
}

TEST_F(RelayTest, QueueOfTheirOwnFrontendNeedsNoOther) {
  MoveTo("door");
  cluster_->Remove("owner");
  WorkerStream worker(worker_address());
  worker.Join(kQueue, 1, 1);
  SubmitStream client(client_address());
  RunOne(client, worker, 1);
  client.HalfClose();
  EXPECT_TRUE(client.End().ok());
  EXPECT_TRUE(worker.Leave().ok());
}

TEST_F(RelayTest, LargeMessagesArePassedOnWhole) {
  WorkerStream worker(worker_address());
  worker.Join(kQueue, 1, 64);
  SubmitStream client(client_address());
  v1::JobOptions options;
  options.set_queue(kQueue);
  std::map<std::uint64_t, std::string> specs;
  for (std::uint64_t tag = 1; tag <= 64; ++tag) {
    specs[tag] = std::string(200'000 + tag, static_cast<char>('a' + tag % 26));
    client.Submit(options, tag, specs[tag]);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Assigned job = worker.assigned.Take();
    v1::Report report;
    report.set_output(job.spec);
    worker.Answer(job, v1::OUTCOME_SUCCEEDED, report);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Ended ended = client.results.Take();
    EXPECT_TRUE(ended.report.output() == specs[ended.tag]) << ended.tag;
  }
  client.HalfClose();
  EXPECT_TRUE(client.End().ok());
  EXPECT_TRUE(worker.Leave().ok());
}

TEST_F(RelayTest, MoreStreamsThanOneConnectionTakes) {
  constexpr std::uint64_t kWorkers = 150;
  std::vector<std::unique_ptr<WorkerStream>> workers;
  for (std::uint64_t key = 1; key <= kWorkers; ++key) {
    workers.push_back(std::make_unique<WorkerStream>(worker_address()));
    workers.back()->SayHello(kQueue, key, 1);
  }
  for (const auto& worker : workers) worker->welcomes.Take();
  EXPECT_EQ(Look().worker_processes(), kWorkers);
  for (const auto& worker : workers) EXPECT_TRUE(worker->Leave().ok());
  Cluster::Await("all workers have left", [&] { return Look().worker_processes() == 0; });
}

TEST_F(RelayTest, CallerThatBreaksOffIsGoneForTheOwner) {
  WorkerStream worker(worker_address());
  worker.Join(kQueue, 1, 1);
  auto client = std::make_unique<SubmitStream>(client_address());
  client->Submit(kQueue, 1);
  worker.assigned.Take();
  client->Submit(kQueue, 2);
  Cluster::Await("the second job waits", [&] { return Look().waiting() == 1; });
  EXPECT_EQ(client->Break().code(), absl::StatusCode::kCancelled);
  worker.cancelled.Take();
  Cluster::Await("the second job is given up", [&] { return Look().waiting() == 0; });
  EXPECT_EQ(worker.Break().code(), absl::StatusCode::kCancelled);
  Cluster::Await("the worker is gone", [&] { return Look().worker_processes() == 0; });
}

TEST_F(RelayTest, RefusalOfTheOwnerReachesTheCaller) {
  WorkerStream worker(worker_address());
  worker.SayHello(kQueue, 1, 0);
  const Status refused = worker.End();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("hello.slots is 0"));
  WorkerStream stranger(worker_address());
  stranger.SayHello("nosuch", 1, 1);
  EXPECT_THAT(stranger.End().message(), HasSubstr("nosuch"));
}

TEST_F(RelayTest, QueueThatMovesIsFoundAgainThroughTheSameFrontend) {
  for (const char* const to : {"door", "owner"}) {
    WorkerStream worker(worker_address());
    worker.Join(kQueue, 1, 1);
    SubmitStream client(client_address());
    client.Submit(kQueue, 1);
    const Assigned runs = worker.assigned.Take();
    client.Submit(kQueue, 2);
    Cluster::Await("the second job waits", [&] { return Look().waiting() == 1; });
    MoveTo(to);
    const v1::Moved moved = client.moved.Take();
    EXPECT_THAT(moved.tags(), ElementsAre(2));
    EXPECT_THAT(moved.shards(), IsEmpty()) << "an address that the caller cannot reach";
    worker.Answer(runs, v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(client.results.Take().tag, 1U) << "what runs ends there";
    EXPECT_THAT(worker.moved.Take().shards(), IsEmpty());
    EXPECT_TRUE(worker.End().ok());
    client.HalfClose();
    EXPECT_TRUE(client.End().ok());

    WorkerStream follower(worker_address());
    follower.Join(kQueue, 1, 1);
    SubmitStream next(client_address());
    RunOne(next, follower, 2);
    EXPECT_TRUE(follower.Leave().ok());
  }
}

TEST_F(RelayTest, StreamsEndWithTheOwnerAndGoOnWithTheNext) {
  auto worker = std::make_unique<WorkerStream>(worker_address());
  worker->Join(kQueue, 1, 1);
  auto client = std::make_unique<SubmitStream>(client_address());
  client->Submit(kQueue, 1);
  worker->assigned.Take();
  cluster_->Remove("owner");
  worker->End();
  client->HalfClose();
  client->End();
  WorkerStream next_worker(worker_address());
  next_worker.Join(kQueue, 1, 1);
  SubmitStream next_client(client_address());
  RunOne(next_client, next_worker, 1);
  EXPECT_TRUE(next_worker.Leave().ok());
}

TEST_F(RelayTest, StreamIsPassedOnOnce) {
  WorkerStream worker(worker_address(), {{"twofold-forwarded", "1"}});
  worker.SayHello(kQueue, 1, 1);
  EXPECT_THAT(worker.moved.Take().shards(), IsEmpty());
  EXPECT_TRUE(worker.End().ok());
}

TEST_F(RelayTest, TokenIsCheckedByTheOwnerToo) {
  const testing::TempDir folder;
  const auto file = [&](const char* name, const std::string& text) {
    testing::WriteFile(folder / name, text);
    return folder / name;
  };
  const std::string known =
      "admin root admin-admin-admin-admin\nworker known worker-worker-worker\n";
  const std::string owners = file("owner", known);
  const std::string doors = file("door", known + "worker here worker-of-the-door\n");
  const std::string token = file("token", "admin-admin-admin-admin");
  const auto tokens = [&](Options& options) {
    options.security.token_file = options.name == "door" ? doors : owners;
  };
  const auto strict = Serve(tokens, security::Client::Open({{}, "", token}).value());
  cluster_ = strict.get();
  cluster_->Add("owner");
  MoveTo("owner");
  const auto with = [](const char* token_text) {
    return testing::Headers{{"authorization", std::string("Bearer ") + token_text}};
  };

  WorkerStream worker(worker_address(), with("worker-worker-worker"));
  worker.Join(kQueue, 1, 1);
  EXPECT_TRUE(worker.Leave().ok());
  WorkerStream stranger(worker_address(), with("worker-of-the-door"));
  stranger.SayHello(kQueue, 2, 1);
  EXPECT_EQ(stranger.End().code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(RelayTest, CallerIsNotToldTheAddressOfAnOwnerThatIsAway) {
  const std::string owner = cluster_->at("owner").frontend().worker_address();
  cluster_->Remove("owner");
  bool served = false;
  Cluster::Await("the queue is served here", [&] {
    WorkerStream worker(worker_address());
    worker.SayHello(kQueue, 1, 1);
    Cluster::Await("an answer", [&] { return !worker.welcomes.empty() || !worker.ended.empty(); });
    served = !worker.welcomes.empty();
    if (served) return worker.Leave().ok();
    const Status status = worker.End();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(), Not(HasSubstr(owner)));
    return false;
  });
  EXPECT_TRUE(served);
}

TEST(RelayOptionTest, NeedsAStoreThatOthersShare) {
  Options options;
  options.queues = {kQueue};
  options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
  options.relay = true;
  const Status status = Frontend::Start(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--relay"));
}

}  // namespace
}  // namespace twofold::frontend
