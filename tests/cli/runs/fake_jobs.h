#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/runs/watch.h"

namespace twofold::run {

/// A frontend with one run: each look at it lets up to `parallel` jobs start, and ends those that
/// ran before.
class FakeJobs final : public Jobs {
 public:
  Result<std::vector<Seen>> List() override {
    if (!faults.empty()) return Next(faults);
    Advance();
    std::vector<Seen> all;
    for (const auto& [id, seen] : jobs) all.push_back(seen);
    return all;
  }

  Status Submit(const std::vector<JobKey>& keys,
                const std::function<void(const Seen&)>& accepted) override {
    for (const JobKey& key : keys) {
      if (room == 0) return absl::ResourceExhaustedError("the queue is full");
      --room;
      const Seen seen = {.key = key, .id = ++last_id};
      jobs[seen.id] = seen;
      submitted.push_back(key);
      if (!mute) accepted(seen);
    }
    if (!submit_faults.empty()) return Next(submit_faults);
    return absl::OkStatus();
  }

  Status Cancel(std::uint64_t id) override {
    cancelled.push_back(id);
    Seen& seen = jobs.at(id);
    if (HasEnded(seen.phase)) return absl::FailedPreconditionError("has ended");
    seen.phase = Phase::kWithdrawn;
    return absl::OkStatus();
  }

  std::map<std::uint64_t, Seen> jobs;  ///< by id
  std::vector<JobKey> submitted;
  std::vector<std::uint64_t> cancelled;
  std::set<JobKey> failing;
  std::size_t parallel = 1;
  std::size_t room = 1000;  ///< jobs that it takes
  bool mute = false;        ///< it does not say what it has accepted
  std::deque<Status> faults;
  std::deque<Status> submit_faults;
  std::uint64_t last_id = 0;

 private:
  static Status Next(std::deque<Status>& faults) {
    Status status = std::move(faults.front());
    faults.pop_front();
    return status;
  }

  void Advance() {
    std::size_t started = 0;
    for (auto& [id, seen] : jobs) {
      if (seen.phase == Phase::kRunning) {
        const bool fails = failing.contains(seen.key);
        seen.phase = fails ? Phase::kFailed : Phase::kSucceeded;
        if (!fails) seen.headline = 10;
        ++room;
      } else if (seen.phase == Phase::kWaiting && started < parallel) {
        seen.phase = Phase::kRunning;
        ++started;
      }
    }
  }
};

/// Watches for as many looks as it likes; `wish` is said at look number `when`.
class FakeWatcher final : public Watcher {
 public:
  explicit FakeWatcher(Wish wish = Wish::kNone, int when = 0) : wish_(wish), when_(when) {}

  void Show(const Driver& driver) override { shown.push_back(driver.jobs().size()); }
  void Note(const std::string& line) override { notes.push_back(line); }
  Wish Wait(Duration at_most) override {
    clock += at_most;
    return ++looks == when_ ? wish_ : Wish::kNone;
  }

  std::vector<std::size_t> shown;
  std::vector<std::string> notes;
  Instant clock;
  int looks = 0;

 private:
  const Wish wish_;
  const int when_;
};

}  // namespace twofold::run
