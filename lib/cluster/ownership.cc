#include "lib/cluster/ownership.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

namespace twofold::cluster {

Status Ownership::Step(Instant now, const Input& input, std::vector<Effect>& effects) {
  if (replaced_) return absl::OkStatus();
  GiveUp(now);
  Status status = std::visit([&](const auto& value) { return On(now, value, effects); }, input);
  if (replaced_) return status;
  Judge(now, effects);
  HandOver(now, effects);
  Ask(now, effects);
  return status;
}

// ---- Answers

Status Ownership::On(Instant /*now*/, const input::LookFailed& failed, Effects& /*effects*/) {
  if (failed.number == look_number_) look_.reset();
  return absl::OkStatus();
}

Status Ownership::On(Instant now, const input::Beaten& beaten, Effects& /*effects*/) {
  if (!beat_ || beaten.beat != beat_number_) return absl::OkStatus();
  const Instant sent = std::exchange(beat_, std::nullopt)->sent;
  if (beaten.verdict == Verdict::kDone) {
    acknowledged_ = sent;
    if (!registered_) registered_ = look_at_ = now;  // so a restart takes two round trips
  } else if (!registered_) {
    expected_.reset();  // somebody was faster, or a beat in doubt was done: the next look says
  }
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Claimed& claimed, Effects& effects) {
  Standing* standing = Known(claimed.partition);
  if (standing == nullptr || !standing->change || standing->change->epoch != claimed.epoch) {
    return absl::OkStatus();
  }
  const Change claim = *std::exchange(standing->change, std::nullopt);
  if (claimed.verdict != Verdict::kDone || claimed.epoch < standing->known.epoch) {
    return absl::OkStatus();
  }
  const Stored found = {claimed.epoch, claimed.version};
  if (found.version < standing->known.version) Lose(*standing, found, effects);
  standing->known = found;
  standing->losses = std::max(standing->losses, claimed.losses);
  standing->row.epoch = claimed.epoch;
  standing->row.owner = options_.name;
  standing->row.owner_incarnation = options_.incarnation;
  standing->row.next.clear();
  standing->hold = Hold{.epoch = claimed.epoch, .proof = claim.request.proof};
  effects.emplace_back(effect::Open{claimed.partition, claimed.epoch});
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Released& released, Effects& /*effects*/) {
  Standing* standing = Known(released.partition);
  if (standing == nullptr || !standing->change || standing->change->epoch != released.epoch) {
    return absl::OkStatus();
  }
  standing->change.reset();
  if (released.verdict != Verdict::kDone) return absl::OkStatus();
  standing->known.epoch = std::max(standing->known.epoch, released.epoch);
  standing->current = false;
  standing->row.owner.clear();
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Committed& committed, Effects& /*effects*/) {
  Standing* standing = Known(committed.partition);
  if (standing == nullptr) return absl::OkStatus();
  standing->known.version = std::max(standing->known.version, committed.version);
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Deposed& deposed, Effects& effects) {
  Standing* standing = Known(deposed.partition);
  if (standing != nullptr && standing->hold && standing->hold->epoch == deposed.epoch) {
    Close(*standing, effects);
  }
  return absl::OkStatus();
}

// ---- Admin

Status Ownership::On(Instant now, const input::Drain& /*drain*/, Effects& /*effects*/) {
  draining_ = true;
  beat_at_ = now;  // others learn it at once
  able_.Exclude(options_.name);
  return absl::OkStatus();
}

Status Ownership::On(Instant now, const input::Move& move, Effects& effects) {
  Standing* standing = Known(move.partition);
  const std::string what = absl::StrCat("partition ", move.partition);
  if (standing == nullptr) return absl::NotFoundError(absl::StrCat("no ", what));
  if (!standing->hold) {
    const std::string& owner = standing->row.owner;
    const bool elsewhere = !owner.empty() && owner != options_.name;
    return absl::FailedPreconditionError(
        absl::StrCat(what, " is not open on ", options_.name, "; ",
                     elsewhere ? absl::StrCat("ask its owner ", owner) : "try again later"));
  }
  if (move.to == options_.name) return absl::OkStatus();
  if (!able_.IsAble(move.to)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot move ", what, " to \"", move.to,
                     "\": no such frontend, or it is dead or drains; name one that serves queues"));
  }
  Release(now, *standing, move.to, effects);
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Accept& accept, Effects& effects) {
  Standing* standing = Known(accept.partition);
  if (standing == nullptr || !IsLost(standing->losses)) {
    return absl::FailedPreconditionError(
        absl::StrCat("partition ", accept.partition, " has lost nothing that could be accepted"));
  }
  effects.emplace_back(effect::Mark{accept.partition, ++standing->losses});
  return absl::OkStatus();
}

