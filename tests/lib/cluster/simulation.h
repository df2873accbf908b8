#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cluster/ownership.h"
#include "tests/lib/cluster/fake_database.h"
#include "tests/lib/cluster/faults.h"
#include "tests/support/virtual_time.h"

namespace twofold::cluster {

/// Frontends that share a database, in virtual time, with faults. Each commits to the partitions
/// that it has, while it is strict. Checked at each step:
///
///   - epochs of a partition rise, and their commits do not interleave (FakeDatabase)
///   - no two frontends are strict at a time, not even ones that sleep
///   - no acknowledged commit is lost, unless a frontend that knew of it has said so
///   - who has seen a loss is not strict until an admin has accepted it
///   - once faults are over, each partition is strict somewhere within the bound of ownership.h,
///     and stays there
class Simulation {
 public:
  explicit Simulation(Scenario scenario);

  /// What is wrong, and when; empty: nothing.
  std::string Run();

  /// Calls of Ownership::Step.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// How often the rarer things have happened.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& seen() const { return seen_; }

 private:
  /// What a frontend's queue does with an open partition.
  struct Serving {
    Epoch epoch;
    std::uint64_t version;  // acknowledged
    std::optional<DurableCommit> under_way = {};
    Instant sent = {};
  };

  /// A process, or where one was.
  struct Frontend {
    std::string name;
    Incarnation incarnation = 0;
    std::unique_ptr<Ownership> core = {};  // null: no process
    // Its clock: starts anywhere, and runs a little fast or slow.
    Duration offset{};
    double rate = 1;
    std::vector<std::function<void()>> inbox = {};  // while it is paused
    std::map<PartitionNumber, Serving> serving = {};
    std::map<PartitionNumber, std::uint64_t> claimed = {};       // versions that claims have read
    std::map<PartitionNumber, std::uint64_t> acknowledged = {};  // versions that it was told
    std::map<PartitionNumber, std::uint64_t> must_notice = {};   // lost: the version it was told
    std::map<PartitionNumber, Epoch> opened = {};                // the latest epoch
    std::set<PartitionNumber> closed_by_loss = {};
    std::vector<std::optional<Instant>> strict_until = {};  // in true time
    std::optional<Instant> tick_at = {};
    std::set<FaultKind> faults = {};
    bool gone = false;
  };

  /// Carries out a request; says whether its condition held.
  using Write = std::function<bool(const Sender&)>;
  /// Gives an answer to the process that waits for it.
  using Deliver = std::function<void()>;
  /// What the database answers, as of the moment at which it is asked.
  using Reply = std::function<Deliver(Verdict)>;

  [[nodiscard]] Instant now() const { return time_.now(); }
  void At(Instant when, std::function<void()> action) { time_.At(when, std::move(action)); }
  void AtOf(Frontend& frontend, Instant when, std::function<void()> action);
  [[nodiscard]] Instant Local(const Frontend& frontend, Instant when) const;
  [[nodiscard]] Instant True(const Frontend& frontend, Instant local) const;
  Duration Milliseconds(std::uint64_t least, std::uint64_t most);
  bool OneIn(std::uint64_t n) { return random_() % n == 0; }

  // Faults
  void Begin(const Fault& fault);
  void Command(Frontend& frontend, const Input& input);
  void Afflict(const Fault& fault, const std::vector<std::size_t>& frontends);
  void Wake(Frontend& frontend);
  void Rollback(Duration length);
  void Start(Frontend& frontend);
  void Kill(Frontend& frontend);
  void StartLater(Frontend& frontend, Duration pause);

  // Processes
  void Step(Frontend& frontend, const Input& input);
  void Carry(Frontend& frontend, const std::vector<Effect>& effects);
  void ScheduleTick(Frontend& frontend);
  void Do(Frontend& frontend, const effect::Look& look);
  void Do(Frontend& frontend, const effect::Beat& beat);
  void Do(Frontend& frontend, const effect::Claim& claim);
  void Do(Frontend& frontend, const effect::Release& release);
  void Do(Frontend& frontend, const effect::Mark& mark);
  void Do(Frontend& frontend, const effect::Open& open);
  void Do(Frontend& frontend, const effect::Resume& resume);
  void Do(Frontend& frontend, const effect::Suspend& suspend);
  void Do(Frontend& frontend, const effect::Close& close);
  void Do(Frontend& frontend, const effect::Lost& lost);
  void Do(Frontend& frontend, const effect::Drained& drained);
  void Do(Frontend& frontend, const effect::Replaced& replaced);

  // The network
  void Request(Frontend& frontend, const Write& write, const Reply& reply);
  void Send(Frontend& frontend, Duration there, Duration back, const Write& write,
            const Reply& reply);
  void Answer(Frontend& frontend, Duration back, Deliver deliver);
  Reply ReplyWith(Frontend& frontend, std::function<Input(Verdict)> input);

  // Commits
  void CommitAll();
  void Commit(Frontend& frontend, PartitionNumber partition, Serving& serving);
  void Committed(Frontend& frontend, const DurableCommit& commit, Verdict verdict);
  void Acknowledge(Frontend& frontend, const DurableCommit& commit);
  void Cover(const DurableCommit& commit);

  // Checks
  void CheckStrict(Frontend& frontend);
  void CheckNothingLost();
  void CheckOwners(bool all_strict);
  void AcceptLosses();
  void Complain(const std::string& what);
  void Saw(std::string_view what) { ++seen_[what]; }

  const Scenario scenario_;
  std::mt19937_64 random_;
  FakeDatabase database_;
  std::vector<Frontend> frontends_;
  VirtualTime time_;
  std::uint64_t next_incarnation_ = 1;
  std::uint64_t next_commit_ = 1;
  std::uint64_t steps_ = 0;
  // Acknowledged commits that the database must have: by partition and version, their ids.
  std::vector<std::map<std::uint64_t, std::uint64_t>> acknowledged_;
  Instant strict_again_{};  // until then a rollback excuses two strict owners
  std::uint64_t claims_when_calm_ = 0;
  std::set<PartitionNumber> never_owned_;
  std::map<std::string_view, std::uint64_t> seen_;
  std::string complaint_;
};

}  // namespace twofold::cluster
