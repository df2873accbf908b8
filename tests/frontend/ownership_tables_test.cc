#include "frontend/cluster/ownership_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/results/postgres_store.h"
#include "tests/support/postgres_server.h"

namespace twofold::frontend {
namespace {

namespace effect = cluster::effect;
using cluster::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PostgresServer;
using ::testing::SizeIs;

// Far longer than any answer takes: only a hang makes a test wait so long.
constexpr Duration kServerPatience = std::chrono::seconds(20);

class OwnershipTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = PostgresServer::Shared().NewDatabase();
    ASSERT_TRUE(results::PostgresStore::Open(target()).ok());  // makes the tables
  }

  [[nodiscard]] postgres::Target target() const { return PostgresServer::TargetOf(address_); }

  [[nodiscard]] OwnershipTables Tables(const std::string& name = "a",
                                       cluster::Incarnation incarnation = 11) const {
    return {target(), {name, name + ":1", name + ":2"}, incarnation, kServerPatience};
  }

  void Script(const std::string& sql) const { PostgresServer::Shared().Script(address_, sql); }

  /// A partition of queue "sleep" in epoch 4, and the members a (11), and b (22) in beat 7.
  void Fill() const {
    Script(
        "INSERT INTO partition VALUES (0, 'sleep', 4, 'b', 22, 'a', 9, 2);"
        "INSERT INTO frontend VALUES ('a', 11, 3, false, 'a:1', 'a:2'),"
        " ('b', 22, 7, true, 'b:1', 'b:2')");
  }

  [[nodiscard]] cluster::Partition Row() const {
    return Tables().Read().value().view.partitions.at(0);
  }

  [[nodiscard]] std::optional<cluster::Member> Member(const std::string& name) const {
    const auto look = Tables().Read();
    for (const cluster::Member& member : look->view.members) {
      if (member.name == name) return member;
    }
    return std::nullopt;
  }

  void BreakConnections() const {
    Script(
        "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()");
  }

  std::string address_;
};

// ---- Looks

TEST_F(OwnershipTablesTest, ALookShowsBothTables) {
  Fill();
  const Look look = Tables().Read().value();
  EXPECT_THAT(look.view.members,
              ::testing::UnorderedElementsAre(
                  cluster::Member{.name = "a", .incarnation = 11, .beat = 3},
                  cluster::Member{.name = "b", .incarnation = 22, .beat = 7, .draining = true}));
  EXPECT_THAT(look.view.partitions, ElementsAre(cluster::Partition{.number = 0,
                                                                   .epoch = 4,
                                                                   .owner = "b",
                                                                   .owner_incarnation = 22,
                                                                   .next = "a",
                                                                   .version = 9,
                                                                   .losses = 2}));
  EXPECT_EQ(look.queues.at(0), "sleep");
  EXPECT_EQ(look.peers.at("b").client_address, "b:1");
  EXPECT_EQ(look.peers.at("b").worker_address, "b:2");
}

// ---- Beats

TEST_F(OwnershipTablesTest, FirstBeatMakesTheRowIfThereIsNone) {
  auto tables = Tables();
  EXPECT_EQ(tables.Write(effect::Beat{.beat = 1, .expected = 0, .draining = false}),
            Verdict::kDone);
  EXPECT_EQ(Member("a"), (cluster::Member{.name = "a", .incarnation = 11, .beat = 1}));
  auto other = Tables("a", 12);
  EXPECT_EQ(other.Write(effect::Beat{.beat = 1, .expected = 0, .draining = false}),
            Verdict::kRefused);
  EXPECT_EQ(Member("a")->incarnation, 11U);
}

TEST_F(OwnershipTablesTest, BeatOfANameThatAnotherProcessHasTakenIsRefused) {
  Fill();
  auto old = Tables("a", 11);
  auto young = Tables("a", 12);
  EXPECT_EQ(old.Write(effect::Beat{.beat = 4, .expected = 11, .draining = false}), Verdict::kDone);
  EXPECT_EQ(young.Write(effect::Beat{.beat = 1, .expected = 11, .draining = true}), Verdict::kDone);
  EXPECT_EQ(old.Write(effect::Beat{.beat = 5, .expected = 11, .draining = false}),
            Verdict::kRefused);
  EXPECT_EQ(Member("a"),
            (cluster::Member{.name = "a", .incarnation = 12, .beat = 1, .draining = true}));
}

// ---- Claims

effect::Claim ClaimOf(cluster::Epoch expected, cluster::Member dead = {}) {
  return {.partition = 0, .expected = expected, .epoch = expected + 1, .dead = std::move(dead)};
}

