#include "frontend/queues/watchers.h"

#include <algorithm>
#include <utility>

namespace twofold::frontend {

void Watchers::Remove(queue::JobId job, const Watcher* watcher) {
  const auto found = watchers_.find(job);
  if (found == watchers_.end()) return;
  std::erase_if(found->second, [&](const auto& one) { return one.get() == watcher; });
  if (found->second.empty()) watchers_.erase(found);
}

const Watchers::List& Watchers::Of(queue::JobId job) const {
  static const List nobody;
  const auto found = watchers_.find(job);
  return found == watchers_.end() ? nobody : found->second;
}

bool Watchers::WantsOutput(queue::JobId job) const {
  const List& list = Of(job);
  return std::any_of(list.begin(), list.end(),
                     [](const auto& watcher) { return watcher->wants_output(); });
}

const JobProgress* Watchers::Progress(queue::JobId job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? nullptr : &found->second;
}

Watchers::List Watchers::JobOver(queue::JobId job) {
  AttemptOver(job);
  if (watchers_.empty()) return {};
  auto found = watchers_.extract(job);
  return found ? std::move(found.mapped()) : List();
}

}  // namespace twofold::frontend
