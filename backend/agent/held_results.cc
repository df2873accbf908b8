#include "backend/agent/held_results.h"

#include <algorithm>
#include <utility>

namespace twofold::backend {

void HeldResults::Add(const AttemptEnd& end, bool sent) {
  const auto durable = durable_.find(end.id);
  if (durable != durable_.end()) {
    durable->second = end;
  } else if (!sent) {
    unsent_.push_back(end);
  }
}

const AttemptEnd* HeldResults::Find(const AttemptId& id) const {
  const auto durable = durable_.find(id);
  return durable != durable_.end() && durable->second ? &*durable->second : nullptr;
}

std::vector<AttemptEnd> HeldResults::TakeForStream() {
  std::vector<AttemptEnd> ends = std::exchange(unsent_, {});
  for (const auto& [id, end] : durable_) {
    if (end) ends.push_back(*end);
  }
  return ends;
}

std::vector<AttemptId> HeldResults::Ids() const {
  std::vector<AttemptId> ids;
  for (const AttemptEnd& end : unsent_) ids.push_back(end.id);
  for (const auto& [id, end] : durable_) {
    if (end) ids.push_back(id);
  }
  return ids;
}

std::size_t HeldResults::unkept() const {
  return static_cast<std::size_t>(
      std::count_if(durable_.begin(), durable_.end(),
                    [](const auto& entry) { return entry.second.has_value(); }));
}

}  // namespace twofold::backend
