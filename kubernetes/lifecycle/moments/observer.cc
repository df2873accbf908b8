#include "kubernetes/lifecycle/moments/observer.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/pod.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostOpenCanaries = 10'000;

std::string KeyOf(std::string_view space, std::string_view name) {
  return std::string(space).append("/").append(name);
}

constexpr std::string_view kClaim = "PersistentVolumeClaim";

/// And claims of volumes.
std::size_t MostPods(const Life& life) { return 4 * std::size_t{life.slots} + 16; }

void Mark(std::optional<Sight>& sight, Instant at, Instant after,
          std::optional<std::int64_t> second = std::nullopt) {
  if (!sight) sight = Sight{at, std::min(after, at), second};
}

/// Calls visit(reference) for each owner.
template <typename Visit>
void ForEachOwner(const Object& object, Visit visit) {
  const Object* const owners = At(object, "/metadata/ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  for (const Object& owner : *owners) visit(owner);
}

/// The slot of a pod that is over without having succeeded, and that no other pod has taken since.
std::optional<std::uint32_t> VacatedSlot(const Life& life) {
  std::vector<bool> vacated(life.slots_taken);
  for (const PodLife& pod : life.pods) {
    vacated[pod.slot] =
        pod.failed || (Of(pod.sights, PodPhase::kDeleted) && !Of(pod.sights, PodPhase::kFinished));
  }
  const auto found = std::find(vacated.begin(), vacated.end(), true);
  if (found == vacated.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - vacated.begin());
}

struct Slot {
  std::uint32_t number = 0;
  bool is_new = true;
};

/// Which slot a pod takes: that of its labels; if they do not say, one that is free, then one that
/// was vacated, then one more than the workload needs.
Slot TakeSlot(Life& life, const std::string& name) {
  if (!name.empty()) {
    const auto [at, is_new] = life.slot_names.emplace(name, life.slots_taken);
    if (is_new) ++life.slots_taken;
    return {at->second, is_new};
  }
  if (life.slots_taken >= life.slots) {
    if (const auto vacated = VacatedSlot(life)) return {*vacated, false};
  }
  return {life.slots_taken++, true};
}

}  // namespace

Observer::Observer(const Kind& kind, std::string run) : Observer(kind, std::move(run), Limits{}) {}

Observer::Observer(const Kind& kind, std::string run, Limits limits)
    : kind_(kind), run_(std::move(run)), limits_(limits) {}

// ---- what we do ourselves

template <typename Workload>
Status Observer::Announce(const Workload& workload) {
  const std::string name(workload.name);
  const std::uint32_t slots = workload.slots;
  if (lives_.size() >= limits_.workloads) {
    return absl::ResourceExhaustedError(
        absl::StrCat("workloads: ", limits_.workloads, " are the most of one run; use more runs"));
  }
  if (slots == 0 || slots > kMostSlots) {
    return absl::InvalidArgumentError(absl::StrCat("workers: ", slots, " pods of '", name,
                                                   "'; 1 to ", kMostSlots, " can be followed"));
  }
  if (slots > limits_.pods - slots_) {
    return absl::ResourceExhaustedError(absl::StrCat("workers: ", slots, " pods of '", name,
                                                     "' make more than the ", limits_.pods,
                                                     " that one run may have; use more runs"));
  }
  const std::string key = KeyOf(workload.space, workload.name);
  if (!by_name_.emplace(key, lives_.size()).second) {
    return absl::AlreadyExistsError(
        absl::StrCat("workload: '", key, "' is planned already; names are unique"));
  }
  slots_ += slots;
  Life& life = lives_.emplace_back();
  life.space = workload.space;
  life.name = name;
  life.slots = slots;
  life.begin = workload.at;
  life.planned = workload.beside;
  return absl::OkStatus();
}

