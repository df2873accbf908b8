// Frontends that share a database: the server goes away, comes back, forgets, or refuses.

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/integration/frontends_relay.h"

namespace twofold::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class FrontendsDatabaseTest : public FrontendsServerTest {
 protected:
  double StoreWritable(const Member& member) {
    return SeriesAt("http://" + member.http, "twofold_store_writable");
  }
  std::string Readiness(const Member& member) { return Get("http://" + member.http + "/readyz"); }

  /// Each frontend says that it has no database, and is ready for volatile work.
  void ExpectAllMissTheDatabase() {
    for (const Member& member : members_) {
      EXPECT_TRUE(Await([&] { return StoreWritable(member) == 0; })) << member.name;
      EXPECT_TRUE(Await([&] {
        return Readiness(member).find("durable jobs cannot be stored") != std::string::npos;
      })) << member.name
          << ": " << Readiness(member);
    }
  }
  void ExpectAllHaveTheDatabase() {
    for (const Member& member : members_) {
      EXPECT_TRUE(Await([&] { return StoreWritable(member) == 1; })) << member.name;
      EXPECT_TRUE(Await([&] { return Readiness(member) == "ok\n"; })) << Readiness(member);
    }
  }

  /// What a frontend says to a durable job.
  static grpc::StatusCode AnswerOf(const Member& member) {
    v1::SubmitJobRequest request;
    request.mutable_options()->set_queue("sleep");
    request.mutable_options()->set_durable(true);
    v1::Job job;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stub = v1::Clients::NewStub(cli::Connect(member.client));
    return stub->SubmitJob(&context, request, &job).error_code();
  }

  /// `end` ends the server; then it is away for longer than a TTL.
  void OutliveTheServer(const std::function<void()>& end) {
    StartLoad(members_.front());
    const double before =
        VolatileRate([] { std::this_thread::sleep_for(std::chrono::seconds(2)); });
    const auto tenures = AwaitOwners();
    end();
    const double meanwhile = VolatileRate([this] {
      ExpectAllMissTheDatabase();
      const std::uint64_t accepted = load_->tally().accepted;
      std::this_thread::sleep_for(std::chrono::seconds(3));
      EXPECT_EQ(load_->tally().accepted, accepted);
    });
    server().Start();
    ExpectAllHaveTheDatabase();
    ExpectLoadGoesOn();
    EXPECT_EQ(AwaitOwners(), tenures);
    EXPECT_GT(meanwhile, 0.5 * before);
    std::cout << "volatile jobs a second before " << before << ", without database " << meanwhile
              << "\n";
    ExpectLedgerHolds();
  }
};

TEST_F(FrontendsDatabaseTest, VolatileWorkGoesOnWhileTheServerIsStopped) {
  OutliveTheServer([this] { server().Stop(); });
}

TEST_F(FrontendsDatabaseTest, NothingIsLostWhenTheServerIsKilled) {
  OutliveTheServer([this] { server().Kill(); });
}

TEST_F(FrontendsDatabaseTest, DurableWorkWaitsUntilALossIsAccepted) {
  StartLoad(members_.front());
  server().Stop();
  server().SaveData();
  server().Start();
  EXPECT_TRUE(load_->AwaitMore(100));
  server().Stop();
  const std::uint64_t accepted = load_->tally().accepted;
  server().RestoreData();
  server().Start();
  const auto lost = [this](const Member& member) {
    const v1::ListFrontendsReply all = ListFrontends(member);
    for (const v1::Frontend& frontend : all.frontends()) {
      for (const v1::Partition& partition : frontend.partitions()) {
        if (partition.queue() == "sleep" && partition.lost()) return true;
      }
    }
    return false;
  };
  for (const Member& member : members_) {
    EXPECT_TRUE(Await([&] { return lost(member); })) << ListFrontends(member).DebugString();
    EXPECT_EQ(AnswerOf(member), grpc::StatusCode::UNAVAILABLE) << member.name;
  }
  ExpectVolatileGoesOn();
  EXPECT_EQ(load_->tally().accepted, accepted);
  load_->Stop();
  v1::AcceptLossRequest request;
  request.set_queue("sleep");
  v1::ListFrontendsReply reply;
  const grpc::Status status =
      CallFrontend(members_.front(), &v1::Frontends::Stub::AcceptLoss, request, reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  load_ = std::make_unique<DurableLoad>("later", ClientAddresses());
  ExpectLoadGoesOn();
  EXPECT_FALSE(lost(members_.front()));
  ExpectLedgerHolds();
}

TEST_F(FrontendsDatabaseTest, CommitsTakeNoLongerWhileASnapshotIsHeld) {
  StartLoad(members_.front());
  auto holder = postgres::Connection::Open(PostgresServer::TargetOf(database_), "SELECT 1");
  ASSERT_TRUE(holder.ok()) << holder.status();
  ASSERT_TRUE((*holder)
                  ->Script("BEGIN ISOLATION LEVEL REPEATABLE READ;"
                           "SELECT count(*) FROM job")
                  .ok());
  const bool nightly = std::getenv("TWOFOLD_NIGHTLY") != nullptr;
  const auto length = nightly ? std::chrono::seconds(200) : std::chrono::seconds(2);
  std::vector<double> waits;
  for (int third = 0; third < 3; ++third) {
    const DurableLoad::Tally before = load_->tally();
    std::this_thread::sleep_for(length);
    const DurableLoad::Tally after = load_->tally();
    ASSERT_GT(after.accepted, before.accepted);
    waits.push_back(ToSeconds(after.waited - before.waited) /
                    static_cast<double>(after.accepted - before.accepted));
  }
  std::cout << "seconds a commit, by thirds of the time that a snapshot is held: "
            << ::testing::PrintToString(waits) << "\n";
  EXPECT_LT(waits.back(), 3 * waits.front() + 0.05);
  EXPECT_TRUE((*holder)->Script("COMMIT").ok());
  ExpectLedgerHolds();
}

/// A frontend that does not start.
class FrontendsRefusedTest : public FrontendsDatabaseTest {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    database_ = server().NewDatabase();
  }

  /// What the frontend prints before it ends with exit code 2.
  std::string Refusal(const std::string& store) {
    std::ofstream(folder_ / "store") << store << "\n";
    std::filesystem::permissions(folder_ / "store", std::filesystem::perms(0600));
    Program frontend("twofold-frontend",
                     {"--store-file", folder_ / "store", "--client-address", "127.0.0.1:0",
                      "--worker-address", "127.0.0.1:0", "--http-address", "127.0.0.1:0", "sleep"});
    EXPECT_EQ(frontend.Wait(), 2);
    const std::string output = frontend.output();
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
    return output;
  }
};

