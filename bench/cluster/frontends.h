#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cluster/ownership.h"
#include "tests/lib/cluster/fake_database.h"
#include "tests/support/virtual_time.h"

namespace twofold::scale {

using cluster::PartitionNumber;

/// Told what the frontends' ownership wants of their queues.
class QueueShell {
 public:
  virtual ~QueueShell() = default;

  virtual void Open(std::size_t frontend, PartitionNumber partition) = 0;
  virtual void Resume(std::size_t frontend, PartitionNumber partition) = 0;
  virtual void Suspend(std::size_t frontend, PartitionNumber partition) = 0;
  virtual void Close(std::size_t frontend, PartitionNumber partition) = 0;
  virtual void Drained(std::size_t frontend) = 0;
  /// It may know of other owners now.
  virtual void Saw(std::size_t frontend) = 0;
};

/// The ownership of some frontends over one database, with nothing but the time that requests take:
/// tests/lib/cluster/simulation has the faults.
///
/// Each frontend runs the Ownership that the program runs.
class Frontends {
 public:
  struct Counts {
    std::uint64_t looks = 0, beats = 0, claims = 0, releases = 0;
  };

  Frontends(std::size_t count, std::size_t partitions, VirtualTime& time, QueueShell& shell);

  /// A process begins, ends (without a word), or is told to drain.
  void Start(std::size_t frontend);
  void End(std::size_t frontend) { members_.at(frontend).core.reset(); }
  void Drain(std::size_t frontend) { Step(members_.at(frontend), cluster::input::Drain{}); }

  /// While it is away it carries out no request and answers none.
  void SetDatabaseUp(bool up) { database_is_up_ = up; }
  [[nodiscard]] bool database_is_up() const { return database_is_up_; }

  [[nodiscard]] bool IsUp(std::size_t frontend) const {
    return members_.at(frontend).core != nullptr;
  }
  [[nodiscard]] bool IsStrict(std::size_t frontend, PartitionNumber partition) const;
  /// Who owns the partition, as far as the frontend knows; nullptr: it knows nothing.
  [[nodiscard]] const cluster::Partition* Find(std::size_t frontend,
                                               PartitionNumber partition) const;
  [[nodiscard]] const std::string& name(std::size_t frontend) const {
    return members_.at(frontend).name;
  }
  /// The one of this name, or of an address that begins with it.
  [[nodiscard]] std::size_t NumberOf(std::string_view name) const;

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const cluster::OwnershipOptions& times() const { return times_; }

  /// What is wrong with who owns what; empty: each partition is open in one frontend, the one that
  /// the database names.
  [[nodiscard]] std::string Complaint() const;

 private:
  struct Member {
    std::size_t number;
    std::string name;
    cluster::Incarnation incarnation = 0;
    std::unique_ptr<cluster::Ownership> core = {};  // nullptr: no process
    std::optional<Instant> tick_at = {};
  };

  void Step(Member& member, const cluster::Input& input);
  void ScheduleTick(Member& member);
  template <typename Request>
  void Ask(Member& member, const Request& request);
  void SayLookAgain(const Member& from);

  void Do(Member& member, const cluster::effect::Look& look);
  void Do(Member& member, const cluster::effect::Beat& beat);
  void Do(Member& member, const cluster::effect::Claim& claim);
  void Do(Member& member, const cluster::effect::Release& release);
  void Do(Member& member, const cluster::effect::Open& open);
  void Do(Member& member, const cluster::effect::Resume& resume);
  void Do(Member& member, const cluster::effect::Suspend& suspend);
  void Do(Member& member, const cluster::effect::Close& close);
  void Do(Member& member, const cluster::effect::Drained& drained);
  // Nobody sets the database back, and no two processes have one name.
  void Do(Member& member, const cluster::effect::Mark& mark);
  void Do(Member& member, const cluster::effect::Lost& lost);
  void Do(Member& member, const cluster::effect::Replaced& replaced);
  void Complain(const std::string& what);

  const cluster::OwnershipOptions times_;
  VirtualTime& time_;
  QueueShell& shell_;
  cluster::FakeDatabase database_;
  bool database_is_up_ = true;
  std::vector<Member> members_;
  cluster::Incarnation next_incarnation_ = 1;
  Counts counts_;
  std::string complaint_;
};

}  // namespace twofold::scale
