// What must hold, and the ledger of commits that it is held against.

#include <utility>

#include "tests/lib/cluster/simulation.h"

namespace twofold::cluster {

void Simulation::Complain(const std::string& what) {
  if (!complaint_.empty() || what.empty()) return;
  complaint_ = what + " (at " + std::to_string(ToSeconds(now().time_since_epoch())) + " s)";
}

/// A process that sleeps counts as strict until its time is over: nobody tells it to stop.
void Simulation::CheckStrict(Frontend& frontend) {
  for (std::size_t i = 0; i < scenario_.partitions; ++i) {
    const auto partition = static_cast<PartitionNumber>(i);
    const auto until = frontend.core->StrictUntil(partition);
    auto& strict_until = frontend.strict_until[i];
    strict_until = until ? std::optional(True(frontend, *until)) : std::nullopt;
    if (!(strict_until > now())) continue;
    const std::string what = "partition " + std::to_string(i);
    if (frontend.closed_by_loss.contains(partition)) {
      Complain(frontend.name + " goes on with " + what + ", of which commits are lost");
    }
    for (const Frontend& other : frontends_) {
      if (&other == &frontend || other.core == nullptr || now() < strict_again_) continue;
      if (other.strict_until[i] > now()) {
        Complain(what + " is strict on " + frontend.name + " and " + other.name);
      }
    }
  }
}

/// A submitter has been told. If the database went back while the answer was on its way, the
/// frontend must notice.
void Simulation::Acknowledge(Frontend& frontend, const DurableCommit& commit) {
  frontend.acknowledged[commit.partition] = commit.version;
  if (database_.IdAt(commit.partition, commit.version) == commit.id) {
    acknowledged_.at(commit.partition)[commit.version] = commit.id;
  } else if (commit.version > database_.Row(commit.partition).version) {
    frontend.must_notice[commit.partition] = commit.version;
  }
}

/// New commits hide a loss from who has not looked so far.
void Simulation::Cover(const DurableCommit& commit) {
  for (Frontend& frontend : frontends_) {
    const auto lost = frontend.must_notice.find(commit.partition);
    if (lost == frontend.must_notice.end() || lost->second > commit.version) continue;
    Saw("loss covered by new commits");
    frontend.must_notice.erase(lost);
  }
}

void Simulation::CheckNothingLost() {
  for (std::size_t i = 0; i < acknowledged_.size(); ++i) {
    for (const auto& [version, id] : acknowledged_[i]) {
      if (database_.IdAt(static_cast<PartitionNumber>(i), version) == id) continue;
      Complain("partition " + std::to_string(i) + " has lost its acknowledged commit " +
               std::to_string(version));
    }
  }
  for (const Frontend& frontend : frontends_) {
    if (frontend.core == nullptr) continue;
    for (const auto& [partition, version] : frontend.must_notice) {
      Complain(frontend.name + " has not noticed that commit " + std::to_string(version) +
               " of partition " + std::to_string(partition) + " is lost");
    }
  }
}

/// Each partition is open where its row says. It is strict there, too; unless `all_strict`, those
/// that wait for an admin, or have never had an owner, are left out.
void Simulation::CheckOwners(bool all_strict) {
  for (const Partition& row : database_.Look().partitions) {
    if (!all_strict && never_owned_.contains(row.number)) continue;
    bool is_open = false;
    bool is_strict = false;
    for (const Frontend& frontend : frontends_) {
      if (frontend.core == nullptr || frontend.incarnation != row.owner_incarnation) continue;
      is_open = frontend.core->OpenEpoch(row.number) == row.epoch;
      is_strict = frontend.strict_until[row.number] > now();
    }
    const std::string what = "partition " + std::to_string(row.number);
    if (!is_open) Complain(what + " is open nowhere");
    if (!is_strict && (all_strict || !IsLost(row.losses))) Complain(what + " is strict nowhere");
  }
}

void Simulation::AcceptLosses() {
  for (const Partition& row : database_.Look().partitions) {
    if (!IsLost(row.losses)) continue;
    Saw("loss accepted");
    for (Frontend& frontend : frontends_) {
      frontend.closed_by_loss.erase(row.number);
      Step(frontend, input::Accept{row.number});
    }
  }
}

}  // namespace twofold::cluster
