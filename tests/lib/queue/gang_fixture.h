#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/lib/queue/queue_fixture.h"

namespace twofold::queue {

inline JobOptions Gang(std::uint32_t size, Spread spread = Spread::kAny,
                       Duration timeout = seconds(30)) {
  return {.gang = {.size = size, .spread = spread, .timeout = timeout}};
}

inline JobOptions Gang(std::uint32_t size, std::uint32_t max_attempts) {
  JobOptions options = Gang(size);
  options.max_attempts = max_attempts;
  return options;
}

/// A queue for gangs; a member is what was assigned to it.
class GangTest : public QueueTest {
 protected:
  using QueueTest::QueueTest;

  /// The members of the gang's newest attempt, by rank.
  [[nodiscard]] std::vector<Assigned> MembersOf(JobId gang) const {
    std::vector<Assigned> members;
    for (const Assigned& assigned : effects.Of<Assigned>()) {
      if (assigned.gang != gang) continue;
      if (assigned.rank == 0) members.clear();
      members.push_back(assigned);
    }
    return members;
  }

  bool Started(JobId gang) const { return !MembersOf(gang).empty(); }

  bool Ready(const Assigned& member) {
    return queue.Step(now, input::MemberReady{member.process, HeldOf(member)}, effects);
  }

  bool End(const Assigned& member, Outcome outcome = Outcome::kSucceeded) {
    return Complete(member.process, member.job, member.attempt, outcome);
  }

  static Held HeldOf(const Assigned& member) { return {member.job, member.attempt}; }
  static Stopped StopOf(const Assigned& member) {
    return {member.process, member.job, member.attempt};
  }
  static LetGo GoOf(const Assigned& member) { return {member.process, member.job, member.attempt}; }
};

}  // namespace twofold::queue