Status Observer::Tell(const input::Plan& planned) {
  const Life* const expected = LifeNamed(planned.space, planned.name);
  if (expected == nullptr || Of(expected->own, Moment::kPlanned)) {
    if (Status status = Announce(planned); !status.ok()) return status;
  }
  Hear(planned);
  Life& life = *Find(planned.space, planned.name);
  Mark(Of(life.own, Moment::kPlanned), planned.at, planned.at);
  life.begin = std::max(life.begin, planned.at);
  return absl::OkStatus();
}

Status Observer::Tell(const input::Expect& expected) {
  if (Status status = Announce(expected); !status.ok()) return status;
  Hear(expected);
  return absl::OkStatus();
}

const Life* Observer::LifeNamed(std::string_view space, std::string_view name) const {
  const auto found = by_name_.find(KeyOf(space, name));
  return found == by_name_.end() ? nullptr : &lives_[found->second];
}

std::string Observer::scheduler() const {
  if (schedulers_.empty()) return std::string(kind_.scheduler);
  return schedulers_.size() == 1 ? *schedulers_.begin() : "";
}

Life* Observer::Find(std::string_view space, std::string_view name) {
  const auto found = by_name_.find(KeyOf(space, name));
  return found == by_name_.end() ? nullptr : &lives_[found->second];
}

void Observer::Tell(const input::Sent& sent) {
  Life* const life = Find(sent.space, sent.name);
  if (life == nullptr) return;
  Hear(sent);
  Mark(Of(life->own, Moment::kSent), sent.at, sent.at);
  life->begin = std::max(life->begin, sent.at);
}

void Observer::Tell(const input::Replied& replied) {
  Hear(replied);
  if (Life* const life = Find(replied.space, replied.name)) {
    Mark(Of(life->own, Moment::kReplied), replied.at, replied.at);
  }
}

void Observer::Tell(const input::Refused& refused) {
  Hear(refused);
  if (Life* const life = Find(refused.space, refused.name)) {
    life->refused = refused.why.empty() ? "refused" : refused.why;
  }
}

// ---- whose object it is

