// Whole frontends that come to a cluster, and go.

#include <algorithm>
#include <set>

#include "lib/http/client.h"
#include "tests/frontend/cluster_fixture.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PostgresServer;
using ::testing::SizeIs;
using testing::SubmitStream;

class ClustersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  }
};

TEST_F(ClustersTest, JobsOfAQueueThatNobodyServesAreHeldUntilSomebodyDoes) {
  Cluster cluster({"sleep"});
  Member& only = cluster.Add("a");
  SubmitStream client(only.frontend().client_address());
  client.Submit("sleep", 1);  // a queue that never had an owner is left alone for a while
  const v1::Moved moved = client.moved.Take();
  EXPECT_THAT(moved.tags(), ElementsAre(1));
  cluster.AwaitOwners();
  if (moved.shards_size() == 0) return;  // patience is as long as that
  EXPECT_EQ(moved.shards(0).client_address(), only.frontend().client_address());
}

TEST_F(ClustersTest, DrainedFrontendHandsAllOverAndTakesNothingBack) {
  Cluster cluster(kQueues);
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  const auto before = cluster.AwaitOwners([](auto& owners) {
    return std::any_of(owners.begin(), owners.end(), [](auto& one) { return one.second == "a"; });
  });
  Member& asked = cluster.at("b");
  const auto drain = [&](const std::string& name) {
    v1::DrainFrontendRequest request;
    request.set_frontend(name);
    return asked.Call<v1::ListFrontendsReply>("Frontends/DrainFrontend", request).status();
  };
  ASSERT_EQ(drain("a"), absl::OkStatus());
  cluster.AwaitOwners([](auto& owners) {
    return std::all_of(owners.begin(), owners.end(), [](auto& one) { return one.second == "b"; });
  });
  Cluster::Await("b knows that a drains", [&] {
    const v1::ListFrontendsReply seen = asked.List();
    return seen.frontends_size() == 2 && seen.frontends(0).draining();
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(cluster.Move(asked, kQueues[0], "a")));
  EXPECT_TRUE(absl::IsNotFound(drain("nobody")));
}

TEST_F(ClustersTest, FrontendThatEndsLeavesItsJobsToTheOther) {
  Cluster cluster(kQueues);
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  cluster.AwaitOwners();
  std::vector<std::uint64_t> ids;
  for (const std::string& queue : kQueues) {
    for (const bool durable : {true, false}) {
      ids.push_back(cluster.at("b").Submit(queue, durable).id());
    }
  }
  cluster.Remove("a");
  cluster.AwaitOwners();
  for (const std::uint64_t id : ids) {
    EXPECT_EQ(testing::Good(cluster.at("b").Get(id)).state(), v1::JOB_STATE_WAITING);
  }
  std::set<std::uint64_t> all(ids.begin(), ids.end());
  for (const std::string& queue : kQueues) all.insert(cluster.at("b").Submit(queue, true).id());
  EXPECT_THAT(all, SizeIs(3 * kQueues.size())) << "no id is given out twice";
}

TEST_F(ClustersTest, ReadyPageSaysWhichQueuesCannotBeWritten) {
  Cluster cluster({"full", "idle"});
  Member& only = cluster.Add("a");
  cluster.AwaitOwners();
  const std::string address = "http://" + only.frontend().http_address() + "/readyz";
  const auto ready = [&] { return http::Get(address, std::chrono::seconds(30)).value(); };
  Cluster::Await("all is well", [&] { return ready().body == "ok\n"; });
  const auto script = [&](const std::string& sql) {
    PostgresServer::Shared().Script(cluster.address(), sql);
  };
  script(
      "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;"
      "CREATE TRIGGER fill BEFORE INSERT ON job EXECUTE FUNCTION fill();");
  SubmitStream client(only.frontend().client_address());
  v1::JobOptions options;
  options.set_queue("full");
  options.set_durable(true);
  client.Submit(options, 1);
  Cluster::Await("it is said", [&] { return ready().body != "ok\n"; });
  EXPECT_EQ(ready().status, 200) << "volatile work goes on";
  EXPECT_THAT(ready().body, HasSubstr("queue full cannot be stored now: "));
  EXPECT_THAT(ready().body, HasSubstr("no space left"));
  EXPECT_THAT(ready().body, Not(HasSubstr("queue idle")));
  script("DROP TRIGGER fill ON job");
  EXPECT_EQ(client.accepted.Take().tag, 1U);
  EXPECT_EQ(ready().body, "ok\n");
}

TEST_F(ClustersTest, FrontendsCallEachOtherByTlsWithTheTokenOfTheCaller) {
  const testing::TempDir folder;
  const testing::Authority authority;
  const testing::KeyPair pair = authority.Issue("frontend");
  const auto file = [&](const char* name, const std::string& text) {
    testing::WriteFile(folder / name, text);
    return folder / name;
  };
  const std::string ca = file("ca.crt", authority.cert());
  const std::string cert = file("tls.crt", pair.cert);
  const std::string key = file("tls.key", pair.key);
  const std::string tokens = file("tokens",
                                  "client load client-client-client\n"
                                  "admin root admin-admin-admin-admin\n");
  const auto peer = [&](const char* name, const char* token) {
    return security::Client::Open(
               {{.prefix = "", .cert = "", .key = "", .ca = ca}, "", file(name, token)})
        .value();
  };
  Cluster cluster(
      kQueues,
      [&](Options& options) {
        options.security.cert = cert;
        options.security.key = key;
        options.security.token_file = tokens;
        options.peers_ca = ca;
      },
      peer("admin", "admin-admin-admin-admin"));
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  cluster.AwaitOwners();
  for (const std::string& queue : kQueues) {
    for (Member* const member : cluster.all()) member->Submit(queue);
  }
  // Whom one of them refuses, none serves.
  testing::Caller caller(cluster.at("a").frontend().client_address(),
                         peer("client", "client-client-client"));
  const auto refused =
      caller.Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest());
  EXPECT_TRUE(absl::IsPermissionDenied(refused.status())) << refused.status();
}

TEST_F(ClustersTest, FrontendWithTlsNeedsTheCaOfTheOthers) {
  const testing::TempDir folder;
  const testing::Authority authority;
  const testing::KeyPair pair = authority.Issue("frontend");
  testing::WriteFile(folder / "tls.crt", pair.cert);
  testing::WriteFile(folder / "tls.key", pair.key);
  Options options;
  options.queues = kQueues;
  options.storage.url = PostgresServer::Shared().NewDatabase();
  options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
  options.security.cert = folder / "tls.crt";
  options.security.key = folder / "tls.key";
  const Status status = Frontend::Start(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--peers-tls-ca"));
}

}  // namespace
}  // namespace twofold::frontend