TEST_F(OwnershipTablesTest, ClaimTakesThePartitionAndReadsWhatItHas) {
  Fill();
  auto tables = Tables();
  const auto claimed = tables.Write(ClaimOf(4));
  EXPECT_EQ(claimed.verdict, Verdict::kDone);
  EXPECT_EQ(claimed.epoch, 5U);
  EXPECT_EQ(claimed.version, 9U);
  EXPECT_EQ(claimed.losses, 2U);
  EXPECT_EQ(Row(), (cluster::Partition{.number = 0,
                                       .epoch = 5,
                                       .owner = "a",
                                       .owner_incarnation = 11,
                                       .version = 9,
                                       .losses = 2}));
}

TEST_F(OwnershipTablesTest, ClaimOfAnotherEpochIsRefused) {
  Fill();
  auto tables = Tables();
  EXPECT_EQ(tables.Write(ClaimOf(3)).verdict, Verdict::kRefused);
  EXPECT_EQ(tables.Write(ClaimOf(5)).verdict, Verdict::kRefused);
  EXPECT_EQ(Row().owner, "b");
}

TEST_F(OwnershipTablesTest, ClaimOfWhoIsNotRegisteredIsRefused) {
  Fill();
  EXPECT_EQ(Tables("a", 12).Write(ClaimOf(4)).verdict, Verdict::kRefused);
  EXPECT_EQ(Tables("c", 33).Write(ClaimOf(4)).verdict, Verdict::kRefused);
  EXPECT_EQ(Row().epoch, 4U);
}

TEST_F(OwnershipTablesTest, ClaimIsRefusedIfTheDeadOwnerHasBeatenSince) {
  Fill();
  auto tables = Tables();
  const auto dead = [](cluster::Incarnation incarnation, std::uint64_t beat) {
    return cluster::Member{.name = "b", .incarnation = incarnation, .beat = beat};
  };
  EXPECT_EQ(tables.Write(ClaimOf(4, dead(22, 6))).verdict, Verdict::kRefused);
  EXPECT_EQ(tables.Write(ClaimOf(4, dead(21, 7))).verdict, Verdict::kRefused);
  EXPECT_EQ(tables.Write(ClaimOf(4, dead(0, 0))).verdict, Verdict::kRefused) << "it is there";
  EXPECT_EQ(tables.Write(ClaimOf(4, dead(22, 7))).verdict, Verdict::kDone);
}

TEST_F(OwnershipTablesTest, ClaimOfAnOwnerWithoutARowNeedsThatThereIsStillNone) {
  Fill();
  Script("UPDATE partition SET owner = 'gone'");
  auto tables = Tables();
  EXPECT_EQ(tables.Write(ClaimOf(4, {.name = "gone", .incarnation = 1, .beat = 1})).verdict,
            Verdict::kRefused);
  EXPECT_EQ(tables.Write(ClaimOf(4, {.name = "gone"})).verdict, Verdict::kDone);
}

TEST_F(OwnershipTablesTest, OneOfManyClaimsWins) {
  Fill();
  for (int i = 0; i < 4; ++i) {
    Script("INSERT INTO frontend VALUES ('m" + std::to_string(i) + "', 5, 1, false, '', '')");
  }
  std::vector<Verdict> verdicts(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    threads.emplace_back(
        [&, i] { verdicts[i] = Tables("m" + std::to_string(i), 5).Write(ClaimOf(4)).verdict; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), Verdict::kDone), 1);
  EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), Verdict::kRefused), 3);
  EXPECT_EQ(Row().epoch, 5U);
}

// ---- Releases and marks

TEST_F(OwnershipTablesTest, ReleaseLeavesThePartitionToTheNextOwner) {
  Fill();
  auto owner = Tables("b", 22);
  const effect::Release release{.partition = 0, .expected = 4, .epoch = 5, .next = "a"};
  EXPECT_EQ(owner.Write(release), Verdict::kDone);
  EXPECT_EQ(Row(),
            (cluster::Partition{.number = 0, .epoch = 5, .next = "a", .version = 9, .losses = 2}));
  EXPECT_EQ(owner.Write(release), Verdict::kRefused) << "the epoch has changed";
}

TEST_F(OwnershipTablesTest, ReleaseOfWhoWasReplacedIsRefused) {
  Fill();
  EXPECT_EQ(
      Tables("b", 23).Write(effect::Release{.partition = 0, .expected = 4, .epoch = 5, .next = ""}),
      Verdict::kRefused);
  EXPECT_EQ(Row().owner, "b");
}

TEST_F(OwnershipTablesTest, LossesAreOnlyCountedUp) {
  Fill();
  auto tables = Tables();
  EXPECT_EQ(tables.Write(effect::Mark{.partition = 0, .losses = 3}), Verdict::kDone);
  EXPECT_EQ(tables.Write(effect::Mark{.partition = 0, .losses = 3}), Verdict::kRefused);
  EXPECT_EQ(Row().losses, 3U);
}

// ---- Queues

