// Workers that have nothing and are not heard of.

#include "tests/frontend/tenures_fixture.h"

namespace twofold::frontend {
namespace {

constexpr Duration kIdleLease = std::chrono::seconds(50);

class SilentWorkersTest : public TenuresTest {
 protected:
  ProcessId JoinAt(Instant when, bool beats_idle = true) {
    return Turn(host_, when)
        .Join(ProcessKey{1}, 2, {}, {"node", "pod"}, worker_, {.beats_idle = beats_idle});
  }

  void LookAt(Instant when) { Turn(host_, when).DropSilent(kIdleLease, 0); }

  std::uint64_t Idle() { return host_.Look(Now()).stats.workers_idle; }

  const Instant start_ = Now();
};

TEST_F(SilentWorkersTest, AnIdleProcessThatIsNotHeardOfIsNoCapacity) {
  JoinAt(start_);
  LookAt(start_ + kIdleLease - Duration(1));
  EXPECT_EQ(Idle(), 2U);
  LookAt(start_ + kIdleLease);
  EXPECT_EQ(Idle(), 0U);
  EXPECT_EQ(worker_->silent, 1);
  Submit(1);
  EXPECT_TRUE(worker_->assigned.empty());
  LookAt(start_ + 2 * kIdleLease);
  EXPECT_EQ(worker_->silent, 1);
}

TEST_F(SilentWorkersTest, ASignOfLifeBeginsTheIdleLeaseAnew) {
  const ProcessId process = JoinAt(start_);
  Turn(host_, start_ + std::chrono::seconds(40)).Renew(process);
  LookAt(start_ + std::chrono::seconds(89));
  EXPECT_EQ(Idle(), 2U);
  LookAt(start_ + std::chrono::seconds(90));
  EXPECT_EQ(Idle(), 0U);
}

TEST_F(SilentWorkersTest, AProcessThatHasAJobIsLeftToItsLease) {
  JoinAt(start_);
  Submit(1);
  LookAt(start_ + kIdleLease);
  EXPECT_EQ(worker_->silent, 0);
}

TEST_F(SilentWorkersTest, AProcessThatPromisedNothingMayBeSilent) {
  JoinAt(start_, /*beats_idle=*/false);
  LookAt(start_ + 10 * kIdleLease);
  EXPECT_EQ(Idle(), 2U);
}

}  // namespace
}  // namespace twofold::frontend
