// What a frontend knows of all of them, and tells its callers.

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <set>
#include <string>
#include <utility>

#include "frontend/cluster/membership.h"

namespace twofold::frontend {
namespace {

// A member whose beat so many looks in a row have shown may be dead: callers are not sent there.
constexpr int kSuspicious = 3;

}  // namespace

void Membership::Miss(const std::string& why) {
  const MutexLock lock(mutex_);
  if (trouble_.empty()) {
    spdlog::warn("cannot see who serves which queue, trying again until it works: {}", why);
  }
  trouble_ = why;
}

void Membership::Seen(Look look) {
  const MutexLock lock(mutex_);
  if (!trouble_.empty()) spdlog::info("sees again who serves which queue");
  trouble_.clear();
  looked_at_ = Now();
  std::map<std::string, Pulse> pulses;
  for (const cluster::Member& member : look.view.members) {
    Pulse pulse = pulses_[member.name];
    const bool same = pulse.incarnation == member.incarnation && pulse.beat == member.beat;
    pulses[member.name] = {member.incarnation, member.beat, same ? pulse.looks + 1 : 1};
  }
  pulses_ = std::move(pulses);
  look_ = std::move(look);
}

/// Whether the member beats, as far as looks have shown.
bool Membership::Lives(const std::string& name) const {
  const auto pulse = pulses_.find(name);
  return pulse != pulses_.end() && pulse->second.looks < kSuspicious;
}

void Membership::Publish() {
  const MutexLock publishing(publishing_);  // so that what was seen last is what is known
  std::map<std::string, Owner> owners;
  std::vector<Peer> others;
  {
    const MutexLock lock(mutex_);
    std::set<std::string> leaving;
    for (const cluster::Member& member : look_.view.members) {
      if (member.draining) leaving.insert(member.name);
    }
    for (const cluster::Partition& row : look_.view.partitions) leaving.erase(row.owner);
    for (const auto& [name, peer] : look_.peers) {
      if (name == options_.me.name || !Lives(name)) continue;
      others.push_back(peer);
      others.back().leaves = leaving.contains(name);
    }
    for (const cluster::Partition& row : look_.view.partitions) {
      Owner& owner = owners[look_.queues[row.number]];
      owner.epoch = row.epoch;
      const bool elsewhere = !row.owner.empty() && row.owner != options_.me.name;
      if (elsewhere && Lives(row.owner)) owner.peer = look_.peers[row.owner];
    }
  }
  for (const auto& host : queues_.all()) {
    const QueueHost::Snapshot snapshot = host->Look(Now());
    if (snapshot.served) owners[host->name()] = {snapshot.epoch, options_.me, true};
  }
  directory_.Publish(std::move(owners), std::move(others), Now());
}

Result<cluster::PartitionNumber> Membership::NumberOf(const std::string& queue) const {
  const MutexLock lock(mutex_);
  for (const auto& [number, name] : look_.queues) {
    if (name == queue) return number;
  }
  return absl::NotFoundError(absl::StrCat("queue: there is no '", queue.substr(0, 80), "'"));
}

Membership::Overview Membership::See() const {
  const MutexLock lock(mutex_);
  return {look_, Now() - looked_at_, trouble_, draining_};
}

}  // namespace twofold::frontend
