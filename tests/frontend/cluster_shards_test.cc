// A queue with three shards on three whole frontends.

#include <set>

#include "tests/frontend/cluster_fixture.h"

namespace twofold::frontend {
namespace {

using testing::Assigned;
using ::testing::ElementsAre;
using testing::Good;
using testing::SubmitStream;
using testing::WorkerStream;

constexpr std::uint32_t kShards = 3;
const std::vector<std::string> kShardNames = {"q", "q/1", "q/2"};

v1::JobOptions Job(const std::string& queue = "q") {
  v1::JobOptions options;
  options.set_queue(queue);
  return options;
}

/// A worker that follows where frontends send it.
class Wanderer {
 public:
  /// `shards`: which one is served at an address.
  Wanderer(std::map<std::string, std::string> shards, const std::string& address, std::uint64_t key)
      : shards_(std::move(shards)), key_(key) {
    Dial(address, "q", 0);
  }

  /// Follows what the frontend says, until one has welcomed it.
  void Settle() {
    for (int hops = 0; hops < 10; ++hops) {
      if (stream_->welcomes.TakeWithin(std::chrono::milliseconds(50))) return;
      if (const auto moved = stream_->moved.TakeWithin(std::chrono::milliseconds(50)))
        Follow(*moved);
    }
    ADD_FAILURE() << "worker " << key_ << " is sent around";
  }

  /// The next move, as soon as there is one.
  void AwaitMove() {
    Follow(stream_->moved.Take());
    Settle();
  }
  bool FollowIfMoved() {
    const auto moved = stream_->moved.TakeWithin(std::chrono::milliseconds(10));
    if (moved) Follow(*moved);
    if (moved) Settle();
    return moved.has_value();
  }

  WorkerStream& stream() { return *stream_; }
  [[nodiscard]] const std::string& shard() const { return shard_; }

 private:
  void Follow(const v1::Moved& moved) {
    ASSERT_EQ(moved.shards_size(), 1) << moved.DebugString();
    Dial(moved.shards(0).worker_address(), moved.queue(), moved.epoch());
  }
  void Dial(const std::string& address, const std::string& queue, std::uint64_t epoch) {
    stream_ = std::make_unique<WorkerStream>(address);
    shard_ = shards_.at(address);
    stream_->SayHello(queue, key_, 1, {}, epoch);
  }

  const std::map<std::string, std::string> shards_;
  const std::uint64_t key_;
  std::unique_ptr<WorkerStream> stream_;
  std::string shard_;
};

class ShardsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!testing::PostgresServer::IsInstalled()) return;
    cluster_ = std::make_unique<Cluster>(std::vector<std::string>{"q"},
                                         [](Options& options) { options.shards = {"q=3"}; });
    for (const std::string& name : kNames) cluster_->Add(name);
    cluster_->AwaitOwners();
    Cluster::Await("frontends know each other",
                   [] { return Owner("q").List().frontends_size() == 3; });
    for (std::size_t i = 0; i < kShards; ++i) Move("q/" + std::to_string(i), kNames[i]);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (!testing::PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  }

  static void Move(const std::string& exact, const std::string& to) {
    const std::string shard = exact == "q/0" ? "q" : exact;
    Cluster::Await(exact + " is served by " + to, [&] {
      if (NameOfOwner(shard) == to) return true;
      (void)cluster_->Move(cluster_->at("a"), exact, to);
      return false;
    });
  }

  static std::string NameOfOwner(const std::string& shard) {
    const v1::ListFrontendsReply reply = cluster_->at("a").List();
    for (const v1::Frontend& frontend : reply.frontends()) {
      for (const v1::Partition& partition : frontend.partitions()) {
        if (partition.queue() == shard && frontend.away().empty()) return frontend.name();
      }
    }
    return {};
  }
  static Member& Owner(const std::string& shard) { return cluster_->at(NameOfOwner(shard)); }

  static std::uint64_t ShardOfJob(const v1::Job& job) {
    const auto found = std::find(kShardNames.begin(), kShardNames.end(), job.queue());
    EXPECT_NE(found, kShardNames.end()) << job.queue();
    return static_cast<std::uint64_t>(found - kShardNames.begin());
  }

  /// A worker that comes to this frontend first.
  static std::unique_ptr<Wanderer> Join(const std::string& first, std::uint64_t key) {
    std::map<std::string, std::string> shards;
    for (std::size_t i = 0; i < kShards; ++i) {
      shards[cluster_->at(kNames[i]).frontend().worker_address()] = kShardNames[i];
    }
    auto worker = std::make_unique<Wanderer>(std::move(shards),
                                             cluster_->at(first).frontend().worker_address(), key);
    worker->Settle();
    return worker;
  }

