#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Gets what happens to a job that somebody watches. Called as the other endpoints are.
class Watcher : public Resident {
 public:
  /// Its state has changed. `job` finished: this was the last call.
  virtual void OnJob(const v1::Job& job) = 0;
  /// A worker has printed something; `missed` bytes before it were left out.
  virtual void OnOutput(std::uint32_t rank, std::string_view data, std::uint64_t missed) = 0;
  [[nodiscard]] virtual bool wants_output() const = 0;
};

/// What a running job has told of its progress.
struct JobProgress {
  float fraction = 0;
  std::string line;
};

/// Who watches which job of a queue, and how far those that tell have come.
///
/// Threads  Not safe: under the lock of the queue.
/// Cost     O(1) a call; a job that nobody watches and that tells nothing takes nothing.
class Watchers {
 public:
  using List = std::vector<std::shared_ptr<Watcher>>;

  void Add(queue::JobId job, std::shared_ptr<Watcher> watcher) {
    watchers_[job].push_back(std::move(watcher));
  }
  void Remove(queue::JobId job, const Watcher* watcher);

  /// Empty if nobody watches.
  [[nodiscard]] const List& Of(queue::JobId job) const;
  [[nodiscard]] bool WantsOutput(queue::JobId job) const;
  [[nodiscard]] bool empty() const { return watchers_.empty(); }
  /// Nobody watches any job, and none has told anything.
  [[nodiscard]] bool idle() const { return watchers_.empty() && progress_.empty(); }

  void SetProgress(queue::JobId job, JobProgress progress) { progress_[job] = std::move(progress); }
  /// nullptr: it has told nothing.
  [[nodiscard]] const JobProgress* Progress(queue::JobId job) const;

  /// The attempt is over: what it told is history.
  void AttemptOver(queue::JobId job) {
    if (!progress_.empty()) progress_.erase(job);
  }

  /// The job is over. Returns who watched it.
  List JobOver(queue::JobId job);

 private:
  absl::flat_hash_map<queue::JobId, List> watchers_;
  absl::flat_hash_map<queue::JobId, JobProgress> progress_;
};

}  // namespace twofold::frontend
