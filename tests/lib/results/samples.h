#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lib/results/store.h"

namespace twofold::results {

/// An id as a frontend makes it.
constexpr JobId Id(std::uint64_t queue_number, std::uint64_t sequence) {
  return queue_number << 56 | sequence;
}

inline JobAccepted Accepted(JobId id, const std::string& run = "nightly") {
  return {.id = id,
          .queue = "sleep",
          .run = run,
          .suite = "command",
          .priority = -3,
          .options = std::string("\0\x01options", 9),
          .spec = "spec of " + std::to_string(id) + std::string("\0\xff", 2),
          .accepted_unix_ns = 1'760'000'000'000'000'000 + static_cast<std::int64_t>(id % 1000)};
}

inline AttemptStarted Started(JobId job, std::uint32_t attempt = 1) {
  return {.job = job,
          .attempt = attempt,
          .lost_attempts = attempt - 1,
          .started_unix_ns = 1'760'000'001'000'000'000,
          .members = {{.member_job = job,
                       .process_key = 0xfedcba9876543210,
                       .node = "node-1",
                       .pod = "pod-1",
                       .device = "gpu0"}}};
}

inline AttemptStarted StartedGang(JobId job, std::uint32_t size) {
  AttemptStarted started{.job = job, .attempt = 1, .started_unix_ns = 7, .members = {}};
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    started.members.push_back({.member_job = job + 1000 + rank,
                               .process_key = rank + 1,
                               .node = "node-" + std::to_string(rank),
                               .pod = "pod-" + std::to_string(rank),
                               .device = ""});
  }
  return started;
}

inline JobEnded Ended(JobId job, std::int64_t ended_unix_ns = 1'760'000'002'000'000'000,
                      queue::Outcome outcome = queue::Outcome::kSucceeded) {
  return {.job = job,
          .outcome = outcome,
          .attempts = 2,
          .wait = Duration(1'500'000'000),
          .run_time = Duration(250'000'000),
          .total = Duration(1'800'000'000),
          .node = "node-1",
          .pod = "pod-1",
          .device = "gpu0",
          .report = std::string("\0report", 7),
          .reason = "because",
          .ended_unix_ns = ended_unix_ns};
}

/// What Load gives.
struct Loaded {
  std::vector<StoredJob> jobs;
  std::map<std::string, std::uint64_t> sequences;

  [[nodiscard]] std::vector<JobId> ids() const {
    std::vector<JobId> ids;
    for (const StoredJob& job : jobs) ids.push_back(job.accepted.id);
    return ids;
  }
};

inline Result<Loaded> LoadAll(Store& store) {
  Loaded loaded;
  auto sequences = store.Load([&](StoredJob job) { loaded.jobs.push_back(std::move(job)); });
  if (!sequences.ok()) return sequences.status();
  loaded.sequences = *std::move(sequences);
  return loaded;
}

inline std::vector<JobId> IdsOf(const std::vector<StoredJob>& jobs) {
  return Loaded{.jobs = jobs, .sequences = {}}.ids();
}

}  // namespace twofold::results