  /// The jobs of all shards, page by page.
  static std::vector<std::uint64_t> JobsAt(Member& asked) {
    std::vector<std::uint64_t> jobs;
    v1::ListJobsRequest request;
    request.set_queue("q");
    do {
      const auto reply = Good(asked.Call<v1::ListJobsReply>("Clients/ListJobs", request));
      for (const v1::Job& job : reply.jobs()) jobs.push_back(job.id());
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return jobs;
  }

  /// Ends all jobs of these tests.
  static void CancelAll() {
    Member& asked = cluster_->at("b");
    for (const std::uint64_t job : JobsAt(asked)) (void)asked.Cancel(job);
  }

  static inline std::unique_ptr<Cluster> cluster_;
};

// ---- Jobs

TEST_F(ShardsTest, JobsOfAKeyAreInOneShardWhereverTheyAreSubmitted) {
  v1::JobOptions options = Job();
  options.set_limit_key("license");
  std::set<std::string> shards;
  for (Member* const member : cluster_->all()) {
    shards.insert(Good(member->Submit(options)).queue());
  }
  EXPECT_EQ(shards.size(), 1U);
  CancelAll();
}

TEST_F(ShardsTest, JobsWithoutAKeyAreInAShardOfTheFrontendThatIsAsked) {
  for (std::size_t i = 0; i < kShards; ++i) {
    EXPECT_EQ(cluster_->at(kNames[i]).Submit("q").queue(), kShardNames[i]);
  }
  CancelAll();
}

TEST_F(ShardsTest, JobsAreFoundAndListedByAnyFrontend) {
  std::vector<std::uint64_t> submitted;
  for (const std::string& name : kNames) submitted.push_back(cluster_->at(name).Submit("q").id());
  for (Member* const member : cluster_->all()) {
    for (const std::uint64_t id : submitted) EXPECT_TRUE(member->Get(id).ok());
  }
  std::vector<std::uint64_t> listed = JobsAt(cluster_->at("c"));
  std::sort(submitted.begin(), submitted.end());
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, submitted);
  CancelAll();
}

TEST_F(ShardsTest, StreamIsToldHowManyShardsThereAreAndWhereItsJobsBelong) {
  SubmitStream client(cluster_->at("a").frontend().client_address());
  client.Submit(Job("q"), 1);
  EXPECT_EQ(client.shards.Take(), kShards);
  client.Submit(Job("q/1"), 2);
  const v1::Moved moved = client.moved.Take();
  EXPECT_EQ(moved.queue(), "q/1");
  EXPECT_THAT(moved.tags(), ElementsAre(2));
  ASSERT_EQ(moved.shards_size(), 1);
  EXPECT_EQ(moved.shards(0).client_address(), cluster_->at("b").frontend().client_address());
  for (std::uint64_t tag = 10; tag < 20; ++tag) {
    v1::JobOptions options = Job("q");
    options.set_fair_key("user-" + std::to_string(tag));
    client.Submit(options, tag);
  }
  std::set<std::string> elsewhere = {client.moved.Take().queue(), client.moved.Take().queue()};
  EXPECT_FALSE(elsewhere.contains("q"));
  client.Break();
  CancelAll();
}

// ---- Workers

TEST_F(ShardsTest, WorkersGoWhereFewestAre) {
  std::vector<std::unique_ptr<Wanderer>> workers;
  std::map<std::string, int> joined;
  for (std::uint64_t key = 100; key < 109; ++key) {
    workers.push_back(Join("a", key));
    ++joined[workers.back()->shard()];
  }
  for (const std::string& shard : kShardNames) EXPECT_NEAR(joined[shard], 3, 1) << shard;
  for (auto& worker : workers) worker->stream().Leave();
}

TEST_F(ShardsTest, IdleWorkersGoToAShardThatHasJobsAndNoWorker) {
  const auto worker = Join("a", 200);
  const std::string other = worker->shard() == "q/2" ? "q/1" : "q/2";
  const v1::Job job = Good(Owner(other).Submit(Job(other)));
  ASSERT_EQ(job.queue(), other);
  worker->AwaitMove();
  EXPECT_EQ(worker->shard(), other);
  EXPECT_EQ(worker->stream().assigned.Take().job, job.id());
  worker->stream().Break();
  CancelAll();
}