TEST_F(OwnershipTablesTest, QueuesGetTheLowestNumbersThatAreFree) {
  auto tables = Tables();
  ASSERT_TRUE(tables.AddQueues({"sleep", "media"}).ok());
  ASSERT_TRUE(tables.AddQueues({"media", "fio"}).ok());
  EXPECT_THAT(tables.Read()->queues,
              ElementsAre(std::pair{0, "sleep"}, std::pair{1, "media"}, std::pair{2, "fio"}));
  EXPECT_EQ(Row().owner, "");
  EXPECT_EQ(Row().epoch, 0U);
}

TEST_F(OwnershipTablesTest, QueueThatHasHadJobsKeepsTheNumberOfTheirIds) {
  Script("INSERT INTO queue VALUES ('old', (1::int8 << 56) | 77), ('high', (-1::int8 << 56) | 5)");
  auto tables = Tables();
  ASSERT_TRUE(tables.AddQueues({"new", "newer", "old", "high"}).ok());
  EXPECT_THAT(tables.Read()->queues, ElementsAre(std::pair{0, "new"}, std::pair{1, "old"},
                                                 std::pair{2, "newer"}, std::pair{255, "high"}));
}

TEST_F(OwnershipTablesTest, SeveralAddQueuesAtTheSameTime) {
  const std::vector<std::string> queues = {"q0", "q1", "q2", "q3", "q4", "q5"};
  std::vector<Status> added(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < added.size(); ++i) {
    threads.emplace_back([&, i] {
      std::vector<std::string> mine = queues;
      std::rotate(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(i), mine.end());
      added[i] = Tables("m" + std::to_string(i)).AddQueues(mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : added) EXPECT_TRUE(status.ok()) << status;
  std::set<std::string> names;
  const Look look = Tables().Read().value();
  for (const auto& [number, queue] : look.queues) {
    EXPECT_LT(number, queues.size());
    names.insert(queue);
  }
  EXPECT_THAT(names, SizeIs(queues.size())) << "each has one number";
}

TEST_F(OwnershipTablesTest, NoNumberIsLeftForTheQueue257) {
  Script(
      "INSERT INTO partition SELECT n, 'q' || n, 0, '', 0, '', 0, 0 FROM generate_series(0, 255) "
      "n");
  auto tables = Tables();
  EXPECT_TRUE(tables.AddQueues({"q17"}).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(tables.AddQueues({"one more"})));
}

// ---- Connections that break

TEST_F(OwnershipTablesTest, WriteOnALostConnectionIsInDoubtAndTheNextOneConnects) {
  Fill();
  auto tables = Tables();
  const effect::Beat beat{.beat = 4, .expected = 11, .draining = false};
  ASSERT_EQ(tables.Write(beat), Verdict::kDone);
  BreakConnections();
  EXPECT_EQ(tables.Write(beat), Verdict::kInDoubt);
  EXPECT_EQ(tables.Write(beat), Verdict::kDone);
  BreakConnections();
  EXPECT_FALSE(tables.Read().ok());
  EXPECT_TRUE(tables.Read().ok());
  BreakConnections();
  EXPECT_EQ(tables.Write(ClaimOf(4)).verdict, Verdict::kInDoubt);
  EXPECT_EQ(tables.Write(ClaimOf(4)).verdict, Verdict::kDone);
}

TEST_F(OwnershipTablesTest, WriteThatWaitsTooLongForARowIsInDoubt) {
  Fill();
  const auto holder = postgres::Connection::Open(target(), "SELECT 1").value();
  ASSERT_TRUE(holder->Script("BEGIN; SELECT 1 FROM partition FOR UPDATE").ok());
  OwnershipTables tables(target(), {"a", "", ""}, 11, std::chrono::milliseconds(200));
  EXPECT_EQ(tables.Write(ClaimOf(4)).verdict, Verdict::kInDoubt);
  // Whichever of the two gave up first: the server does so, too.
  while (holder->Run("SELECT 1 FROM pg_locks WHERE NOT granted").value().size() > 0) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(holder->Script("COMMIT").ok());
  EXPECT_EQ(Row().epoch, 4U);
}

TEST_F(OwnershipTablesTest, ServerThatIsAwayIsSaid) {
  PostgresServer server;
  const std::string address = server.NewDatabase();
  ASSERT_TRUE(results::PostgresStore::Open(PostgresServer::TargetOf(address)).ok());
  OwnershipTables tables(PostgresServer::TargetOf(address), {"a", "", ""}, 11, kServerPatience);
  ASSERT_TRUE(tables.Read().ok());
  server.Kill();
  EXPECT_FALSE(tables.Read().ok());
  EXPECT_EQ(tables.Write(effect::Beat{.beat = 1, .expected = 0, .draining = false}),
            Verdict::kInDoubt);
  EXPECT_FALSE(tables.AddQueues({"sleep"}).ok());
  server.Start();
  EXPECT_TRUE(tables.AddQueues({"sleep"}).ok());
}

}  // namespace
}  // namespace twofold::frontend
