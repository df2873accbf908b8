#include "cli/runs/driver.h"

#include <algorithm>
#include <utility>

namespace twofold::run {

Rules RulesOf(const spec::Sweep& sweep) {
  return {sweep.repetitions, sweep.until, sweep.fail_fast, FromSeconds(sweep.run_limit_seconds)};
}

Driver::Driver(Rules rules, const spec::Expansion& expansion)
    : rules_(rules), expansion_(expansion), measured_(expansion.permutations.size()) {
  for (std::size_t i = 0; i < expansion.permutations.size(); ++i) {
    permutations_[expansion.permutations[i].number] = i;
  }
  for (const spec::PlannedJob& job : expansion.jobs) {
    const std::uint64_t number = expansion.permutations[job.permutation].number;
    Add({number, job.repetition, job.warm_up}, job.permutation);
  }
}

Driver::Job& Driver::Add(const JobKey& key, std::size_t permutation) {
  const std::size_t place = jobs_.size();
  Job job;
  job.seen.key = key;
  job.seen.phase = Phase::kPlanned;
  job.permutation = permutation;
  jobs_.push_back(std::move(job));
  by_key_[key] = place;
  if (!key.warm_up) measured_[permutation].push_back(place);
  return jobs_.back();
}

bool Driver::See(const Seen& seen) {
  const auto permutation = permutations_.find(seen.key.permutation);
  if (permutation == permutations_.end()) return false;
  const auto known = by_key_.find(seen.key);
  Job& job = known == by_key_.end() ? Add(seen.key, permutation->second) : jobs_[known->second];
  // What is said may be older than what is known: a job goes forward only.
  const bool newer = seen.id > job.seen.id;
  if (seen.id <= job.gone || seen.id < job.seen.id) return true;
  if (!newer && seen.phase < job.seen.phase) return true;
  const bool news = newer || seen.phase != job.seen.phase;
  job.seen = seen;
  if (news && seen.phase == Phase::kFailed && begun_) SeeFailure(seen);
  return true;
}

void Driver::SeeFailure(const Seen& failed) {
  if (rules_.fail_fast) Halt(Stop::kFailFast);
  const bool some = std::any_of(jobs_.begin(), jobs_.end(),
                                [](const Job& job) { return job.seen.phase == Phase::kSucceeded; });
  if (failed.misses_program && !some) Halt(Stop::kNoProgram);
}

void Driver::Begin() {
  begun_ = true;
  for (Job& job : jobs_) {
    if (job.seen.phase != Phase::kWithdrawn) continue;
    job.gone = job.seen.id;
    job.seen.phase = Phase::kPlanned;
  }
}

std::vector<JobKey> Driver::TakeDue(Duration elapsed) {
  if (rules_.limit > Duration::zero() && elapsed >= rules_.limit && !over()) Halt(Stop::kLimit);
  if (stop_ != Stop::kNone) return {};
  AddRepetitions();
  std::vector<JobKey> due;
  for (Job& job : jobs_) {
    if (job.seen.phase != Phase::kPlanned) continue;
    job.seen.phase = Phase::kWaiting;
    due.push_back(job.seen.key);
  }
  return due;
}

void Driver::PutBack(const JobKey& key) {
  Phase& phase = jobs_[by_key_.at(key)].seen.phase;
  if (phase == Phase::kWaiting) phase = Phase::kPlanned;
}

void Driver::Halt(Stop stop) {
  if (stop_ == Stop::kNone) stop_ = stop;
}

void Driver::AddRepetitions() {
  for (std::size_t permutation = 0; permutation < measured_.size(); ++permutation) {
    if (!WantsMore(measured_[permutation])) continue;
    std::uint32_t last = 0;
    for (const std::size_t place : measured_[permutation]) {
      last = std::max(last, jobs_[place].seen.key.repetition);
    }
    Add({expansion_.permutations[permutation].number, last + 1, false}, permutation);
  }
}

bool Driver::WantsMore(const std::vector<std::size_t>& places) const {
  if (!rules_.until) return false;
  std::vector<double> headlines;
  std::uint32_t failed = 0;
  for (const std::size_t place : places) {
    const Seen& seen = jobs_[place].seen;
    // Who withdraws a job wants no other one in its place.
    if (!HasEnded(seen.phase) || seen.phase == Phase::kWithdrawn) return false;
    if (seen.phase == Phase::kSucceeded) {
      headlines.push_back(seen.headline);
    } else {
      ++failed;
    }
  }
  const auto verdict = spec::Judge(*rules_.until, rules_.repetitions, headlines, failed);
  return verdict.next == spec::Next::kRepeat;
}

std::vector<std::uint64_t> Driver::Open(bool waiting_only) const {
  std::vector<std::uint64_t> ids;
  for (const Job& job : jobs_) {
    const bool open = waiting_only ? job.seen.phase == Phase::kWaiting : IsOpen(job.seen.phase);
    if (open && job.seen.id > job.gone) ids.push_back(job.seen.id);
  }
  return ids;
}

bool Driver::over() const {
  bool planned = false;
  for (const Job& job : jobs_) {
    if (IsOpen(job.seen.phase)) return false;
    planned = planned || job.seen.phase == Phase::kPlanned;
  }
  if (stop_ != Stop::kNone) return true;
  return !planned && std::none_of(measured_.begin(), measured_.end(),
                                  [this](const auto& places) { return WantsMore(places); });
}

}  // namespace twofold::run
