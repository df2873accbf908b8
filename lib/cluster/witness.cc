#include "lib/cluster/witness.h"

#include <utility>

namespace twofold::cluster {

void Witness::See(Instant sent, Instant now, const View& view) {
  if (answered_ && now - *answered_ > gap_) seen_.clear();
  sent_ = sent;
  answered_ = now;
  std::map<std::string, Seen> next;
  for (const Member& member : view.members) Note(now, member, next);
  for (const Partition& partition : view.partitions) {
    if (!partition.owner.empty()) Note(now, {.name = partition.owner}, next);
  }
  seen_ = std::move(next);
}

/// Keeps the clock of a beat that has not changed. A name that is in `next` already has a row.
void Witness::Note(Instant now, const Member& member, std::map<std::string, Seen>& next) const {
  const auto before = seen_.find(member.name);
  const bool same = before != seen_.end() && before->second.incarnation == member.incarnation &&
                    before->second.beat == member.beat;
  next.emplace(member.name, same ? before->second : Seen{member.incarnation, member.beat, now});
}

bool Witness::IsDead(const std::string& name) const {
  const auto found = seen_.find(name);
  return found != seen_.end() && sent_ - found->second.since >= ttl_;
}

Member Witness::Evidence(const std::string& name) const {
  const auto found = seen_.find(name);
  if (found == seen_.end()) return {.name = name};
  return {.name = name, .incarnation = found->second.incarnation, .beat = found->second.beat};
}

}  // namespace twofold::cluster
