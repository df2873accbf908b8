#include "tests/lib/cluster/simulation.h"

#include <utility>

namespace twofold::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const OwnershipOptions kTimes;
constexpr double kClocksDiffer = 0.03;
// Clocks that run slow make bounds longer, and messages take a while.
const Duration kTwoTtls = 2 * kTimes.ttl + seconds(1);
const Duration kThreeTtls = 3 * kTimes.ttl + seconds(1);
const Duration kLength = kFaultsEnd + kThreeTtls + seconds(8);

}  // namespace

Simulation::Simulation(Scenario scenario)
    : scenario_(std::move(scenario)),
      random_(scenario_.seed ^ 0x9e3779b97f4a7c15),
      database_(scenario_.partitions),
      frontends_(scenario_.frontends),
      acknowledged_(scenario_.partitions) {
  for (std::size_t i = 0; i < frontends_.size(); ++i) {
    frontends_[i].name = "frontend-" + std::to_string(i);
    At(now() + Milliseconds(0, 4000), [this, i] { Start(frontends_[i]); });
  }
  for (const Fault& fault : scenario_.faults) {
    At(Instant(fault.at), [this, &fault] { Begin(fault); });
  }
  for (Duration at{}; at < kLength; at += milliseconds(500)) {
    At(Instant(at), [this] { database_.Save(now()); });
  }
  for (Duration at{}; at < kLength; at += milliseconds(300)) {
    At(Instant(at), [this] { CommitAll(); });
  }
  for (Duration at = kFaultsEnd + seconds(2); at < kFaultsEnd + kTwoTtls; at += seconds(2)) {
    At(Instant(at), [this] { AcceptLosses(); });
  }
  At(Instant(kFaultsEnd), [this] {
    for (const Partition& row : database_.Look().partitions) {
      if (row.epoch == 0) never_owned_.insert(row.number);
    }
  });
  At(Instant(kFaultsEnd + kTwoTtls), [this] { CheckOwners(false); });
  At(Instant(kFaultsEnd + kThreeTtls), [this] {
    CheckOwners(true);
    claims_when_calm_ = database_.claims();
  });
}

std::string Simulation::Run() {
  while (complaint_.empty() && time_.RunNext(Instant(kLength))) Complain(database_.complaint());
  if (complaint_.empty()) {
    CheckOwners(true);
    CheckNothingLost();
    if (database_.claims() != claims_when_calm_) Complain("ownership moved without need");
  }
  return complaint_;
}

/// Only if the process of now is still there then.
void Simulation::AtOf(Frontend& frontend, Instant when, std::function<void()> action) {
  At(when, [&frontend, life = frontend.incarnation, action = std::move(action)] {
    if (frontend.core != nullptr && frontend.incarnation == life) action();
  });
}

Instant Simulation::Local(const Frontend& frontend, Instant when) const {
  const auto passed = static_cast<double>(when.time_since_epoch().count());
  return Instant(frontend.offset + Duration(static_cast<Duration::rep>(passed * frontend.rate)));
}

Instant Simulation::True(const Frontend& frontend, Instant local) const {
  const auto passed = static_cast<double>((local - Instant(frontend.offset)).count());
  return Instant(Duration(static_cast<Duration::rep>(passed / frontend.rate) + 1));
}

Duration Simulation::Milliseconds(std::uint64_t least, std::uint64_t most) {
  return milliseconds(least + random_() % (most - least + 1));
}

// ---- Faults

