#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/cluster/ownership.h"

namespace twofold::cluster {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// One frontend, "me", whose database is the `view` that a test writes. Run lets time pass: it
/// answers looks and beats at once; other requests stay in the record, for the test to answer.
class OwnershipTest : public testing::Test {
 protected:
  static constexpr Incarnation kMe = 7;

  OwnershipTest() {
    AddMember("other");
    Run({});
  }

  void AddMember(const std::string& name) {
    view.members.push_back({.name = name, .incarnation = 100 + view.members.size(), .beat = 1});
  }

  Partition& AddPartition(Epoch epoch, const std::string& owner, std::uint64_t version = 0) {
    const auto number = static_cast<PartitionNumber>(view.partitions.size());
    const Incarnation incarnation = owner == "me" ? kMe : MemberNamed(owner).incarnation;
    view.partitions.push_back({.number = number,
                               .epoch = epoch,
                               .owner = owner,
                               .owner_incarnation = incarnation,
                               .version = version});
    return view.partitions.back();
  }

  Member& MemberNamed(const std::string& name) {
    static Member nobody;
    const auto found = std::find_if(view.members.begin(), view.members.end(),
                                    [&](const Member& member) { return member.name == name; });
    return found == view.members.end() ? nobody : *found;
  }

  Status Step(const Input& input) {
    std::vector<Effect> made;
    Status status = core.Step(now, input, made);
    for (const Effect& effect : made) {
      if (const auto* look = std::get_if<effect::Look>(&effect)) look_ = look->number;
      if (const auto* beat = std::get_if<effect::Beat>(&effect)) beat_ = *beat;
      effects.push_back(effect);
    }
    return status;
  }

  /// Time passes, up to and including its end. Members but the dead beat before each look.
  void Run(Duration duration) {
    const Instant end = now + duration;
    do {
      Step(input::Tick{}).IgnoreError();
      while ((beats_arrive && beat_) || (looks_arrive && look_)) AnswerAll();
      now = std::min(end, std::max(core.NextDeadline(), now + nanoseconds(1)));
    } while (now < end);
    Step(input::Tick{}).IgnoreError();
    while ((beats_arrive && beat_) || (looks_arrive && look_)) AnswerAll();
  }

  void AnswerAll() {
    if (beats_arrive && beat_) AnswerBeat(Verdict::kDone);
    if (looks_arrive && look_) AnswerLook();
  }

  void AnswerBeat(Verdict verdict) {
    const effect::Beat beat = *std::exchange(beat_, std::nullopt);
    if (verdict == Verdict::kDone) Register(beat);
    Step(input::Beaten{beat.beat, verdict}).IgnoreError();
  }

  void Register(const effect::Beat& beat) {
    if (MemberNamed("me").name.empty()) view.members.push_back({.name = "me"});
    MemberNamed("me") = {"me", kMe, beat.beat, beat.draining};
  }

  void AnswerLook() {
    for (Member& member : view.members) {
      if (member.name != "me" && !dead.contains(member.name)) ++member.beat;
    }
    Step(input::Looked{*std::exchange(look_, std::nullopt), view}).IgnoreError();
  }

  /// Answers the latest claim of a partition, and writes it.
  void Grant(PartitionNumber number) {
    const std::vector<effect::Claim> claims = Of<effect::Claim>();
    ASSERT_FALSE(claims.empty());
    const effect::Claim& claim = claims.back();
    ASSERT_EQ(claim.partition, number);
    Partition& row = view.partitions.at(number);
    row.epoch = claim.epoch;
    row.owner = "me";
    row.owner_incarnation = kMe;
    Step(Done(claim, row.version)).IgnoreError();
  }

  static input::Claimed Done(const effect::Claim& claim, std::uint64_t version = 0) {
    return {claim.partition, claim.epoch, Verdict::kDone, version};
  }

  /// A partition that is open and strict here, with epoch 5 and this version.
  PartitionNumber Own(std::uint64_t version = 0) {
    const PartitionNumber number = AddPartition(4, "me", version).number;
    Run(seconds(1));
    Grant(number);
    Run(seconds(1));
    EXPECT_TRUE(core.StrictUntil(number));
    effects.clear();
    return number;
  }

  template <typename Kind>
  [[nodiscard]] std::vector<Kind> Of() const {
    std::vector<Kind> found;
    for (const Effect& effect : effects) {
      if (const auto* value = std::get_if<Kind>(&effect)) found.push_back(*value);
    }
    return found;
  }

  View view;
  std::set<std::string> dead;
  bool beats_arrive = true;
  bool looks_arrive = true;
  Instant now{seconds(1000)};
  Ownership core{{.name = "me", .incarnation = kMe}};
  std::vector<Effect> effects;
  std::optional<std::uint64_t> look_;  // not answered yet
  std::optional<effect::Beat> beat_;
};

}  // namespace twofold::cluster
