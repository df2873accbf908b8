#include "lib/queue/gathering_gangs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace twofold::queue {
namespace {

constexpr Duration kLongestPatience = std::chrono::hours(1);

}  // namespace

void GatheringGangs::Add(Slot gang) {
  const Duration timeout = jobs_[gang].options->gang.timeout;
  waiting_.emplace(KeyOf(gang), Try{std::clamp(timeout, Duration(1), kLongestPatience), {}});
  nobody_ = false;
}

void GatheringGangs::Remove(Slot gang) {
  if (gang == holder_) GiveBack();
  looked_for_ = kNoSlot;
  waiting_.erase(KeyOf(gang));
  nobody_ = false;
}

Slot GatheringGangs::Next(Instant now, bool others_wait) {
  others_wait = others_wait || holder_ != kNoSlot;
  const std::uint64_t version = processes_.capacity_version();
  const bool same = nobody_ && nobody_version_ == version && now < nobody_until_;
  if (same && (others_wait || nobody_until_ == Instant::max())) return holder_;
  nobody_ = false;
  nobody_until_ = Instant::max();
  for (const auto& [key, attempt] : waiting_) {
    const Slot gang = key.second;
    if (gang == holder_) break;
    if (Impossible(gang) || !CouldUseHeld(gang)) continue;
    if (!others_wait || attempt.again <= now) {
      if (holder_ != kNoSlot) GiveBack();
      return gang;
    }
    nobody_until_ = std::min(nobody_until_, attempt.again);
  }
  nobody_ = true;
  nobody_version_ = version;
  return holder_;
}

/// Whether any of what is held would do for this gang, too. Nothing is held: nobody is in its way.
bool GatheringGangs::CouldUseHeld(Slot gang) const {
  return held_.empty() || std::any_of(held_.begin(), held_.end(), [&](ProcessId process) {
           return processes_.Suits(jobs_[gang].options->placement, process);
         });
}

bool GatheringGangs::Gather(Instant now, Slot gang) {
  const JobOptions& options = *jobs_[gang].options;
  const std::uint32_t size = options.gang.size;
  const std::size_t before = held_.size();
  const auto take = [&](ProcessId process) {
    while (held_.size() < size && Suits(options, process)) {
      processes_.Reserve(process);
      held_.push_back(process);
    }
    return held_.size() < size;
  };
  // Those looked at before that are still idle do not suit it, as long as it holds what it holds.
  const bool is_new = std::exchange(looked_for_, gang) != gang;
  const std::uint64_t after = is_new ? 0 : looked_until_;
  if (options.gang.spread == Spread::kNode && held_.empty()) {
    TakeByNode(options, after, take);
  } else {
    processes_.VisitIdle(options.placement, after, take);
  }
  looked_until_ = processes_.last_idle_since();
  if (held_.size() > before) HeldChanged();
  if (holder_ == kNoSlot && !held_.empty()) {
    holder_ = gang;
    until_ = now + waiting_.at(KeyOf(gang)).patience;
    holder_version_ = processes_.capacity_version();
  }
  return held_.size() == size;
}

/// By the names of the nodes: so gangs that follow each other run on the same nodes as long as
/// these are free, and what they measure can be compared.
void GatheringGangs::TakeByNode(const JobOptions& gang, std::uint64_t after,
                                const std::function<bool(ProcessId)>& take) {
  std::vector<ProcessId> idle;
  processes_.VisitIdle(gang.placement, after, [&](ProcessId process) {
    if (Suits(gang, process)) idle.push_back(process);
    return true;
  });
  const auto goes_after = [this](ProcessId a, ProcessId b) {
    const int order = processes_[a].node->name->compare(*processes_[b].node->name);
    return order != 0 ? order > 0 : processes_[a].idle_since > processes_[b].idle_since;
  };
  std::make_heap(idle.begin(), idle.end(), goes_after);
  while (!idle.empty() && take(idle.front())) {
    std::pop_heap(idle.begin(), idle.end(), goes_after);
    idle.pop_back();
  }
}

void GatheringGangs::Withdraw(ProcessId process) {
  const std::size_t given_back = std::erase(held_, process);
  if (given_back > 0) {
    processes_.Unreserve(process, static_cast<std::uint32_t>(given_back));
    looked_for_ = kNoSlot;
    HeldChanged();
  }
  if (held_.empty()) holder_ = kNoSlot;
}

void GatheringGangs::Yield(ProcessId process) {
  held_.erase(std::next(std::find(held_.rbegin(), held_.rend(), process)).base());
  processes_.Unreserve(process, 1);
  looked_for_ = kNoSlot;
  HeldChanged();
  if (held_.empty()) holder_ = kNoSlot;
}

void GatheringGangs::HeldChanged() {
  ++held_version_;
  nobody_ = false;
}

void GatheringGangs::GiveUp(Instant now) {
  if (holder_ == kNoSlot) return;
  if (holder_version_ != processes_.capacity_version()) {
    holder_version_ = processes_.capacity_version();
    if (Impossible(holder_)) return GiveBack();
  }
  if (until_ > now) return;
  Try& attempt = waiting_.at(KeyOf(holder_));
  attempt.again = now + attempt.patience;
  attempt.patience = std::min(2 * attempt.patience, kLongestPatience);
  GiveBack();
}

std::optional<Instant> GatheringGangs::NextDeadline() const {
  return holder_ == kNoSlot ? std::nullopt : std::optional(until_);
}

std::uint64_t GatheringGangs::ShortOf(Slot gang) const {
  const JobOptions& options = *jobs_[gang].options;
  const std::uint64_t missing = Missing(options);
  return missing > 0 ? missing : options.gang.size - (gang == holder_ ? held_.size() : 0);
}

/// How many more workers would have to connect before the gang can ever start.
std::uint64_t GatheringGangs::Missing(const JobOptions& gang) const {
  const Capacity able = processes_.AbleFor(gang.placement);
  const std::uint64_t most = gang.gang.spread == Spread::kNode ? able.nodes : able.slots;
  return gang.gang.size - std::min<std::uint64_t>(most, gang.gang.size);
}

bool GatheringGangs::Suits(const JobOptions& gang, ProcessId process) const {
  if (!processes_[process].MayTake() || !processes_.Suits(gang.placement, process)) return false;
  return gang.gang.spread == Spread::kAny || processes_[process].node->reserved == 0;
}

void GatheringGangs::GiveBack() {
  for (const ProcessId process : held_) processes_.Unreserve(process, 1);
  held_.clear();
  holder_ = kNoSlot;
  looked_for_ = kNoSlot;
  HeldChanged();
}

}  // namespace twofold::queue