TEST_F(FrontendsRefusedTest, WrongPasswordIsSaidInOneLine) {
  server().Script("CREATE ROLE locked LOGIN PASSWORD 'right'");
  server().Script("COPY (VALUES ('local all locked scram-sha-256'), ('local all all trust')) TO '" +
                  server().folder() + "/data/pg_hba.conf'");
  server().Stop();
  server().Start();
  std::string store = database_;
  store.replace(store.find("tester@"), 7, "locked:wrong@");
  const std::string refusal = Refusal(store);
  EXPECT_THAT(refusal, ContainsRegex("password authentication failed for user .locked"));
  EXPECT_EQ(refusal.find("wrong"), std::string::npos) << refusal;
}

TEST_F(FrontendsRefusedTest, NewerSchemaIsSaidInOneLine) {
  server().Script(database_,
                  "CREATE TABLE twofold (version bigint NOT NULL);"
                  "INSERT INTO twofold VALUES (1000)");
  EXPECT_THAT(Refusal(database_), HasSubstr("was written by a newer frontend"));
}

/// The tables are alone on a small file system, which is mounted for this thread and what it
/// starts.
class FrontendsFullTest : public FrontendsDatabaseTest {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "needs to mount a file system: " << std::strerror(errno);
    }
    disk_ = server().folder() + "/disk";
    std::filesystem::create_directory(disk_);
    if (mount("twofold", disk_.c_str(), "tmpfs", 0, "size=8m") != 0) {
      GTEST_SKIP() << "needs to mount a tmpfs: " << std::strerror(errno);
    }
    struct stat owner {};
    EXPECT_EQ(stat(server().folder().c_str(), &owner), 0);
    EXPECT_EQ(chown(disk_.c_str(), owner.st_uid, owner.st_gid), 0);
    server().Script("CREATE TABLESPACE small LOCATION '" + disk_ + "'");
    server().Script("ALTER ROLE tester SET default_tablespace = 'small'");
    FrontendsDatabaseTest::SetUp();
  }
  void TearDown() override {
    FrontendsTest::TearDown();  // NOLINT(bugprone-parent-virtual-call): the frontends end before their disk
    if (!disk_.empty()) {
      server().Stop();
      umount2(disk_.c_str(), MNT_DETACH);
    }
    FrontendsDatabaseTest::TearDown();
  }

  void FillDisk() {
    std::ofstream filler(disk_ + "/filler", std::ios::binary);
    while (filler.write("full", 4)) continue;
  }

  std::string disk_;
};

TEST_F(FrontendsFullTest, DurableWorkWaitsWhileTheDatabaseIsFull) {
  Member& owner = Owner();
  StartLoad(owner);
  FillDisk();
  EXPECT_TRUE(Await([&] { return StoreWritable(owner) == 0; }));
  ExpectVolatileGoesOn();
  std::filesystem::remove(disk_ + "/filler");
  EXPECT_TRUE(Await([&] { return StoreWritable(owner) == 1; }));
  ExpectLoadGoesOn();
  ExpectLedgerHolds();
}

}  // namespace
}  // namespace twofold::testing
