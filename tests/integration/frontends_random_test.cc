// Frontends that share a database, and faults at random, one after the other.
//
// TWOFOLD_KILLS=200 makes so many; TWOFOLD_SEED repeats the choices of an earlier run (not its
// timing).

#include <random>
#include <thread>

#include "tests/integration/frontends_relay.h"

namespace twofold::testing {
namespace {

using std::chrono::milliseconds;

class FrontendsRandomTest : public FrontendsRelayTest {
 protected:
  /// Up to a few TTLs: some faults are over before anybody takes anything over.
  void Linger() {
    std::this_thread::sleep_for(milliseconds(std::uniform_int_distribution(0, 4000)(dice_)));
  }
  Member& Any() { return members_[dice_() % kFrontends]; }

  void KillAndRestart() {
    Member& member = Any();
    EXPECT_EQ(member.program->Kill(), -SIGKILL);
    Linger();
    Start(member);
  }
  void EndAndRestart() {
    Member& member = Any();
    member.program->Signal(SIGTERM);
    EXPECT_EQ(member.program->Wait(), 0) << member.program->output();
    Start(member);
  }
  void Freeze() {
    const Member& member = Any();
    member.program->Signal(SIGSTOP);
    Linger();
    member.program->Signal(SIGCONT);
  }
  void CutOff() {
    SocketRelay& relay = RelayOf(Any());
    relay.Cut();
    Linger();
    relay.Mend();
  }
  void FreezeWorker() {
    const Program& worker = *backends_[dice_() % backends_.size()];
    worker.Signal(SIGSTOP);
    Linger();
    worker.Signal(SIGCONT);
  }
  void MoveQueue() { Move(Any(), Any()).IgnoreError(); }  // may be refused
  /// It may have the queue, or get it while it stands still.
  void MoveFromOrToAFrozenOne() {
    const Member& member = Any();
    member.program->Signal(SIGSTOP);
    const Member& other = OtherThan(member);
    Move(other, dice_() % 2 == 0 ? member : other).IgnoreError();
    Linger();
    member.program->Signal(SIGCONT);
  }
  void DrainAndRestart() {
    Member& member = Any();
    v1::DrainFrontendRequest request;
    request.set_frontend(member.name);
    v1::ListFrontendsReply reply;
    CallFrontend(OtherThan(member), &v1::Frontends::Stub::DrainFrontend, request, reply);
    Linger();
    member.program->Signal(SIGTERM);
    EXPECT_EQ(member.program->Wait(), 0) << member.program->output();
    Start(member);
  }
  void StopServer() {
    server().Stop();
    Linger();
    server().Start();
  }
  void KillServer() {
    server().Kill();
    Linger();
    server().Start();
  }
  void FreezeServer() {
    server().Freeze();
    Linger();
    server().Thaw();
  }

  struct Fault {
    const char* name;
    void (FrontendsRandomTest::*happen)();
  };
  static constexpr std::array kFaults = {
      Fault{"a frontend is killed", &FrontendsRandomTest::KillAndRestart},
      Fault{"a frontend ends", &FrontendsRandomTest::EndAndRestart},
      Fault{"a frontend is frozen", &FrontendsRandomTest::Freeze},
      Fault{"a frontend is cut off", &FrontendsRandomTest::CutOff},
      Fault{"a worker is frozen", &FrontendsRandomTest::FreezeWorker},
      Fault{"the queue moves", &FrontendsRandomTest::MoveQueue},
      Fault{"the queue moves from or to a frozen frontend",
            &FrontendsRandomTest::MoveFromOrToAFrozenOne},
      Fault{"a frontend drains and ends", &FrontendsRandomTest::DrainAndRestart},
      Fault{"the server stops", &FrontendsRandomTest::StopServer},
      Fault{"the server is killed", &FrontendsRandomTest::KillServer},
      Fault{"the server is frozen", &FrontendsRandomTest::FreezeServer},
  };

  const std::uint64_t seed_ = FromEnvironment("TWOFOLD_SEED", std::random_device{}());
  std::mt19937_64 dice_{seed_};
};

TEST_F(FrontendsRandomTest, WhatWasAcknowledgedEndsOnceWhateverHappens) {
  std::cout << "TWOFOLD_SEED=" << seed_ << "\n";
  const std::uint64_t faults = FromEnvironment("TWOFOLD_KILLS", 6);
  StartLoad(members_.front());
  for (std::uint64_t i = 0; i < faults && !HasFailure(); ++i) {
    const Fault& fault = kFaults[dice_() % kFaults.size()];
    std::cout << i + 1 << ": " << fault.name << std::endl;
    (this->*fault.happen)();
    AwaitOwners();
    ExpectLoadGoesOn();
  }
  ExpectLedgerHolds();
}

}  // namespace
}  // namespace twofold::testing
