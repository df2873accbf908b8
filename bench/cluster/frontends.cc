#include "bench/cluster/frontends.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "bench/cluster/costs.h"

namespace twofold::scale {
namespace {

namespace effect = cluster::effect;
namespace input = cluster::input;
using cluster::Effect;
using cluster::Input;
using cluster::Ownership;
using cluster::OwnershipOptions;
using cluster::Partition;
using cluster::Sender;
using cluster::Verdict;

constexpr std::string_view kNamePrefix = "frontend-";

}  // namespace

Frontends::Frontends(std::size_t count, std::size_t partitions, VirtualTime& time,
                     QueueShell& shell)
    : time_(time), shell_(shell), database_(partitions), members_(count) {
  for (std::size_t i = 0; i < count; ++i) {
    members_[i].number = i;
    members_[i].name = absl::StrCat(std::string(kNamePrefix), i);
  }
}

void Frontends::Start(std::size_t frontend) {
  Member& member = members_.at(frontend);
  member.incarnation = next_incarnation_++;
  OwnershipOptions options = times_;
  options.name = member.name;
  options.incarnation = member.incarnation;
  member.core = std::make_unique<Ownership>(options);
  Step(member, input::Tick{});
}

void Frontends::Step(Member& member, const Input& input) {
  if (member.core == nullptr) return;
  std::vector<Effect> effects;
  const Status status = member.core->Step(time_.now(), input, effects);
  if (!status.ok()) Complain(std::string(status.message()));
  for (const Effect& effect : effects) {
    std::visit([&](const auto& value) { Do(member, value); }, effect);
  }
  shell_.Saw(member.number);
  if (member.core != nullptr) ScheduleTick(member);
}

void Frontends::ScheduleTick(Member& member) {
  if (member.core->NextDeadline() == Instant::max()) return;
  const Instant at = std::max(time_.now(), member.core->NextDeadline());
  if (member.tick_at == at) return;
  member.tick_at = at;
  time_.At(at, [this, &member] {
    if (member.core == nullptr || member.tick_at != time_.now()) return;
    member.tick_at.reset();
    Step(member, input::Tick{});
  });
}

/// Half of the round trip there, half of it back. An answer to a process that has ended is lost.
template <typename Request>
void Frontends::Ask(Member& member, const Request& request) {
  const Duration half = TimeOf(Cost::kDatabaseTrip) / 2;
  const Sender sender{member.name, member.incarnation};
  time_.At(time_.now() + half, [this, &member, request, sender, half] {
    if (!database_is_up_) return;
    const bool is_done = database_.Write(sender, request);
    const Input answer = database_.Answer(request, is_done ? Verdict::kDone : Verdict::kRefused);
    const bool frees = is_done && std::is_same_v<Request, effect::Release>;
    time_.At(time_.now() + half, [this, &member, answer, frees, life = sender.incarnation] {
      if (member.incarnation != life) return;
      Step(member, answer);
      if (frees) SayLookAgain(member);
    });
  });
}

/// To all others: a call of one trip.
void Frontends::SayLookAgain(const Member& from) {
  time_.At(time_.now() + TimeOf(Cost::kDatabaseTrip) / 2, [this, &from] {
    for (Member& member : members_) {
      if (&member != &from) Step(member, input::LookAgain{});
    }
  });
}

void Frontends::Do(Member& member, const effect::Look& look) {
  ++counts_.looks;
  Ask(member, look);
}

void Frontends::Do(Member& member, const effect::Beat& beat) {
  ++counts_.beats;
  Ask(member, beat);
}

void Frontends::Do(Member& member, const effect::Claim& claim) {
  ++counts_.claims;
  Ask(member, claim);
}

void Frontends::Do(Member& member, const effect::Release& release) {
  ++counts_.releases;
  Ask(member, release);
}

void Frontends::Do(Member& member, const effect::Open& open) {
  shell_.Open(member.number, open.partition);
}

void Frontends::Do(Member& member, const effect::Resume& resume) {
  shell_.Resume(member.number, resume.partition);
}

void Frontends::Do(Member& member, const effect::Suspend& suspend) {
  shell_.Suspend(member.number, suspend.partition);
}

void Frontends::Do(Member& member, const effect::Close& close) {
  shell_.Close(member.number, close.partition);
}

void Frontends::Do(Member& member, const effect::Drained& /*drained*/) {
  shell_.Drained(member.number);
}

void Frontends::Do(Member& member, const effect::Mark& /*mark*/) {
  Complain(absl::StrCat(member.name, " marks a loss, and nothing was lost"));
}

void Frontends::Do(Member& member, const effect::Lost& /*lost*/) {
  Complain(absl::StrCat(member.name, " says that commits are lost, and none is"));
}

void Frontends::Do(Member& member, const effect::Replaced& /*replaced*/) {
  Complain(absl::StrCat(member.name, " gives up, and nobody has replaced it"));
}

void Frontends::Complain(const std::string& what) {
  if (complaint_.empty()) complaint_ = what;
}

bool Frontends::IsStrict(std::size_t frontend, PartitionNumber partition) const {
  const Member& member = members_.at(frontend);
  return member.core != nullptr && member.core->StrictUntil(partition) > time_.now();
}

const Partition* Frontends::Find(std::size_t frontend, PartitionNumber partition) const {
  const Member& member = members_.at(frontend);
  return member.core == nullptr ? nullptr : member.core->Find(partition);
}

std::size_t Frontends::NumberOf(std::string_view name) const {
  const std::string_view rest = name.substr(kNamePrefix.size());
  std::size_t number = 0;
  absl::SimpleAtoi(std::string(rest.substr(0, rest.find(':'))), &number);
  return number;
}

std::string Frontends::Complaint() const {
  if (!complaint_.empty()) return complaint_;
  if (!database_.complaint().empty()) return database_.complaint();
  for (const Partition& row : database_.Look().partitions) {
    std::size_t open = 0;
    for (const Member& member : members_) {
      const bool is_open = member.core != nullptr && member.core->OpenEpoch(row.number).has_value();
      if (is_open && (member.name != row.owner || member.core->OpenEpoch(row.number) != row.epoch))
        return absl::StrCat("queue ", row.number, " is open on ", member.name,
                            ", which the row denies");
      if (is_open) ++open;
    }
    if (open != 1) return absl::StrCat("queue ", row.number, " is open on ", open, " frontends");
  }
  return {};
}

}  // namespace twofold::scale
