#include "lib/spec/job_order.h"

#include <spdlog/fmt/fmt.h>

#include "lib/spec/random.h"

namespace twofold::spec {
namespace {

using Jobs = std::vector<PlannedJob>;

void AddRepetitions(Jobs& jobs, std::uint32_t permutation, std::uint32_t count, bool warm_up) {
  for (std::uint32_t i = 1; i <= count; ++i) jobs.push_back({permutation, i, warm_up});
}

Jobs Consecutive(const Sweep& sweep, std::uint32_t permutations) {
  Jobs jobs;
  for (std::uint32_t permutation = 0; permutation < permutations; ++permutation) {
    AddRepetitions(jobs, permutation, sweep.warmup, true);
    AddRepetitions(jobs, permutation, sweep.repetitions, false);
  }
  return jobs;
}

Jobs Rounds(std::uint32_t permutations, std::uint32_t rounds, bool warm_up) {
  Jobs jobs;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (std::uint32_t i = 0; i < permutations; ++i) jobs.push_back({i, round, warm_up});
  }
  return jobs;
}

void Mix(Jobs& jobs, std::uint32_t permutations, Random& random) {
  Shuffle(jobs, random);
  std::vector<std::uint32_t> seen(permutations);
  for (PlannedJob& job : jobs) job.repetition = ++seen[job.permutation];
}

}  // namespace

Jobs JobsOf(const Sweep& sweep, std::uint32_t permutations) {
  if (sweep.order == Order::kConsecutive) return Consecutive(sweep, permutations);
  Jobs jobs = Rounds(permutations, sweep.warmup, true);
  Jobs measured = Rounds(permutations, sweep.repetitions, false);
  if (sweep.order == Order::kShuffled) {
    Random random(sweep.seed);
    Mix(jobs, permutations, random);
    Mix(measured, permutations, random);
  }
  jobs.insert(jobs.end(), measured.begin(), measured.end());
  return jobs;
}

std::string JobName(const std::string& name, std::uint64_t index, std::uint64_t count) {
  return fmt::format("{}-{:0{}}", name, index, fmt::formatted_size("{}", count));
}

}  // namespace twofold::spec
