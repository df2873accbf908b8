// Frontends whose way to their database is cut, or leads to a synchronous standby from now on.

#include <cstdint>
#include <optional>
#include <string>

#include "tests/integration/frontends_relay.h"

namespace twofold::testing {
namespace {

TEST_F(FrontendsRelayTest, OwnerThatIsCutOffFromTheDatabaseIsTakenOver) {
  Member& owner = Owner();
  StartLoad(OtherThan(owner));
  RelayOf(owner).Cut();
  stopped_ = &owner;  // for those who ask about tenures
  Member& next = AwaitOwnerOtherThan(owner);
  const std::string tenure = AwaitOwners()["sleep"];
  ExpectLoadGoesOn();
  RelayOf(owner).Mend();
  stopped_ = nullptr;
  EXPECT_TRUE(Await([&] { return Tenures(owner)["sleep"] == tenure; }))
      << ListFrontends(owner).DebugString();
  load_->SubmitTo({owner.client});
  ExpectLoadGoesOn();
  EXPECT_EQ(&Owner(), &next);
  ExpectLedgerHolds();
}

class FrontendsStandbyTest : public FrontendsTest {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    primary_.emplace();
    standby_.emplace(PostgresServer::StandbyOf{*primary_});
    primary_->Script("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    primary_->Script("SELECT pg_reload_conf()");
    FrontendsTest::SetUp();
  }
  void TearDown() override {
    if (standby_) standby_->Start();  // else the other one waits for it when it ends
    FrontendsTest::TearDown();
    primary_.reset();
    standby_.reset();
  }

  PostgresServer& server() override { return *primary_; }
  std::string StoreOf(std::size_t /*frontend*/) override { return WhicheverTakesCommits(); }
  std::string WhicheverTakesCommits() const {
    return database_ + "," + standby_->folder() + "&target_session_attrs=read-write";
  }

  std::optional<PostgresServer> primary_;
  std::optional<PostgresServer> standby_;
};

TEST_F(FrontendsStandbyTest, NothingIsLostWhenTheStandbyIsPromoted) {
  StartLoad(members_.front());
  load_->ForgetPauses();
  primary_->Kill();
  standby_->Script("ALTER SYSTEM SET synchronous_standby_names = ''");
  standby_->Promote();
  database_ = WhicheverTakesCommits();
  AwaitOwners();
  ExpectLoadGoesOn();
  std::cout << "pause until the standby took commits: " << ToSeconds(load_->tally().longest_pause)
            << " s\n";
  ExpectLedgerHolds();
}

class FrontendsPatientStandbyTest : public FrontendsStandbyTest {
 protected:
  std::string Ttl() const override { return "8"; }

  /// Journals whose commits wait for the standby give up the wait: the server says that they have
  /// succeeded, with a warning. Returns how many.
  std::int64_t CancelWaits() {
    return Number(
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
        " WHERE wait_event = 'SyncRep' AND query = 'COMMIT'");
  }
};

TEST_F(FrontendsPatientStandbyTest, CommitThatTheStandbyHasNotGotIsNotAcknowledged) {
  StartLoad(members_.front());
  standby_->Stop();
  const std::uint64_t accepted = load_->tally().accepted;
  std::int64_t cancelled = 0;
  EXPECT_TRUE(Await([&] { return (cancelled += CancelWaits()) >= 5; })) << cancelled;
  // What was stored on both before may have been on its way.
  EXPECT_LE(load_->tally().accepted, accepted + DurableLoad::kThreads);
  standby_->Start();
  ExpectLoadGoesOn();
  ExpectLedgerHolds();
}

}  // namespace
}  // namespace twofold::testing
