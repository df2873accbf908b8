#include "tests/lib/cluster/fake_database.h"

#include <utility>

namespace twofold::cluster {

FakeDatabase::FakeDatabase(std::size_t partitions) : logs_(partitions) {
  for (std::size_t number = 0; number < partitions; ++number) {
    state_.rows.push_back({.number = static_cast<PartitionNumber>(number)});
  }
}

View FakeDatabase::Look() const {
  View view{.partitions = state_.rows};
  for (const auto& [name, member] : state_.members) view.members.push_back(member);
  return view;
}

Member FakeDatabase::RowOf(const std::string& name) const {
  const auto found = state_.members.find(name);
  return found == state_.members.end() ? Member{.name = name} : found->second;
}

bool FakeDatabase::IsRegistered(const Sender& sender) const {
  return RowOf(sender.name).incarnation == sender.incarnation;
}

bool FakeDatabase::Write(const Sender& sender, const effect::Beat& beat) {
  if (RowOf(sender.name).incarnation != beat.expected) return false;
  state_.members[sender.name] = {sender.name, sender.incarnation, beat.beat, beat.draining};
  return true;
}

bool FakeDatabase::Write(const Sender& sender, const effect::Claim& claim) {
  Partition& row = state_.rows.at(claim.partition);
  if (row.epoch != claim.expected || !IsRegistered(sender)) return false;
  if (!claim.dead.name.empty()) {
    const Member now = RowOf(claim.dead.name);
    if (now.incarnation != claim.dead.incarnation || now.beat != claim.dead.beat) return false;
  }
  Raise(row, claim.epoch);
  row.owner = sender.name;
  row.owner_incarnation = sender.incarnation;
  row.next.clear();
  ++claims_;
  return true;
}

bool FakeDatabase::Write(const Sender& sender, const effect::Release& release) {
  Partition& row = state_.rows.at(release.partition);
  if (row.epoch != release.expected || !IsRegistered(sender)) return false;
  if (row.owner != sender.name && complaint_.empty()) {
    complaint_ = sender.name + " released what " + row.owner + " owns";
  }
  Raise(row, release.epoch);
  row.owner.clear();
  row.owner_incarnation = 0;
  row.next = release.next;
  return true;
}

void FakeDatabase::Raise(Partition& row, Epoch epoch) {
  if (epoch <= row.epoch && complaint_.empty()) {
    complaint_ = "partition " + std::to_string(row.number) + ": epoch " + std::to_string(epoch) +
                 " follows " + std::to_string(row.epoch);
  }
  row.epoch = epoch;
}

bool FakeDatabase::Write(const effect::Mark& mark) {
  std::uint64_t& losses = state_.rows.at(mark.partition).losses;
  if (losses >= mark.losses) return false;
  losses = mark.losses;
  return true;
}

bool FakeDatabase::Write(const Sender& sender, const DurableCommit& commit) {
  const Partition& row = Row(commit.partition);
  if (row.epoch != commit.epoch || row.owner_incarnation != sender.incarnation) return false;
  if (commit.version <= row.version) return IdAt(commit.partition, commit.version) == commit.id;
  if (commit.version != row.version + 1) return false;
  Append(sender, commit);
  return true;
}

Input FakeDatabase::Answer(const effect::Look& look, Verdict verdict) const {
  if (verdict != Verdict::kDone) return input::LookFailed{look.number};
  return input::Looked{look.number, Look()};
}

Input FakeDatabase::Answer(const effect::Beat& beat, Verdict verdict) {
  return input::Beaten{beat.beat, verdict};
}

Input FakeDatabase::Answer(const effect::Claim& claim, Verdict verdict) const {
  const Partition& row = Row(claim.partition);
  return input::Claimed{claim.partition, claim.epoch, verdict, row.version, row.losses};
}

Input FakeDatabase::Answer(const effect::Release& release, Verdict verdict) {
  return input::Released{release.partition, release.epoch, verdict};
}

/// No two epochs interleave, and no two processes share one.
void FakeDatabase::Append(const Sender& sender, const DurableCommit& commit) {
  std::vector<Stored>& log = logs_.at(commit.partition);
  if (!log.empty() && complaint_.empty()) {
    const Stored& last = log.back();
    const bool later = commit.epoch > last.epoch;
    const bool same = commit.epoch == last.epoch && sender.incarnation == last.incarnation;
    if (!later && !same) {
      complaint_ = "partition " + std::to_string(commit.partition) + ": " + sender.name +
                   " commits with epoch " + std::to_string(commit.epoch) + " after epoch " +
                   std::to_string(last.epoch);
    }
  }
  log.push_back({commit.epoch, sender.incarnation, commit.id});
  state_.rows.at(commit.partition).version = log.size();
}

std::uint64_t FakeDatabase::IdAt(PartitionNumber partition, std::uint64_t version) const {
  const std::vector<Stored>& log = logs_.at(partition);
  return version == 0 || version > log.size() ? 0 : log[version - 1].id;
}

void FakeDatabase::Save(Instant now) {
  constexpr std::size_t kMostSaved = 16;
  saved_.emplace_back(now, state_);
  if (saved_.size() > kMostSaved) saved_.pop_front();
}

bool FakeDatabase::GoBack(Instant then) {
  while (!saved_.empty() && saved_.back().first > then) saved_.pop_back();
  if (saved_.empty()) return false;
  state_ = saved_.back().second;
  for (const Partition& row : state_.rows) logs_[row.number].resize(row.version);
  ++timeline_;
  return true;
}

}  // namespace twofold::cluster