std::optional<std::size_t> Observer::ByName(const Object& object, const std::string& name) const {
  if (name.empty()) return std::nullopt;
  const auto found = by_name_.find(KeyOf(TextAt(object, "/metadata/namespace"), name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Observer::ByOwner(const Object& object) const {
  std::optional<std::size_t> life;
  ForEachOwner(object, [&](const Object& owner) {
    const auto found = known_.find(TextAt(owner, "/uid"));
    if (!life && found != known_.end()) life = found->second.life;
    // The owner's own event may come later, as it is on another watch.
    if (!life && TextAt(owner, "/kind") == kind_.own.kind) {
      life = ByName(object, TextAt(owner, "/name"));
    }
  });
  return life;
}

std::optional<std::size_t> Observer::LifeOf(const Object& object) const {
  const std::string run = LabelOf(object, kRunLabel);
  if (!run.empty() && run != run_) return std::nullopt;
  const std::string kind = TextAt(object, "/kind");
  if (run == run_) {
    if (kind == kind_.own.kind) {
      if (const auto life = ByName(object, TextAt(object, "/metadata/name"))) return life;
    }
    if (const auto life = ByName(object, LabelOf(object, kWorkloadLabel))) return life;
  }
  if (kind == "Pod") {
    for (const std::string_view label : kind_.pod_labels) {
      if (const auto life = ByName(object, LabelOf(object, label))) return life;
    }
  }
  return ByOwner(object);
}

/// An object of the same name, or a child of such a one, that came after the first was gone.
bool Observer::BelongsToAnother(const Object& object, const Life& life) const {
  const bool is_own =
      TextAt(object, "/kind") == kind_.own.kind && TextAt(object, "/metadata/name") == life.name;
  if (is_own) return !life.uid.empty() && life.uid != TextAt(object, "/metadata/uid");
  bool another = false;
  ForEachOwner(object, [&](const Object& owner) {
    const auto found = known_.find(TextAt(owner, "/uid"));
    another = another || (found != known_.end() && found->second.ignored);
  });
  return another;
}

Observer::Known Observer::NewKnown(const Object& object, std::size_t index) {
  Life& life = lives_[index];
  Known known;
  known.life = index;
  known.kind = TextAt(object, "/kind");
  known.ignored = BelongsToAnother(object, life);
  const bool is_own = known.kind == kind_.own.kind && TextAt(object, "/metadata/name") == life.name;
  if (is_own && known.ignored) ++life.recreated;
  if (is_own && !known.ignored) life.uid = TextAt(object, "/metadata/uid");
  if (known.kind == "Pod" && !known.ignored) {
    known.pod = AddPod(object, life);
    known.ignored = known.pod < 0;
  }
  if (known.kind == kClaim && !known.ignored) {
    known.claim = AddClaim(life);
    known.ignored = known.claim < 0;
  }
  return known;
}

/// What is known of the object; nullptr: it is none of this run's, as far as one can tell yet.
Observer::Known* Observer::Recognise(const Object& object, const Waiting& seen) {
  const std::string uid = TextAt(object, "/metadata/uid");
  const auto found = known_.find(uid);
  if (found != known_.end()) return &found->second;
  const auto life = LifeOf(object);
  if (life) return &known_.emplace(uid, NewKnown(object, *life)).first->second;
  ++unusual_.foreign;
  const bool has_owner = At(object, "/metadata/ownerReferences") != nullptr;
  if (has_owner && waiting_.size() < limits_.waiting) waiting_.emplace(uid, seen);
  return nullptr;
}

// ---- what is seen

Observer::When Observer::WhenOf(const Life& life, Instant at, std::optional<Instant> blind_since) {
  return {at, std::min(at, std::max(life.begin, blind_since.value_or(life.begin)))};
}

Observer::When Observer::WhenOf(const Life& life, const Waiting& seen) {
  return seen.late ? WhenOf(life, seen.at, seen.blind_since) : When{seen.at, seen.at};
}

bool Observer::IsNews(const Object& object, Known& known) {
  std::uint64_t version = 0;
  if (!absl::SimpleAtoi(TextAt(object, "/metadata/resourceVersion"), &version)) return true;
  if (version < known.version) ++unusual_.stale;
  const bool news = version > known.version;
  known.version = std::max(version, known.version);
  return news;
}

void Observer::Tell(const input::Seen& seen) {
  const Object& object = seen.object;
  const std::string uid = TextAt(object, "/metadata/uid");
  const std::string kind = TextAt(object, "/kind");
  if (uid.empty() || kind.empty() || TextAt(object, "/metadata/name").empty()) {
    ++unusual_.broken;
    return;
  }
  Hear(seen);
  Stream& stream = streams_[kind];
  const bool late = seen.event == Event::kListed || seen.blind_since;
  const Waiting look{seen.at, late, seen.blind_since ? seen.blind_since : stream.alive};
  Known* const known = Recognise(object, look);
  if (known != nullptr && seen.event == Event::kListed) known->listed_in = stream.generation;
  if (known != nullptr && !known->ignored && !known->gone) Show(seen, *known, look);
  if (seen.event == Event::kDeleted) waiting_.erase(uid);
  if (seen.event != Event::kListed) stream.alive = seen.at;
}

/// An object that is followed.
void Observer::Show(const input::Seen& seen, Known& known, const Waiting& look) {
  const Object& object = seen.object;
  const std::string uid = TextAt(object, "/metadata/uid");
  const bool is_gone = seen.event == Event::kDeleted;
  Life& life = lives_[known.life];
  When when = WhenOf(life, look);
  // What has come since it waited is between the two.
  if (const auto waited = waiting_.find(uid); waited != waiting_.end()) {
    when.after = std::min(when.after, WhenOf(life, waited->second).after);
  }
  if (IsNews(object, known) || is_gone) {
    if (known.pod >= 0) SeePod(object, known, when);
    if (known.claim >= 0) SeeClaim(object, known, when);
    SeeDecision(object, when);
    SeeSigns(object, life, when);
  }
  if (is_gone) SeeGone(known, uid, when);
  waiting_.erase(uid);
}

std::int32_t Observer::AddPod(const Object& object, Life& life) {
  if (life.pods.size() >= MostPods(life)) {
    ++life.left_out;
    ++unusual_.left_out;
    return -1;
  }
  const Slot slot = TakeSlot(life, SlotOf(kind_, object));
  PodLife& pod = life.pods.emplace_back();
  pod.slot = slot.number;
  pod.replacement = !slot.is_new || slot.number >= life.slots;
  pod.name = TextAt(object, "/metadata/name");
  pod.uid = TextAt(object, "/metadata/uid");
  return static_cast<std::int32_t>(life.pods.size() - 1);
}

void Observer::SeePod(const Object& object, const Known& known, const When& when) {
  PodLife& pod = lives_[known.life].pods[static_cast<std::size_t>(known.pod)];
  const auto waited = waiting_.find(TextAt(object, "/metadata/uid"));
  const PodShown shown = ShownBy(object);
  if (waited != waiting_.end()) {
    // It was seen before, so this much of it is known as well as it was then.
    const When first = WhenOf(lives_[known.life], waited->second);
    Mark(Of(pod.sights, PodPhase::kCreated), first.at, first.after, shown.front()->second);
  }
  for (std::size_t i = 0; i < kPodPhases; ++i) {
    if (shown[i]) Mark(pod.sights[i], when.at, when.after, shown[i]->second);
  }
  if (auto name = TextAt(object, "/spec/schedulerName"); !name.empty()) {
    schedulers_.insert(std::move(name));
  }
  pod.restarts = std::max(pod.restarts, RestartsOf(object));
  pod.evicted = pod.evicted || IsEvicted(object);
  pod.failed = TextAt(object, "/status/phase") == "Failed";
  pod.pending.Change(PendingReason(object), when.after, when.at);
}

std::int32_t Observer::AddClaim(Life& life) {
  if (life.claims.size() >= MostPods(life)) return -1;
  life.claims.emplace_back();
  return static_cast<std::int32_t>(life.claims.size() - 1);
}

void Observer::SeeClaim(const Object& object, const Known& known, const When& when) {
  ClaimLife& claim = lives_[known.life].claims[static_cast<std::size_t>(known.claim)];
  Mark(claim.requested, when.at, when.after, SecondAt(object, "/metadata/creationTimestamp"));
  if (TextAt(object, "/status/phase") == "Bound") Mark(claim.bound, when.at, when.after);
}

void Observer::SeeDecision(const Object& object, const When& when) {
  if (TextAt(object, "/kind") != kDecisionKind) return;
  ForEachOwner(object, [&](const Object& owner) {
    const auto found = known_.find(TextAt(owner, "/uid"));
    if (found == known_.end() || found->second.pod < 0) return;
    Life& life = lives_[found->second.life];
    Mark(Of(life.pods[static_cast<std::size_t>(found->second.pod)].sights, PodPhase::kDecided),
         when.at, when.after, SecondAt(object, "/metadata/creationTimestamp"));
  });
}

void Observer::SeeSigns(const Object& object, Life& life, const When& when) {
  const std::string kind = TextAt(object, "/kind");
  if (kind == kind_.own.kind && TextAt(object, "/metadata/uid") == life.uid) {
    Mark(Of(life.own, Moment::kCreated), when.at, when.after,
         SecondAt(object, "/metadata/creationTimestamp"));
  }
  for (const MomentSign& each : kind_.signs) {
    if (const auto shown = Look(each.sign, object)) {
      Mark(Of(life.own, each.moment), when.at, when.after, shown->second);
    }
  }
  if (kind_.held && kind_.held->object == kind) {
    const bool held = Look(*kind_.held, object).has_value();
    life.held.Change(held ? std::optional(Reason::kQuota) : std::nullopt, when.after, when.at);
  }
  if (kind_.evicted && kind_.evicted->object == kind) {
    const auto shown = Look(*kind_.evicted, object);
    const std::string which = shown ? absl::StrCat("at ", shown->second.value_or(0)) : "";
    if (!which.empty() && which != life.eviction) ++life.evictions;
    life.eviction = which;
  }
}

void Observer::SeeGone(Known& known, const std::string& uid, const When& when) {
  known.gone = true;
  Life& life = lives_[known.life];
  if (known.pod >= 0) {
    PodLife& pod = life.pods[static_cast<std::size_t>(known.pod)];
    Mark(Of(pod.sights, PodPhase::kDeleted), when.at, when.after);
    pod.pending.Change(std::nullopt, when.after, when.at);
  }
  if (uid == life.uid) {
    Mark(Of(life.own, Moment::kDeleted), when.at, when.after);
    life.held.Change(std::nullopt, when.after, when.at);
  }
}

void Observer::Tell(const input::Alive& alive) {
  Hear(alive);
  streams_[std::string(alive.object_kind)].alive = alive.at;
}

void Observer::Tell(const input::Listing& listing) {
  Hear(listing);
  ++streams_[std::string(listing.object_kind)].generation;
}

void Observer::Tell(const input::Listed& listed) {
  Hear(listed);
  Stream& stream = streams_[std::string(listed.object_kind)];
  if (stream.listed || stream.alive) ++unusual_.relists;
  stream.listed = true;
  for (auto& [uid, known] : known_) {
    const bool missing = known.kind == listed.object_kind && known.listed_in != stream.generation;
    if (!missing || known.gone || known.ignored) continue;
    SeeGone(known, uid, WhenOf(lives_[known.life], listed.at, stream.alive));
  }
  ++stream.generation;
  stream.alive = listed.at;
}

// ---- canaries

void Observer::Tell(const input::CanaryWritten& written) {
  Hear(written);
  Canary& canary = canaries_[std::string(written.name)];
  canary.sent = written.at;
  canary.replied = written.replied;
  SetLag(written.name);
}

void Observer::Tell(const input::CanarySeen& seen) {
  Hear(seen);
  Canary& canary = canaries_[std::string(seen.name)];
  if (!canary.seen) canary.seen = seen.at;
  SetLag(seen.name);
}

void Observer::Tell(const input::Resume& resume) {
  Hear(resume);
  canaries_.clear();
}

Status Observer::Tell(const Input& input) {
  return std::visit(
      [this](const auto& one) -> Status {
        if constexpr (std::is_void_v<decltype(Tell(one))>) {
          Tell(one);
          return absl::OkStatus();
        } else {
          return Tell(one);
        }
      },
      input);
}

/// What is planned lies ahead, and others may have sent by another clock: neither was noticed now.
template <typename One>
void Observer::Hear(One one) {
  constexpr bool kNoticed = !std::is_same_v<One, input::Expect> &&
                            !std::is_same_v<One, input::Plan> && !std::is_same_v<One, input::Sent>;
  if (one.at == Instant{}) one.at = latest_;
  if (kNoticed) latest_ = std::max(latest_, one.at);
  if (hearer_) hearer_(one);
}

void Observer::SetLag(std::string_view name) {
  const auto found = canaries_.find(name);
  const Canary& canary = found->second;
  if (canary.sent && canary.seen) {
    lags_.push_back({*canary.seen - *canary.replied, *canary.seen - *canary.sent});
    canaries_.erase(found);
  } else if (canaries_.size() > kMostOpenCanaries) {
    canaries_.erase(canaries_.begin());
  }
}

}  // namespace twofold::lifecycle
