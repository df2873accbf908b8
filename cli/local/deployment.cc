#include "cli/local/deployment.h"

#include <algorithm>
#include <iterator>

namespace twofold::local {

std::vector<Action> Deployment::Step(Instant now) {
  std::vector<Action> actions;
  AddMissing(now);
  RemoveSurplus(now, actions);
  for (auto& [number, replica] : replicas_) {
    if (replica.due > now) continue;
    if (replica.state == State::kWaiting && !held_) {
      replica.state = State::kRunning;
      replica.started = now;
      actions.push_back({Action::Kind::kStart, number});
    } else if (replica.state == State::kTerminating) {
      replica.state = State::kKilled;
      actions.push_back({Action::Kind::kKill, number});
    }
  }
  return actions;
}

void Deployment::AddMissing(Instant now) {
  for (int missing = desired_ - running() - waiting(); missing > 0; --missing) {
    const int number = FreeNumber();
    const auto seed = static_cast<std::uint64_t>(number);
    replicas_.emplace(number, Replica{State::kWaiting, now, now,
                                      Backoff(policy_.first_backoff, policy_.most_backoff, seed)});
  }
}

// Those that do not run go first, then the youngest.
void Deployment::RemoveSurplus(Instant now, std::vector<Action>& actions) {
  int surplus = std::max(0, running() + waiting() - desired_);
  for (auto it = replicas_.begin(); surplus > 0 && it != replicas_.end();) {
    const bool remove = it->second.state == State::kWaiting;
    it = remove ? replicas_.erase(it) : std::next(it);
    if (remove) --surplus;
  }
  for (auto it = replicas_.rbegin(); surplus > 0 && it != replicas_.rend(); ++it) {
    if (it->second.state != State::kRunning) continue;
    it->second.state = State::kTerminating;
    it->second.due = now + policy_.grace;
    actions.push_back({Action::Kind::kTerminate, it->first});
    --surplus;
  }
}

void Deployment::OnExit(int number, Instant now) {
  const auto it = replicas_.find(number);
  if (it == replicas_.end()) return;
  Replica& replica = it->second;
  if (replica.state != State::kRunning) {
    replicas_.erase(it);
    return;
  }
  if (now - replica.started >= policy_.stable) replica.backoff.Reset();
  replica.state = State::kWaiting;
  replica.due = now + replica.backoff.Next();
  ++restarts_;
}

void Deployment::ShortenGrace(Duration grace, Instant now) {
  policy_.grace = std::min(policy_.grace, grace);
  for (auto& [number, replica] : replicas_) {
    if (replica.state == State::kTerminating) replica.due = std::min(replica.due, now + grace);
  }
}

std::optional<Instant> Deployment::NextDeadline() const {
  std::optional<Instant> next;
  for (const auto& [number, replica] : replicas_) {
    const bool starts = replica.state == State::kWaiting && !held_;
    if (!starts && replica.state != State::kTerminating) continue;
    next = next ? std::min(*next, replica.due) : replica.due;
  }
  return next;
}

int Deployment::Count(State state) const {
  return static_cast<int>(std::count_if(replicas_.begin(), replicas_.end(), [&](const auto& entry) {
    return entry.second.state == state;
  }));
}

void Deployment::Release(Instant now) {
  held_ = false;
  for (auto& [number, replica] : replicas_) {
    if (replica.state != State::kWaiting) continue;
    replica.backoff.Reset();
    replica.due = now;
  }
}

// The lowest number not in use, also not by one that is ending: two must not share a log.
int Deployment::FreeNumber() const {
  int number = 0;
  for (const auto& [used, replica] : replicas_) {
    if (used != number) break;
    ++number;
  }
  return number;
}

}  // namespace twofold::local
