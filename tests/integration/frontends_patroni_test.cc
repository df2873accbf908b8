// Frontends on a PostgreSQL that Patroni keeps available, and faults of both at random. Nightly.
//
// TWOFOLD_FAULTS=20 makes so many; TWOFOLD_SEED repeats the choices of an earlier run (not its
// timing).

#include <optional>
#include <random>
#include <thread>

#include "tests/integration/frontends_fixture.h"
#include "tests/support/patroni_cluster.h"

namespace twofold::testing {
namespace {

using std::chrono::milliseconds;

class FrontendsPatroniTest : public FrontendsTest {
 protected:
  void SetUp() override {
    if (std::getenv("TWOFOLD_NIGHTLY") == nullptr) GTEST_SKIP() << "takes long: --nightly only";
    const std::string missing = PatroniCluster::MissingPackages();
    if (!missing.empty()) GTEST_SKIP() << "not installed:" << missing;
    cluster_.emplace();
    FrontendsTest::SetUp();
  }
  void TearDown() override {
    FrontendsTest::TearDown();
    cluster_.reset();
  }
  std::string NewDatabase() override { return cluster_->NewDatabase(); }

  void Linger(int most_ms = 4000) {
    std::this_thread::sleep_for(milliseconds(std::uniform_int_distribution(0, most_ms)(dice_)));
  }
  bool Toss() { return dice_() % 2 == 0; }
  std::size_t Primary() { return cluster_->Primary().value_or(0); }

  // ---- Faults

  void KillPrimary() { cluster_->KillServer(Primary()); }
  void KillSynchronousStandby() {
    cluster_->KillServer(cluster_->SynchronousStandby().value_or(0));
  }
  /// The primary goes on, alone: sometimes until another one has taken its place, so that for a
  /// while two take commits, of which one waits for standbys that have left it.
  void KillPatroniOfPrimary() {
    const std::size_t node = Primary();
    cluster_->KillPatroni(node);
    if (Toss() && !cluster_->AwaitPrimary(node)) std::cout << "   (nobody takes its place)\n";
    Linger();
    cluster_->StartPatroni(node);
  }
  /// Nobody may take its place if it was about to choose another synchronous standby.
  void LoseMachineOfPrimary() {
    const std::size_t node = Primary();
    cluster_->KillPatroni(node);
    cluster_->KillServer(node);
    if (!cluster_->AwaitPrimary(node)) std::cout << "   (nobody takes its place)\n";
    Linger();
    cluster_->StartPatroni(node);
  }
  void Switchover() {
    if (!cluster_->Switchover()) std::cout << "   (Patroni refuses)\n";
  }
  /// Beyond Patroni's TTL the primary steps down, and there is none.
  void KillEtcd() {
    cluster_->KillEtcd();
    Linger(9000);
    cluster_->StartEtcd();
  }
  void KillFrontend() {
    Member& member = members_[dice_() % kFrontends];
    EXPECT_EQ(member.program->Kill(), -SIGKILL);
    Linger();
    Start(member);
  }
  void FreezeFrontend() {
    const Member& member = members_[dice_() % kFrontends];
    member.program->Signal(SIGSTOP);
    Linger();
    member.program->Signal(SIGCONT);
  }
  void MoveQueue() {
    Move(members_[dice_() % kFrontends], members_[dice_() % kFrontends]).IgnoreError();
  }
  void KillFrontendAndPrimary() {
    Member& member = members_[dice_() % kFrontends];
    EXPECT_EQ(member.program->Kill(), -SIGKILL);
    KillPrimary();
    EXPECT_TRUE(cluster_->AwaitHealth()) << cluster_->Describe();  // it does not start without
    Start(member);
  }

  struct Fault {
    const char* name;
    void (FrontendsPatroniTest::*happen)();
  };
  static constexpr std::array kFaults = {
      Fault{"the primary is killed", &FrontendsPatroniTest::KillPrimary},
      Fault{"the synchronous standby is killed", &FrontendsPatroniTest::KillSynchronousStandby},
      Fault{"the primary's Patroni is killed", &FrontendsPatroniTest::KillPatroniOfPrimary},
      Fault{"the primary's machine is lost", &FrontendsPatroniTest::LoseMachineOfPrimary},
      Fault{"the primary is another one", &FrontendsPatroniTest::Switchover},
      Fault{"etcd is killed", &FrontendsPatroniTest::KillEtcd},
      Fault{"a frontend is killed", &FrontendsPatroniTest::KillFrontend},
      Fault{"a frontend is frozen", &FrontendsPatroniTest::FreezeFrontend},
      Fault{"the queue moves", &FrontendsPatroniTest::MoveQueue},
      Fault{"a frontend and the primary are killed", &FrontendsPatroniTest::KillFrontendAndPrimary},
  };

  std::optional<PatroniCluster> cluster_;
  const std::uint64_t seed_ = FromEnvironment("TWOFOLD_SEED", std::random_device{}());
  std::mt19937_64 dice_{seed_};
};

TEST_F(FrontendsPatroniTest, WhatWasAcknowledgedEndsOnceWhateverHappens) {
  std::cout << "TWOFOLD_SEED=" << seed_ << "\n";
  const std::uint64_t faults = FromEnvironment("TWOFOLD_FAULTS", 60);
  StartLoad(members_.front());
  for (std::uint64_t i = 0; i < faults && !HasFailure(); ++i) {
    const Fault& fault = kFaults[dice_() % kFaults.size()];
    std::cout << i + 1 << ": " << fault.name << std::endl;
    load_->ForgetPauses();
    (this->*fault.happen)();
    EXPECT_TRUE(cluster_->AwaitHealth()) << cluster_->Describe();
    AwaitOwners();
    ExpectLoadGoesOn();
    std::cout << "   durable jobs stood for " << ToSeconds(load_->tally().longest_pause) << " s\n";
  }
  ExpectLedgerHolds();
}

}  // namespace
}  // namespace twofold::testing