Status Ownership::On(Instant now, const input::LookAgain& /*again*/, Effects& /*effects*/) {
  look_at_ = std::min(look_at_, std::max(now, looked_at_ + options_.Pause()));
  return absl::OkStatus();
}

Status Ownership::On(Instant /*now*/, const input::Tick& /*tick*/, Effects& /*effects*/) {
  return absl::OkStatus();
}

// ---- What is due

/// Stops waiting for answers that take too long: from now on they change nothing.
void Ownership::GiveUp(Instant now) {
  if (look_ && now - look_->sent >= options_.Patience()) look_.reset();
  if (beat_ && now - beat_->sent >= options_.Patience()) beat_.reset();
  for (auto& [number, standing] : standings_) {
    std::optional<Change>& change = standing.change;
    if (change && now - change->request.sent >= options_.ClaimPatience()) change.reset();
  }
}

/// Says which open partitions are strict now (rules 3 and 4).
void Ownership::Judge(Instant now, Effects& effects) {
  for (auto& [number, standing] : standings_) {
    if (!standing.hold) continue;
    const bool intact = !IsLost(standing.losses) && !standing.hold->outdated;
    const bool strict = intact && Holds(standing.hold->proof, now);
    if (strict == standing.hold->resumed) continue;
    standing.hold->resumed = strict;
    if (strict) {
      effects.emplace_back(effect::Resume{number});
    } else {
      effects.emplace_back(effect::Suspend{number});
    }
  }
}

/// While this frontend drains: one partition after the other leaves.
void Ownership::HandOver(Instant now, Effects& effects) {
  if (!draining_ || drained_ || IsHandingOver(now)) return;
  handover_.reset();
  for (auto& [number, standing] : standings_) {
    if (!standing.hold) continue;
    const std::string heir = able_.Take({.number = number});
    Release(now, standing, heir, effects);
    if (!heir.empty()) handover_ = {number, now};
    return;
  }
  drained_ = IsRid();
  if (drained_) effects.emplace_back(effect::Drained{});
}

/// Whether the next owner still has to take the partition that was released last.
bool Ownership::IsHandingOver(Instant now) const {
  if (!handover_ || now - handover_->since >= options_.StandAside()) return false;
  const Standing& standing = standings_.at(handover_->partition);
  const std::string& owner = standing.row.owner;
  return standing.change || owner.empty() || owner == options_.name;
}

/// Whether no row names this frontend, and none can come to do so.
bool Ownership::IsRid() const {
  return std::none_of(standings_.begin(), standings_.end(), [&](const auto& entry) {
    return entry.second.change || entry.second.row.owner == options_.name;
  });
}

/// Sends the beat and the look that are due.
void Ownership::Ask(Instant now, Effects& effects) {
  if (!beat_ && now >= beat_at_ && (registered_ || expected_)) {
    if (!registered_) before_ = *expected_;
    beat_ = Request{.sent = now, .proof = acknowledged_};
    beat_at_ = now + options_.Period();
    const Incarnation expected = registered_ ? options_.incarnation : *expected_;
    effects.emplace_back(effect::Beat{++beat_number_, expected, draining_});
  }
  if (!look_ && now >= look_at_) {
    look_ = Request{.sent = now, .proof = acknowledged_};
    looked_at_ = now;
    look_at_ = now + options_.Period();
    for (auto& [number, standing] : standings_) standing.must_show = standing.known;
    effects.emplace_back(effect::Look{++look_number_});
  }
}

