// One queue with three shards on three frontends, with real clients and workers.

#include <algorithm>

#include "tests/integration/frontends_fixture.h"

namespace twofold::testing {
namespace {

const std::vector<std::string> kShards = {"sleep", "sleep/1", "sleep/2"};

class FrontendsShardsTest : public FrontendsTest {
 protected:
  Arguments Queues() const override { return {"--shards", "sleep=3", "sleep"}; }

  void SetUp() override {
    FrontendsTest::SetUp();
    for (std::size_t i = 0; i < kShards.size(); ++i) GiveTo(i, members_[i]);
  }

  void GiveTo(std::size_t shard, Member& to) {
    EXPECT_TRUE(Await([&] {
      if (OwnerOf(shard) == to.name) return true;
      v1::MoveQueueRequest request;
      request.set_queue("sleep/" + std::to_string(shard));
      request.set_to(to.name);
      v1::ListFrontendsReply reply;
      (void)CallFrontend(Running(), &v1::Frontends::Stub::MoveQueue, request, reply);
      return false;
    })) << ListFrontends().DebugString();
  }
  std::string OwnerOf(std::size_t shard) {
    const std::string tenure = Tenures(Running())[kShards[shard]];
    return tenure.substr(0, tenure.find(' '));
  }

  /// Jobs that have ended in each shard since its frontend opened it.
  std::map<std::string, std::uint64_t> Finished() {
    std::map<std::string, std::uint64_t> finished;
    const v1::ListFrontendsReply reply = ListFrontends();
    for (const v1::Frontend& frontend : reply.frontends()) {
      if (!frontend.away().empty()) continue;
      for (const v1::Partition& each : frontend.partitions()) {
        finished[each.queue()] = each.finished();
      }
    }
    return finished;
  }
  bool AllFinishMore(std::uint64_t jobs) {
    const auto before = Finished();
    return Await([&] {
      const auto now = Finished();
      return std::all_of(kShards.begin(), kShards.end(), [&](const std::string& shard) {
        const auto known = before.find(shard);
        const auto seen = now.find(shard);
        return seen != now.end() &&
               seen->second >= (known == before.end() ? 0 : known->second) + jobs;
      });
    });
  }

  void StartWorkers(int processes) {
    for (int i = 0; i < processes; ++i) {
      backends_.push_back(StartBackend({"sleep", "0"}, {"--slots", "2"}));
    }
  }
};

TEST_F(FrontendsShardsTest, LoadUsesAllShardsAndGoesOnWhenOneOfTheirFrontendsIsKilled) {
  worker_address_ = members_[0].worker;
  client_address_ = members_[0].client;
  StartWorkers(6);
  client_ = StartClient({"--parallel", "12", "--attempts", "5", "--", "0.01"});
  EXPECT_TRUE(AllFinishMore(50)) << ListFrontends().DebugString();

  EXPECT_EQ(members_[1].program->Kill(), -SIGKILL);
  EXPECT_TRUE(Await([&] {
    const std::string owner = OwnerOf(1);
    return !owner.empty() && owner != members_[1].name;
  })) << ListFrontends().DebugString();
  EXPECT_TRUE(AllFinishMore(50)) << ListFrontends().DebugString();
  for (const char* const bad : {"failed", "lost", "rejected", "abandoned"}) {
    EXPECT_EQ(ClientFinished(client_, bad), 0) << bad;
  }
}

class DurableShardsTest : public FrontendsShardsTest {
 protected:
  Arguments Queues() const override {
    return {"--shards", "sleep=3", "--durable", "sleep", "sleep"};
  }
};

TEST_F(DurableShardsTest, JobsOfAllShardsAreInOneTable) {
  worker_address_ = members_[2].worker;
  client_address_ = members_[1].client;
  StartWorkers(4);
  client_ = StartClient({"--parallel", "9", "--", "0.01"});
  EXPECT_TRUE(AllFinishMore(20)) << ListFrontends().DebugString();
  client_ = {};
  EXPECT_TRUE(Await([this] { return Number("SELECT count(*) FROM live") == 0; }));
  EXPECT_EQ(Number("SELECT count(DISTINCT queue) FROM job"), 3);
  EXPECT_EQ(Number("SELECT count(*) FROM ended WHERE outcome <> 0"), 0);
}

TEST_F(FrontendsShardsTest, WorkersComeToTheShardWhereTheJobsAre) {
  worker_address_ = members_[0].worker;
  StartWorkers(3);
  const auto workers_at = [this](const std::string& shard) {
    std::uint64_t slots = 0;
    const v1::ListFrontendsReply reply = ListFrontends();
    for (const v1::Frontend& frontend : reply.frontends()) {
      for (const v1::Partition& each : frontend.partitions()) {
        if (each.queue() == shard) slots += each.worker_slots();
      }
    }
    return slots;
  };
  for (const std::string& shard : kShards) {
    EXPECT_TRUE(Await([&] { return workers_at(shard) == 2; })) << shard;
  }
  v1::SubmitJobRequest gang;
  gang.mutable_options()->set_queue("sleep");
  gang.mutable_options()->mutable_gang()->set_size(6);
  gang.set_spec(std::string("0.01\0", 5));
  gang.set_wait(true);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(40));
  v1::Job job;
  const auto stub = v1::Clients::NewStub(cli::Connect(members_[2].client));
  const grpc::Status status = stub->SubmitJob(&context, gang, &job);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.DebugString();
}

}  // namespace
}  // namespace twofold::testing
