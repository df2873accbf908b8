// What an Ownership makes of a look: who it is, what the rows say, who takes over from whom.

#include <algorithm>
#include <utility>

#include "lib/cluster/ownership.h"

namespace twofold::cluster {

Status Ownership::On(Instant now, const input::Looked& looked, Effects& effects) {
  if (!look_ || looked.number != look_number_) return absl::OkStatus();
  const Request look = *std::exchange(look_, std::nullopt);
  if (Status ok = Check(looked.view); !ok.ok()) return ok;
  witness_.See(look.sent, now, looked.view);
  FindSelf(now, look.sent, effects);
  if (replaced_) return absl::OkStatus();
  SeeRows(look, looked.view, effects);
  FindAble(looked.view);
  Succeed(now, effects);
  return absl::OkStatus();
}

/// Whether the row of this name is still this process's.
void Ownership::FindSelf(Instant now, Instant sent, Effects& effects) {
  const Incarnation found = witness_.Evidence(options_.name).incarnation;
  if (found == options_.incarnation) {
    if (!registered_) registered_ = now;  // by a beat in doubt
  } else if (!registered_) {
    expected_ = found;
  } else if (sent < *registered_) {
    return;  // the look is older than the registration
  } else if (found == 0 || found == before_) {
    registered_.reset();  // the database has gone back
    expected_ = found;
  } else {
    Leave(effects);
  }
}

void Ownership::Leave(Effects& effects) {
  for (auto& [number, standing] : standings_) {
    if (standing.hold) Close(standing, effects);
  }
  replaced_ = true;
  effects.emplace_back(effect::Replaced{});
}

void Ownership::SeeRows(const Request& look, const View& view, Effects& effects) {
  std::set<PartitionNumber> shown;
  for (const Partition& row : view.partitions) {
    shown.insert(row.number);
    SeeRow(look, row, effects);
  }
  for (auto& [number, standing] : standings_) {
    if (shown.contains(number)) continue;
    if (standing.hold) Close(standing, effects);  // the queue was deleted
    standing.current = false;
    standing.row.owner.clear();
  }
}

void Ownership::SeeRow(const Request& look, const Partition& row, Effects& effects) {
  Standing& standing = standings_[row.number];
  standing.row.number = row.number;
  const Stored& must_show = standing.must_show;
  if (row.epoch < must_show.epoch || row.version < must_show.version) {
    Lose(standing, {row.epoch, row.version}, effects);
  }
  // The look may be older than what this frontend has done since it was sent.
  standing.current = row.epoch >= standing.known.epoch;
  if (!standing.current) return;
  if (row.epoch != standing.row.epoch) standing.vacant_since.reset();  // another vacancy, if one
  standing.row = row;
  standing.known.epoch = row.epoch;
  standing.known.version = std::max(standing.known.version, row.version);
  standing.highest = std::max(standing.highest, row.epoch);
  SeeOwner(look, standing, effects);
  SeeLoss(standing, effects);
}

void Ownership::SeeOwner(const Request& look, Standing& standing, Effects& effects) {
  std::optional<Hold>& hold = standing.hold;
  if (!hold) return;
  if (IsMine(standing.row) && standing.row.epoch == hold->epoch) {
    hold->proof = std::max(hold->proof, look.proof);
  } else {
    Close(standing, effects);
  }
}

/// Rule 4. A row that does not say so has not been told yet, or has forgotten it by going back.
void Ownership::SeeLoss(Standing& standing, Effects& effects) {
  std::uint64_t& losses = standing.losses;
  if (standing.row.losses < losses) effects.emplace_back(effect::Mark{standing.row.number, losses});
  losses = std::max(losses, standing.row.losses);
  if (!IsLost(losses) && standing.hold && standing.hold->outdated) Close(standing, effects);
}

void Ownership::FindAble(const View& view) {
  std::set<std::string> able;
  for (const Member& member : view.members) {
    if (!member.draining && !witness_.IsDead(member.name)) able.insert(member.name);
  }
  std::vector<Partition> rows;
  for (const auto& [number, standing] : standings_) rows.push_back(standing.row);
  able_ = Succession(able, rows);
  if (draining_ || !registered_) able_.Exclude(options_.name);
}

/// Rule 5: claims what this frontend shall have.
void Ownership::Succeed(Instant now, Effects& effects) {
  for (auto& [number, standing] : standings_) {
    const bool vacant = standing.current && IsVacant(standing.row);
    if (!vacant) standing.vacant_since.reset();
    if (!standing.current || standing.hold) continue;
    if (standing.row.owner == options_.name) {
      Reclaim(now, standing, effects);
    } else if (vacant) {
      if (!standing.vacant_since) standing.vacant_since = now;
      const bool is_heir = able_.Take(standing.row) == options_.name;
      const bool waited = now - *standing.vacant_since >= Waits(standing.row, is_heir);
      if (waited && !standing.change && MayClaim(now)) Claim(now, standing, effects);
    }
  }
}

/// Rule 2: a row that names this frontend, although it is not open here.
void Ownership::Reclaim(Instant now, Standing& standing, Effects& effects) {
  if (standing.change) return;
  if (draining_) {
    Release(now, standing, able_.Take({.number = standing.row.number}), effects);
  } else if (MayClaim(now)) {
    Claim(now, standing, effects);
  }
}

bool Ownership::IsVacant(const Partition& row) const {
  return row.owner.empty() || (row.owner != options_.name && witness_.IsDead(row.owner));
}

Duration Ownership::Waits(const Partition& row, bool is_heir) const {
  const bool never_owned = row.epoch == 0;
  if (is_heir) return never_owned ? options_.ttl : Duration::zero();
  return never_owned ? 2 * options_.ttl : options_.StandAside();
}

}  // namespace twofold::cluster
