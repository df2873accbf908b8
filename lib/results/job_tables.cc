#include "lib/results/job_tables.h"

#include <algorithm>
#include <utility>

namespace twofold::results {

// Jobs in memory at a time.
constexpr std::size_t kLoadStep = 1000;

std::map<std::string, std::uint64_t> JobTables::Load(const Store::Visit& visit,
                                                     std::optional<std::uint8_t> of) {
  const std::vector<JobId> jobs = reader_.Unfinished(of);
  for (std::span<const JobId> left(jobs); !left.empty();) {
    const std::span<const JobId> step = left.first(std::min(kLoadStep, left.size()));
    for (StoredJob& job : reader_.FindAll(step, JobReader::LongSpecs::kLeft)) {
      // Volatile ones leave the store at once.
      const bool is_durable = queue::IsDurable(queue::JobId{job.accepted.id});
      if (job.spec_left > 0 && !is_durable) job = reader_.FindAll({&job.accepted.id, 1}).front();
      visit(std::move(job));
    }
    left = left.subspan(step.size());
  }
  return reader_.Sequences();
}

// Too old and too many are both the first ones in the order of their ends.
std::vector<JobId> JobTables::Forgettable(const Retention& retention, std::size_t at_most) {
  std::uint64_t too_many = 0;
  if (retention.keep_at_most != kKeepAll) {
    if (!finished_) finished_ = reader_.CountFinished();
    too_many = *finished_ - std::min(*finished_, retention.keep_at_most);
  }
  std::vector<JobId> jobs;
  for (const JobReader::Finished& each : reader_.FirstFinished(at_most)) {
    if (jobs.size() >= too_many && each.ended_unix_ns >= retention.older_than_unix_ns) break;
    jobs.push_back(each.job);
  }
  return jobs;
}

void JobTables::Delete(std::span<const JobId> jobs) {
  writer_.Delete(jobs);
  deleted_ += jobs.size();
}

void JobTables::DeleteDrafts(const Retention& retention, std::size_t at_most) {
  if (!retention.HasDrafts()) return;
  writer_.DeleteDrafts(retention.drafts_older_than_unix_ns, at_most);
}

void JobTables::Committed() {
  if (finished_) *finished_ += ended_ - deleted_;
  ended_ = deleted_ = 0;
}

void JobTables::RolledBack() {
  writer_.Forget();
  ended_ = deleted_ = 0;
}

}  // namespace twofold::results
