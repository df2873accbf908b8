#include "kubernetes/aggregated/decisions.h"

namespace twofold::aggregated {

std::optional<bool> Decisions::Find(const std::string& question, Instant now) const {
  const auto found = decisions_.find(question);
  if (found == decisions_.end() || now - found->second.at >= kFresh) return std::nullopt;
  return found->second.allowed;
}

void Decisions::Note(const std::string& question, bool allowed, Instant now) {
  const auto is_old = [&] { return now - decisions_.at(by_age_.front()).at >= kFresh; };
  while (!by_age_.empty() && (by_age_.size() >= kMost || is_old())) {
    decisions_.erase(by_age_.front());
    by_age_.pop_front();
  }
  const auto [decision, added] = decisions_.try_emplace(question, Decision{allowed, now});
  if (added) {
    by_age_.push_back(question);
  } else {
    decision->second.allowed = allowed;  // two asked at a time: as old as the first answer
  }
}

}  // namespace twofold::aggregated