void Simulation::Begin(const Fault& fault) {
  Frontend& frontend = frontends_.at(fault.frontend);
  const auto partition = static_cast<PartitionNumber>(fault.partition);
  switch (fault.kind) {
    case FaultKind::kKill:
    case FaultKind::kGone:
      if (frontend.core == nullptr) return;
      Kill(frontend);
      frontend.gone = fault.kind == FaultKind::kGone;
      StartLater(frontend, fault.length);
      return;
    case FaultKind::kRollback:
      Rollback(fault.length);
      return;
    case FaultKind::kDrain:
      Command(frontend, input::Drain{});
      return;
    case FaultKind::kMove:
      Command(frontend,
              input::Move{partition, frontends_.at((fault.frontend + 1) % frontends_.size()).name});
      return;
    case FaultKind::kOutage: {
      std::vector<std::size_t> all(frontends_.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
      Afflict(fault, all);
      return;
    }
    default:
      Afflict(fault, {fault.frontend});
  }
}

void Simulation::Command(Frontend& frontend, const Input& input) {
  if (frontend.core != nullptr)
    Answer(frontend, {}, [this, &frontend, input] { Step(frontend, input); });
}

void Simulation::Afflict(const Fault& fault, const std::vector<std::size_t>& frontends) {
  for (const std::size_t i : frontends) frontends_[i].faults.insert(fault.kind);
  At(now() + fault.length, [this, frontends, kind = fault.kind] {
    for (const std::size_t i : frontends) {
      frontends_[i].faults.erase(kind);
      if (kind == FaultKind::kPause) Wake(frontends_[i]);
    }
  });
}

void Simulation::Wake(Frontend& frontend) {
  const auto inbox = std::exchange(frontend.inbox, {});
  for (const auto& deliver : inbox) deliver();
  if (frontend.core != nullptr) ScheduleTick(frontend);
}

void Simulation::Rollback(Duration length) {
  if (!database_.GoBack(now() - length)) return;
  Saw("rollback");
  strict_again_ = now() + kTimes.StrictFor() * 11 / 10;
  for (const Partition& row : database_.Look().partitions) {
    auto& acknowledged = acknowledged_.at(row.number);
    acknowledged.erase(acknowledged.upper_bound(row.version), acknowledged.end());
    for (Frontend& frontend : frontends_) {
      const std::uint64_t told = frontend.acknowledged[row.number];
      if (frontend.core != nullptr && told > row.version) frontend.must_notice[row.number] = told;
    }
  }
}

void Simulation::Start(Frontend& frontend) {
  if (frontend.core != nullptr || frontend.gone) return;
  frontend = {.name = frontend.name, .faults = frontend.faults};
  frontend.incarnation = next_incarnation_++;
  frontend.core = std::make_unique<Ownership>(
      OwnershipOptions{.name = frontend.name, .incarnation = frontend.incarnation});
  frontend.offset = Milliseconds(0, 1'000'000'000);
  frontend.rate = 1 + kClocksDiffer * (static_cast<double>(random_() % 2001) / 1000.0 - 1);
  frontend.strict_until.resize(scenario_.partitions);
  ScheduleTick(frontend);
}

void Simulation::Kill(Frontend& frontend) {
  frontend.core.reset();
  frontend.inbox.clear();
  frontend.serving.clear();
  frontend.strict_until.assign(scenario_.partitions, std::nullopt);
}

void Simulation::StartLater(Frontend& frontend, Duration pause) {
  At(now() + pause, [this, &frontend] { Start(frontend); });
}

// ---- Processes

void Simulation::ScheduleTick(Frontend& frontend) {
  const Instant due = frontend.core->NextDeadline();
  if (due == Instant::max()) return;
  const Instant at = std::max(now(), True(frontend, due));
  if (frontend.tick_at == at) return;
  frontend.tick_at = at;
  AtOf(frontend, at, [this, &frontend, at] {
    if (frontend.tick_at != at || frontend.faults.contains(FaultKind::kPause)) return;
    frontend.tick_at.reset();
    Step(frontend, input::Tick{});
  });
}

void Simulation::Step(Frontend& frontend, const Input& input) {
  if (frontend.core == nullptr) return;
  ++steps_;
  if (const auto* claimed = std::get_if<input::Claimed>(&input)) {
    frontend.claimed[claimed->partition] = claimed->version;
  }
  std::vector<Effect> effects;
  frontend.core->Step(Local(frontend, now()), input, effects).IgnoreError();
  Carry(frontend, effects);
  if (frontend.core == nullptr) return;
  CheckStrict(frontend);
  ScheduleTick(frontend);
}

void Simulation::Carry(Frontend& frontend, const std::vector<Effect>& effects) {
  for (const Effect& effect : effects) {
    std::visit([&](const auto& value) { Do(frontend, value); }, effect);
  }
}

void Simulation::Do(Frontend& frontend, const effect::Open& open) {
  const Epoch before = std::exchange(frontend.opened[open.partition], open.epoch);
  if (open.epoch <= before) Complain(frontend.name + " opens an epoch twice");
  frontend.serving[open.partition] = {open.epoch, frontend.claimed[open.partition]};
  Saw("opened");
}

void Simulation::Do(Frontend& /*frontend*/, const effect::Resume& /*resume*/) { Saw("resumed"); }

void Simulation::Do(Frontend& /*frontend*/, const effect::Suspend& /*suspend*/) {
  Saw("suspended");
}

void Simulation::Do(Frontend& frontend, const effect::Close& close) {
  frontend.serving.erase(close.partition);
  Saw("closed");
}

void Simulation::Do(Frontend& frontend, const effect::Lost& lost) {
  Saw("loss noticed");
  if (database_.timeline() == 0) {
    Complain(frontend.name + " says that commits of partition " + std::to_string(lost.partition) +
             " are lost, and none is");
  }
  frontend.must_notice.erase(lost.partition);
  frontend.closed_by_loss.insert(lost.partition);
}

void Simulation::Do(Frontend& frontend, const effect::Drained& /*drained*/) {
  Saw("drained");
  Kill(frontend);
  StartLater(frontend, seconds(1));
}

void Simulation::Do(Frontend& frontend, const effect::Replaced& /*replaced*/) {
  Saw("replaced");
  if (database_.timeline() == 0) Complain(frontend.name + " gives up, and nobody has replaced it");
  Kill(frontend);
  StartLater(frontend, seconds(1));
}

}  // namespace twofold::cluster
