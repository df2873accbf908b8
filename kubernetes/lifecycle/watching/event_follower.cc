#include "kubernetes/lifecycle/watching/event_follower.h"

#include <algorithm>
#include <chrono>

namespace twofold::lifecycle {
namespace {

constexpr Duration kQuiet = std::chrono::milliseconds(500);
constexpr Duration kLongestDrain = std::chrono::seconds(3);
constexpr UnixNs kClustersBehind =
    60'000'000'000;  // the cluster's clocks may be behind ours by as much

}  // namespace

EventFollower::EventFollower(const kube::Access& access, const std::string& space,
                             const Anchor& anchor, const kube::WatchOptions& options)
    : anchor_(anchor),
      notes_(anchor.unix_ns - kClustersBehind),
      last_(Now()),
      watcher_(kube::Watcher::Start(access, {kube::kEvents, space}, options)),
      thread_([this] { watcher_->ForEach([this](const auto& event) { Take(event); }); }) {}

EventFollower::~EventFollower() { Stop(); }

void EventFollower::AwaitQuiet() {
  const Instant deadline = Now() + kLongestDrain;
  MutexLock lock(mutex_);
  last_ = Now();
  while (!stopped_ && trouble_.ok()) {
    const Instant until = std::min(deadline, last_ + kQuiet);
    if (Now() >= until) return;
    changed_.WaitUntil(mutex_, until);
  }
}

void EventFollower::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  watcher_->Stop();
  if (thread_.joinable()) thread_.join();
}

Status EventFollower::trouble() {
  MutexLock lock(mutex_);
  return trouble_;
}

void EventFollower::Take(const kube::WatchEvent& event) {
  using EventKind = kube::WatchEvent::Kind;
  MutexLock lock(mutex_);
  trouble_ = event.kind == EventKind::kTrouble ? event.trouble : Status();
  const bool tells = event.kind == EventKind::kListed || event.kind == EventKind::kAdded ||
                     event.kind == EventKind::kModified;
  if (!tells) return;
  notes_.Seen(event.object, anchor_.UnixNs(event.arrived));
  last_ = Now();
  changed_.NotifyAll();
}

}  // namespace twofold::lifecycle
