#include "cli/runs/interleave.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace twofold::run {
namespace {

void Add(const spec::Expansion& one, const std::string& id, std::uint64_t offset,
         spec::Expansion& all) {
  for (spec::Permutation permutation : one.permutations) {
    permutation.number += offset;
    permutation.values.insert(permutation.values.begin(), {"run", id});
    all.permutations.push_back(std::move(permutation));
  }
  all.all_permutations += one.all_permutations;
  all.most_jobs += one.most_jobs;
}

bool BaseIsFirst(std::uint32_t repetition) { return std::popcount(repetition - 1) % 2 == 0; }

Seen Moved(Seen seen, std::uint64_t offset) {
  seen.key.permutation += offset;
  return seen;
}

}  // namespace

Turns TakeTurns(const spec::Expansion& base, const std::string& base_id, const spec::Expansion& now,
                const std::string& now_id) {
  Turns turns;
  for (const spec::Permutation& one : base.permutations) {
    turns.offset = std::max(turns.offset, one.number);
  }
  Add(base, base_id, 0, turns.expansion);
  Add(now, now_id, turns.offset, turns.expansion);
  const auto places = static_cast<std::uint32_t>(base.permutations.size());
  for (const spec::PlannedJob& job : base.jobs) {
    spec::PlannedJob other = job;
    other.permutation += places;
    auto& jobs = turns.expansion.jobs;
    jobs.insert(jobs.end(), {job, other});
    if (!BaseIsFirst(job.repetition)) std::iter_swap(jobs.end() - 2, jobs.end() - 1);
  }
  return turns;
}

bool SameJobs(const spec::Expansion& base, const spec::Expansion& now) {
  return base.permutations.size() == now.permutations.size() && base.jobs == now.jobs;
}

Result<std::vector<Seen>> JobsOfTwo::List() {
  auto all = base_.List();
  if (!all.ok()) return all.status();
  const auto more = now_.List();
  if (!more.ok()) return more.status();
  for (const Seen& seen : *more) all->push_back(Moved(seen, offset_));
  return all;
}

Status JobsOfTwo::Submit(const std::vector<JobKey>& keys,
                         const std::function<void(const Seen&)>& accepted) {
  for (auto begin = keys.begin(); begin != keys.end();) {
    const bool of_now = IsOfNow(*begin);
    const std::uint64_t offset = of_now ? offset_ : 0;
    const auto end =
        std::find_if(begin, keys.end(), [&](const JobKey& key) { return IsOfNow(key) != of_now; });
    std::vector<JobKey> part(begin, end);
    for (JobKey& key : part) key.permutation -= offset;
    const Status status = (of_now ? now_ : base_).Submit(part, [&](const Seen& seen) {
      accepted(Moved(seen, offset));
    });
    if (!status.ok()) return status;
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace twofold::run
