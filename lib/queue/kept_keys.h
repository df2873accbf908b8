#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/queue/types.h"

namespace twofold::queue {

/// Keys of attempts that have been stopped and may still run, until their worker says that they
/// have ended, or its lease is over. So a cancelled job's program and the next one of its key never
/// run at once.
///
/// The keys are those of an owner, a job's attempt. A gang's attempt runs as several, one a member,
/// and keeps its keys until the last of them has ended.
///
/// Cost     O(log n) a call for each attempt concerned, with n attempts kept.
class KeptKeys {
 public:
  using Options = std::shared_ptr<const JobOptions>;

  /// The process may still run this attempt of the owner. True: the owner's first one.
  bool Keep(const Held& owner, const Options& options, ProcessId process, const Held& attempt) {
    const auto [hold, is_new] = holds_.try_emplace(owner, Hold{options});
    ++hold->second.attempts;
    attempts_.emplace(std::pair(process, attempt), owner);
    if (is_new && !options->dedup_key.empty()) ++dedup_keys_[options->dedup_key];
    return is_new;
  }

  /// It has ended. Returns the owner's options if that was its last attempt; else null.
  Options Free(ProcessId process, const Held& attempt) {
    const auto found = attempts_.find({process, attempt});
    return found == attempts_.end() ? nullptr : Erase(found);
  }

  /// All attempts of the process have ended but these. Tells of each owner, as Free does.
  template <typename Freed>
  void FreeAll(ProcessId process, const std::set<Held>& but, const Freed& freed) {
    for (auto at = FirstOf(process); at != attempts_.end() && at->first.first == process;) {
      const auto next = std::next(at);
      if (!but.contains(at->first.second)) freed(Erase(at));
      at = next;
    }
  }

  /// Whether the process has any.
  [[nodiscard]] bool IsKept(ProcessId process) const {
    const auto first = attempts_.lower_bound({process, Held{}});
    return first != attempts_.end() && first->first.first == process;
  }
  [[nodiscard]] bool HasDedupKey(const std::string& key) const {
    return !key.empty() && dedup_keys_.contains(key);
  }

 private:
  struct Hold {
    Options options;
    std::uint64_t attempts = 0;
  };
  using Attempts = std::map<std::pair<ProcessId, Held>, Held>;  // each with its owner

  Attempts::iterator FirstOf(ProcessId process) { return attempts_.lower_bound({process, Held{}}); }

  Options Erase(Attempts::iterator at) {
    const auto hold = holds_.find(at->second);
    attempts_.erase(at);
    if (--hold->second.attempts > 0) return nullptr;
    Options options = std::move(hold->second.options);
    holds_.erase(hold);
    const auto dedup = dedup_keys_.find(options->dedup_key);
    if (dedup != dedup_keys_.end() && --dedup->second == 0) dedup_keys_.erase(dedup);
    return options;
  }

  std::map<Held, Hold> holds_;  // by owner
  Attempts attempts_;
  std::unordered_map<std::string, std::uint64_t> dedup_keys_;  // how many holds have them
};

}  // namespace twofold::queue