Instant Ownership::NextDeadline() const {
  if (replaced_) return Instant::max();
  Instant due = look_ ? look_->sent + options_.Patience() : look_at_;
  if (beat_) {
    due = std::min(due, beat_->sent + options_.Patience());
  } else if (registered_ || expected_) {
    due = std::min(due, beat_at_);
  }
  for (const auto& [number, standing] : standings_) {
    if (standing.change) {
      due = std::min(due, standing.change->request.sent + options_.ClaimPatience());
    }
    if (standing.hold && standing.hold->resumed) {
      due = std::min(due, *standing.hold->proof + options_.StrictFor());
    }
  }
  if (handover_) due = std::min(due, handover_->since + options_.StandAside());
  return due;
}

// ---- Changes of one partition

/// The database has gone back to `found`.
void Ownership::Lose(Standing& standing, const Stored& found, Effects& effects) {
  const Stored known = std::exchange(standing.known, found);
  const PartitionNumber number = standing.row.number;
  effects.emplace_back(
      effect::Lost{number, known.epoch, known.version, found.epoch, found.version});
  standing.losses +=
      IsLost(standing.losses) ? 2U : 1U;  // who accepts the last one has not seen this
  if (standing.hold) standing.hold->outdated = true;
}

void Ownership::Claim(Instant now, Standing& standing, Effects& effects) {
  const Partition& row = standing.row;
  const bool from_other = !row.owner.empty() && row.owner != options_.name;
  standing.change = {++standing.highest, {.sent = now, .proof = acknowledged_}};
  effects.emplace_back(effect::Claim{row.number, row.epoch, standing.highest,
                                     from_other ? witness_.Evidence(row.owner) : Member{}});
}

/// Lets go of a partition whose row names this frontend, open or not.
void Ownership::Release(Instant now, Standing& standing, const std::string& next,
                        Effects& effects) {
  if (standing.hold) Close(standing, effects);
  standing.change = {++standing.highest, {.sent = now, .proof = acknowledged_}};
  effects.emplace_back(
      effect::Release{standing.row.number, standing.row.epoch, standing.highest, next});
}

void Ownership::Close(Standing& standing, Effects& effects) {
  effects.emplace_back(effect::Close{standing.row.number, standing.hold->epoch});
  standing.hold.reset();
}

// ---- Questions

bool Ownership::IsMine(const Partition& row) const {
  return row.owner == options_.name && row.owner_incarnation == options_.incarnation;
}

/// One whose own beats do not arrive would lose at once what it claims.
bool Ownership::MayClaim(Instant now) const {
  return registered_ && !draining_ && Holds(acknowledged_, now);
}

bool Ownership::Holds(const std::optional<Instant>& proof, Instant now) const {
  return proof && now < *proof + options_.StrictFor();
}

Ownership::Standing* Ownership::Known(PartitionNumber partition) {
  const auto found = standings_.find(partition);
  return found == standings_.end() ? nullptr : &found->second;
}

std::optional<Instant> Ownership::StrictUntil(PartitionNumber partition) const {
  const auto found = standings_.find(partition);
  if (found == standings_.end() || !found->second.hold || !found->second.hold->resumed) {
    return std::nullopt;
  }
  return *found->second.hold->proof + options_.StrictFor();
}

std::optional<Epoch> Ownership::OpenEpoch(PartitionNumber partition) const {
  const auto found = standings_.find(partition);
  if (found == standings_.end() || !found->second.hold) return std::nullopt;
  return found->second.hold->epoch;
}

const Partition* Ownership::Find(PartitionNumber partition) const {
  const auto found = standings_.find(partition);
  return found == standings_.end() ? nullptr : &found->second.row;
}

}  // namespace twofold::cluster