TEST_F(ShardsTest, GangAsLargeAsAllWorkersGathersThemInItsShard) {
  std::vector<std::unique_ptr<Wanderer>> workers;
  for (std::uint64_t key = 300; key < 306; ++key) {
    workers.push_back(Join("b", key));
  }
  // The others are busy, and however much they do, there is more to do.
  const auto add_job = [](const std::string& shard) {
    ASSERT_TRUE(Owner(shard).Submit(Job(shard)).ok());
  };
  for (const char* const shard : {"q/1", "q/2"}) {
    for (int i = 0; i < 20; ++i) add_job(shard);
  }
  v1::JobOptions gang = Job();
  gang.mutable_gang()->set_size(6);
  EXPECT_EQ(Good(cluster_->at("c").Submit(gang)).queue(), "q");
  std::size_t members = 0;
  Cluster::Await("gang starts", [&] {
    for (auto& worker : workers) {
      if (worker->FollowIfMoved()) continue;
      while (const auto assigned =
                 worker->stream().assigned.TakeWithin(std::chrono::milliseconds(5))) {
        if (worker->shard() == "q") {
          ++members;
          continue;
        }
        worker->stream().Answer(*assigned, v1::OUTCOME_SUCCEEDED);
        add_job(worker->shard());
      }
    }
    return members >= workers.size();
  });
  for (auto& worker : workers) worker->stream().Break();
  CancelAll();
}

// ---- People

TEST_F(ShardsTest, QueueIsOneToPeopleAndShardsCanBeNamed) {
  for (const std::string& name : kNames) cluster_->at(name).Submit("q");
  const auto paused = [](Member& member, const std::string& queue, bool pause) {
    return Good(member.Do(pause ? "PauseQueue" : "ResumeQueue", queue));
  };
  const v1::Queue all = paused(cluster_->at("a"), "q", true);
  EXPECT_EQ(all.name(), "q");
  EXPECT_EQ(all.waiting(), 3U);
  for (Member* const member : cluster_->all()) {
    const auto queues = member->Queues();
    ASSERT_EQ(queues.size(), 1U);
    EXPECT_EQ(queues.at("q").waiting(), 3U);
    EXPECT_EQ(queues.at("q").shards(), kShards);
    EXPECT_TRUE(queues.at("q").paused());
    EXPECT_EQ(queues.at("q").frontend(), "a, b, c");
  }
  EXPECT_EQ(paused(cluster_->at("a"), "q/0", false).waiting(), 1U);
  EXPECT_EQ(paused(cluster_->at("a"), "q/2", false).waiting(), 1U);
  EXPECT_TRUE(cluster_->at("b").Queues().at("q").paused()) << "one of its shards is";
  paused(cluster_->at("c"), "q", false);
  EXPECT_FALSE(cluster_->at("b").Queues().at("q").paused());
  CancelAll();
}

TEST_F(ShardsTest, WorkersAreLentToOtherShardsOfTheirQueueOnly) {
  for (const char* const to : {"q", "q/3", "other"}) {
    v1::LendWorkersRequest request;
    request.set_queue("q");
    request.set_to(to);
    request.set_slots(1);
    EXPECT_FALSE(
        cluster_->at("a").Call<v1::LendWorkersReply>("Frontends/LendWorkers", request).ok())
        << to;
  }
}

TEST_F(ShardsTest, QueueCannotHaveFewerShardsThanBefore) {
  Options options;
  options.queues = {"q"};
  options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
  options.storage.url = cluster_->address();
  options.name = "d";
  options.shards = {"q=2"};
  const auto started = Frontend::Start(options);
  EXPECT_TRUE(absl::IsFailedPrecondition(started.status())) << started.status();
  EXPECT_THAT(started.status().message(), ::testing::HasSubstr("not fewer"));
}

TEST(ShardOptions, BadShardsAreRefusedWithTheFlag) {
  for (const char* const bad : {"q", "q=", "q=1", "q=257", "q=x", "other=2"}) {
    Options options;
    options.queues = {"q"};
    options.storage.url = "postgresql://nowhere";
    options.shards = {bad};
    const auto started = Frontend::Start(options);
    EXPECT_TRUE(absl::IsInvalidArgument(started.status())) << bad << ": " << started.status();
    EXPECT_THAT(started.status().message(), ::testing::HasSubstr("--shards")) << bad;
  }
}

}  // namespace
}  // namespace twofold::frontend
