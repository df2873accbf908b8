#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "lib/queue/queue.h"

namespace twofold::frontend {

/// The streams that submit to a queue, and how much of what the queue hands out is not theirs: a
/// load that measures the queue has to know (SubmitReply.others_started).
///
/// Threads  Not thread-safe: the lock of the queue guards it.
/// Cost     HandedOut and FindAndTell: some additions, and a hash look-up if the job before was
///          another stream's. The others: a hash look-up; Add and Remove O(log) with the loads.
class Submitters {
 public:
  /// Streams of one load, by SubmitRequest.load_key; a stream without a key, by its own id.
  struct Load {
    int streams = 0;
    std::uint64_t handed_out = 0;  ///< jobs, as long as the load has a stream
  };
  using LoadKey = std::pair<bool, std::uint64_t>;

  struct Entry {
    std::shared_ptr<Submitter> endpoint;
    std::map<LoadKey, Load>::iterator load;
    std::uint64_t others = 0;  ///< handed out that the endpoint has been told of, or precede it
  };

  /// No-op if it is known.
  void Add(queue::SubmitterId id, const std::shared_ptr<Submitter>& endpoint,
           std::uint64_t load_key) {
    const auto [added, is_new] = entries_.try_emplace(id);
    if (!is_new) return;
    const LoadKey key =
        load_key == 0 ? LoadKey(false, static_cast<std::uint64_t>(id)) : LoadKey(true, load_key);
    const auto load = loads_.try_emplace(key).first;
    ++load->second.streams;
    added->second = {endpoint, load, OthersOf(load->second)};
    last_.reset();
  }

  void Remove(queue::SubmitterId id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    if (--found->second.load->second.streams == 0) loads_.erase(found->second.load);
    entries_.erase(found);
    last_.reset();
  }

  /// nullptr: it is not known.
  [[nodiscard]] const std::shared_ptr<Submitter>& Find(queue::SubmitterId id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? none_ : found->second.endpoint;
  }

  /// As Find, for a job that has ended: the endpoint hears of others' jobs since the last call, and
  /// is among those that TellStanding tells.
  const std::shared_ptr<Submitter>& FindAndTell(queue::SubmitterId id) {
    Entry* const entry = LastOr(id);
    if (entry == nullptr) return none_;
    const std::uint64_t before = std::exchange(entry->others, OthersOf(entry->load->second));
    if (entry->others > before) entry->endpoint->OnOthersStarted(entry->others - before);
    if (ended_.empty() || ended_.back() != id) ended_.push_back(id);
    return entry->endpoint;
  }

  /// Ends a turn: those whose jobs have ended in it hear how the others stand.
  void TellStanding(const queue::Queue& queue) {
    for (const queue::SubmitterId id : ended_) {
      if (const auto& endpoint = Find(id)) endpoint->OnStanding(queue.StandingOf(id));
    }
    ended_.clear();
  }

  /// A job of this submitter, known or not, has gone to a worker, or to a gang of them.
  void HandedOut(queue::SubmitterId id) {
    ++handed_out_;
    if (const Entry* const entry = LastOr(id)) ++entry->load->second.handed_out;
  }

  [[nodiscard]] const absl::flat_hash_map<queue::SubmitterId, Entry>& all() const {
    return entries_;
  }

 private:
  /// Jobs of one stream come together. nullptr: it is not known.
  Entry* LastOr(queue::SubmitterId id) {
    if (!last_ || last_->first != id) {
      const auto found = entries_.find(id);
      last_ = {id, found == entries_.end() ? nullptr : &found->second};
    }
    return last_->second;
  }

  [[nodiscard]] std::uint64_t OthersOf(const Load& load) const {
    return handed_out_ - load.handed_out;
  }

  const std::shared_ptr<Submitter> none_;
  absl::flat_hash_map<queue::SubmitterId, Entry> entries_;
  std::map<LoadKey, Load> loads_;
  std::uint64_t handed_out_ = 0;
  std::vector<queue::SubmitterId> ended_;                      // whose jobs have ended in this turn
  std::optional<std::pair<queue::SubmitterId, Entry*>> last_;  // that was looked for
};

}  // namespace twofold::frontend
