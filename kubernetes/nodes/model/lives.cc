#include "kubernetes/nodes/model/lives.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/errors.h"
#include "kubernetes/nodes/model/names.h"

namespace twofold::nodes {
namespace {

// Tries of a call that is refused for what it says, and so will be again.
constexpr int kMostRefused = 5;

bool IsRefused(const Status& status) {
  constexpr int kUnprocessable = 422;
  return kube::HttpStatusOf(status) == kUnprocessable;
}

// No pod of this name, or another one: its uid is refused as a change of the object (422) by a
// patch, as a precondition that fails (409) by a removal.
bool IsGone(const Status& status, bool is_removal) {
  if (absl::IsNotFound(status)) return true;
  if (is_removal) return absl::IsAborted(status);
  return IsRefused(status) && status.message().find("metadata.uid") != std::string_view::npos;
}

// As a kubelet waits before it starts a container that has failed: 10 s, doubled to 5 min.
Duration WaitBeforeRestart(int restarts) {
  constexpr Duration kFirst = std::chrono::seconds(10);
  constexpr int kDoublings = 5;
  return std::min<Duration>(kFirst * (1 << std::min(restarts, kDoublings)),
                            std::chrono::minutes(5));
}

}  // namespace

Lives::Lives(NodeTemplate nodes, Habits habits, Clocks clocks, LostUntil lost_until)
    : nodes_(std::move(nodes)),
      habits_(std::move(habits)),
      clocks_(clocks),
      lost_until_(std::move(lost_until)),
      gpus_(nodes_.count, Gpus(nodes_.gpus())),
      draws_(habits_.seed) {}

void Lives::Seen(const Json& object, Instant now) {
  const std::string uid = kube::TextAt(object, "/metadata/uid");
  if (const auto known = by_uid_.find(uid); known != by_uid_.end()) {
    const Key key = known->second;
    Life& life = lives_.at(key);
    Update(life, ReadPod(object), now);
    const bool is_over = life.is_shown_ended && !life.is_under_way && !life.remove;
    return is_over ? ForgetEnded(key, true) : Arm(key, life, now);
  }
  if (const auto ended = ended_.find(uid); ended != ended_.end()) {
    ended->second = true;
    if (ReadPod(object).phase != Phase::kEnded) return;  // as it was before
    ended_.erase(ended);
  }
  const auto node = nodes_.IndexOf(kube::TextAt(object, "/spec/nodeName"));
  if (!node || uid.empty() || foreign_.contains(uid)) return;
  if (!IsMeantFor(object, nodes_.own_taint())) {
    foreign_.insert(uid);
    ++counts_.foreign;
    return;
  }
  if (Life* life = Admit(object, *node, now)) Arm(last_, *life, now);
}

// nullptr: the pod has ended, and nobody has asked for its removal.
Lives::Life* Lives::Admit(const Json& object, std::uint32_t node, Instant now) {
  Pod pod = ReadPod(object);
  if (pod.phase == Phase::kEnded && !pod.is_deleted) return nullptr;
  const Key key = ++last_;
  by_uid_[pod.uid] = key;
  Life& life = lives_[key];
  life.pod = std::move(pod);
  life.node = node;
  ++counts_.waiting;
  Destine(life, now);
  if (life.pod.phase == Phase::kRunning) TakeOver(life, now);
  Update(life, life.pod, now);
  return &life;
}

void Lives::Destine(Life& life, Instant now) {
  const auto fate = FateOf(habits_, life.pod);
  if (!fate.ok()) return Refuse(life, Ending::kInvalid, std::string(fate.status().message()), now);
  life.fate = *fate;
  life.start = now + fate->start;
  if (fate->run) life.end = life.start + *fate->run;
  life.running.planned = {clocks_(now), clocks_(life.start), std::nullopt};
  if (life.end) life.running.planned.end = clocks_(*life.end);
  life.running.since = life.running.planned.start;
  life.running.ip = Address(last_);
}

void Lives::Refuse(Life& life, Ending ending, const std::string& message, Instant now) {
  life.fate.ending = ending;
  life.message = message;
  life.end = now;
}

// What an `up` before had planned holds; without it, its life begins now.
void Lives::TakeOver(Life& life, Instant now) {
  const auto written = life.pod.wishes.find(kPlanned);
  const auto planned =
      written == life.pod.wishes.end() ? std::nullopt : ReadPlanned(written->second);
  if (planned) {
    life.running.planned = *planned;
    life.running.since = planned->start;
    if (life.end) life.end = planned->end ? std::max(clocks_(*planned->end), now) : *life.end;
  }
  // Which devices it had does not matter, as long as no other pod gets them, unless others share
  // it.
  const auto shared = SharedDevice(life);
  Gpus& gpus = gpus_[life.node];
  const bool has_devices =
      shared ? gpus.TakeDevice(last_, *shared) : gpus.Take(last_, life.pod.gpus);
  if (!has_devices) life.pod.gpus = 0;
  NameGpu(last_, life);
  Move(last_, life, Stage::kRunning);
}

/// The device that the pod has said it reserves.
std::optional<std::size_t> Lives::SharedDevice(const Life& life) const {
  const auto written = life.pod.wishes.find(kReservedGpu);
  if (!life.pod.reserves_gpu || written == life.pod.wishes.end()) return std::nullopt;
  const auto devices = static_cast<std::size_t>(nodes_.gpus());
  for (std::size_t device = 0; device < devices; ++device) {
    if (GpuUuid(nodes_.NameOf(life.node), device) == written->second) return device;
  }
  return std::nullopt;
}

/// So that the next patch tells which device the pod reserves.
void Lives::NameGpu(Key key, Life& life) const {
  if (!life.pod.reserves_gpu) return;
  const auto device = gpus_[life.node].FirstOf(key);
  if (device) life.running.gpu = GpuUuid(nodes_.NameOf(life.node), *device);
}

void Lives::Update(Life& life, const Pod& seen, Instant now) {
  life.is_listed = true;
  life.pod.has_finalizers = seen.has_finalizers;
  life.is_shown_ended = seen.phase == Phase::kEnded;
  if (seen.phase == Phase::kEnded && life.stage < Stage::kEnded) {
    Move(by_uid_.at(life.pod.uid), life, Stage::kEnded);
  }
  if (!seen.is_deleted || life.remove) return;
  const bool runs = life.stage == Stage::kRunning;
  life.remove = now + (runs ? std::min(life.fate.stop, seen.grace) : Duration::zero());
}

void Lives::Gone(const std::string& uid) {
  if (foreign_.erase(uid) > 0 || ended_.erase(uid) > 0) return;
  const auto known = by_uid_.find(uid);
  if (known != by_uid_.end()) Forget(known->second);
}

void Lives::Forget(Key key) {
  Life& life = lives_.at(key);
  if (life.is_under_way && life.act == Act::kRemove) ++counts_.removed;  // before the answer came
  by_uid_.erase(life.pod.uid);
  Move(key, life, Stage::kForgotten);
  timers_.Cancel(key);
  // The outcome of a call that is under way finds nobody.
  lives_.erase(key);
}

void Lives::Listing() {
  for (auto& [key, life] : lives_) life.is_listed = false;
  for (auto& [uid, is_listed] : ended_) is_listed = false;
}

void Lives::Listed() {
  std::vector<Key> gone;
  for (const auto& [key, life] : lives_) {
    if (!life.is_listed) gone.push_back(key);
  }
  for (const Key key : gone) Forget(key);
  std::erase_if(ended_, [](const auto& each) { return !each.second; });
}

// Whoever deletes it later shows it again. `is_shown`: the watch tells nothing older any more.
void Lives::ForgetEnded(Key key, bool is_shown) {
  if (!is_shown) ended_.emplace(lives_.at(key).pod.uid, true);
  Forget(key);
}

std::optional<Lives::Next> Lives::NextOf(const Life& life) {
  if (life.stage == Stage::kForgotten) return std::nullopt;
  if (life.remove) {
    // Whoever holds it back by a finalizer waits for its end.
    const bool ends_first = life.stage == Stage::kRunning && life.pod.has_finalizers;
    return Next{ends_first ? Act::kEnd : Act::kRemove, *life.remove};
  }
  if (life.stage == Stage::kEnded) return std::nullopt;
  if (!life.message.empty()) return Next{Act::kEnd, *life.end};
  if (life.stage == Stage::kWaiting) return Next{Act::kStart, life.start};
  if (!life.end) return std::nullopt;
  const bool restarts =
      life.fate.ending == Ending::kFailed && life.pod.restart == Restart::kOnFailure;
  if (!restarts) return Next{Act::kEnd, *life.end};
  return Next{Act::kRestart, *life.end + WaitBeforeRestart(life.running.restarts)};
}

void Lives::Arm(Key key, Life& life, Instant now) {
  if (life.is_under_way) return;
  const auto next = NextOf(life);
  if (!next) return timers_.Cancel(key);
  life.act = next->act;
  life.planned = next->due;
  if (life.failures == 0) return timers_.Set(key, next->due);
  timers_.Set(key, std::max(next->due, now + WaitAfter(life.failures - 1, draws_.Share())));
}

std::optional<Order> Lives::Take(Instant now) {
  while (const auto key = timers_.Take(now)) {
    Life& life = lives_.at(*key);
    if (const auto until = lost_until_(life.node, now)) {
      life.planned = *until;
      timers_.Set(*key, *until);
      continue;
    }
    if (!Begin(*key, life, now)) continue;
    life.is_under_way = true;
    return Order{*key, life.planned, CallOf(life)};
  }
  return std::nullopt;
}

// False: something else is due first.
bool Lives::Begin(Key key, Life& life, Instant now) {
  if (life.act == Act::kEnd && life.remove) life.fate.ending = Ending::kKilled;
  if (life.act != Act::kStart || life.pod.gpus == 0) return true;
  Gpus& gpus = gpus_[life.node];
  gpus.Give(key);  // of a start that failed
  if (gpus.Take(key, life.pod.gpus)) {
    NameGpu(key, life);
    return true;
  }
  Refuse(life, Ending::kRefused,
         absl::StrCat("Allocate failed due to requested number of devices unavailable for ",
                      kGpuResource, ". Requested: ", life.pod.gpus),
         now);
  Arm(key, life, now);
  return false;
}

kube::Call Lives::CallOf(const Life& life) const {
  switch (life.act) {
    case Act::kStart:
      return RunningPatch(life.pod, life.running);
    case Act::kRestart: {
      Life next = life;
      RestartLife(next);
      return RunningPatch(next.pod, next.running);
    }
    case Act::kEnd: {
      const bool ran = life.stage == Stage::kRunning;
      return EndedPatch(life.pod, life.fate, ran ? std::optional(life.running) : std::nullopt,
                        life.message, clocks_(life.planned));
    }
    case Act::kRemove:
      break;
  }
  return RemovePod(life.pod);
}

// The containers begin again, with another fate.
void Lives::RestartLife(Life& life) const {
  Running& running = life.running;
  running.exit_code = life.fate.exit_code;
  running.before = running.since;
  running.failed = clocks_(*life.end);
  const Instant since = *life.end + WaitBeforeRestart(running.restarts);
  running.since = clocks_(since);
  const auto fate = FateOf(habits_, life.pod, ++running.restarts);
  life.fate = *fate;  // could be read the first time
  life.end = since + fate->run.value_or(Duration::zero());
  running.planned.end = clocks_(*life.end);
}

Status Lives::Done(std::uint64_t ticket, const Status& outcome, Instant now) {
  const auto found = lives_.find(ticket);
  if (found == lives_.end()) return absl::OkStatus();  // gone meanwhile
  Life& life = found->second;
  life.is_under_way = false;
  Status wrong;
  if (outcome.ok()) {
    life.failures = 0;
    Finish(ticket, life);
    const bool is_over = life.act == Act::kEnd && !life.remove;
    if (is_over) {
      ForgetEnded(ticket, life.is_shown_ended);
      return absl::OkStatus();
    }
  } else if (IsGone(outcome, life.act == Act::kRemove)) {
    ++(life.act == Act::kRemove ? counts_.removed : counts_.replaced);
    Move(ticket, life, Stage::kForgotten);
  } else {
    ++counts_.failures;
    ++life.failures;
    wrong = outcome;
    if (IsRefused(outcome) && life.failures >= kMostRefused) GiveUp(ticket, life);
  }
  Arm(ticket, life, now);
  return wrong;
}

// It stays as it is until somebody deletes it.
void Lives::GiveUp(Key key, Life& life) {
  life.failures = 0;
  Move(key, life, Stage::kEnded);
}

void Lives::Finish(Key key, Life& life) {
  switch (life.act) {
    case Act::kStart:
      ++counts_.started;
      if (life.stage == Stage::kWaiting) Move(key, life, Stage::kRunning);
      return;
    case Act::kRestart:
      ++counts_.restarted;
      return RestartLife(life);
    case Act::kEnd:
      ++counts_.ended[static_cast<std::size_t>(life.fate.ending)];
      return Move(key, life, Stage::kEnded);
    case Act::kRemove:
      ++counts_.removed;
      return Move(key, life, Stage::kForgotten);
  }
}

void Lives::Move(Key key, Life& life, Stage stage) {
  if (life.stage == stage) return;
  if (life.stage == Stage::kWaiting) --counts_.waiting;
  if (life.stage == Stage::kRunning) --counts_.running;
  if (stage == Stage::kRunning) ++counts_.running;
  if (stage >= Stage::kEnded) gpus_[life.node].Give(key);
  life.stage = stage;
}

// 198.18.0.0/15 is set aside for benchmarks: no packet for it leaves the cluster.
std::string Lives::Address(Key key) const {
  return absl::StrCat("198.", 18 + (key >> 16) % 2, ".", (key >> 8) % 256, ".", key % 256);
}

void Lives::ForEachGpu(const std::function<void(const GpuUse&)>& visit) const {
  for (std::uint32_t node = 0; node < nodes_.count; ++node) {
    const auto& holders = gpus_[node].holders();
    for (std::size_t device = 0; device < holders.size(); ++device) {
      GpuUse use{node, device};
      if (holders[device] != Gpus::kFree) {
        const Life& life = lives_.at(holders[device]);
        use.pod = &life.pod;
        if (life.stage == Stage::kRunning) use.utilisation = life.fate.utilisation;
      }
      visit(use);
    }
  }
}

}  // namespace twofold::nodes
