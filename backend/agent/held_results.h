#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "backend/agent/runner.h"

namespace twofold::backend {

/// Results that the frontend does not have yet, as far as we know.
///
/// Those of durable jobs count as held until the frontend says that they are kept; a stream that
/// took them is not enough. The others are held while there is no stream to hand them to.
class HeldResults {
 public:
  /// The result of this attempt is to be held until Kept, whatever else happens to it.
  void MakeDurable(const AttemptId& id) { durable_.emplace(id, std::nullopt); }

  [[nodiscard]] bool IsDurable(const AttemptId& id) const { return durable_.contains(id); }

  /// `sent`: a stream takes it right now.
  void Add(const AttemptEnd& end, bool sent) {
    const auto durable = durable_.empty() ? durable_.end() : durable_.find(end.id);
    if (durable != durable_.end()) {
      durable->second = end;
    } else if (!sent) {
      unsent_.push_back(end);
    }
  }

  /// The frontend needs it no more.
  void Kept(const AttemptId& id) { durable_.erase(id); }

  /// The result, if it is held; else null.
  [[nodiscard]] const AttemptEnd* Find(const AttemptId& id) const {
    const auto durable = durable_.find(id);
    return durable != durable_.end() && durable->second ? &*durable->second : nullptr;
  }

  [[nodiscard]] std::vector<AttemptEnd> All() const {
    std::vector<AttemptEnd> ends = unsent_;
    for (const auto& [id, end] : durable_) {
      if (end) ends.push_back(*end);
    }
    return ends;
  }

  /// All of them, to be handed to a stream: what is not durable is not held afterwards.
  std::vector<AttemptEnd> TakeForStream() {
    std::vector<AttemptEnd> ends = All();
    unsent_.clear();
    return ends;
  }

  [[nodiscard]] std::size_t unsent() const { return unsent_.size(); }  ///< of volatile jobs
  [[nodiscard]] std::size_t unkept() const {                           ///< of durable jobs
    return static_cast<std::size_t>(
        std::count_if(durable_.begin(), durable_.end(),
                      [](const auto& held) { return held.second.has_value(); }));
  }

 private:
  std::vector<AttemptEnd> unsent_;
  absl::flat_hash_map<AttemptId, std::optional<AttemptEnd>> durable_;  // nullopt: not ended
};

}  // namespace twofold::backend
