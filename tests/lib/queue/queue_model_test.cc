// The queue against a plain model of its rules, over random schedules.
//
//   TWOFOLD_SEED   where to start; printed, so that a failure can be seen again
//   TWOFOLD_STEPS  how long, 1 000 000 if not set

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/lib/queue/queue_exercise.h"

namespace twofold::queue {
namespace {

constexpr std::uint64_t kEpisode = 2'000;  // steps, then a fresh queue with other options

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// All that a queue did in one episode, as text.
std::string Trace(std::uint64_t seed) {
  std::ostringstream trace;
  QueueExercise exercise(seed, [&](const std::vector<Recorded>& effects) {
    for (const Recorded& effect : effects) {
      std::visit([&](const auto& value) { trace << value << '\n'; }, effect);
    }
  });
  for (std::uint64_t step = 0; step < kEpisode; ++step) exercise.Step();
  return trace.str();
}

TEST(QueueModel, QueueKeepsTheRulesOverRandomSchedules) {
  const std::uint64_t first_seed = FromEnvironment("TWOFOLD_SEED", 1);
  const std::uint64_t steps = FromEnvironment("TWOFOLD_STEPS", 1'000'000);
  std::cout << "TWOFOLD_SEED=" << first_seed << " TWOFOLD_STEPS=" << steps << '\n';
  std::uint64_t seed = first_seed;
  for (std::uint64_t done = 0; done < steps; done += kEpisode, ++seed) {
    QueueExercise exercise(seed);
    for (std::uint64_t step = 0; step < kEpisode; ++step) {
      const std::string complaint = exercise.Step();
      ASSERT_EQ(complaint, "") << "TWOFOLD_SEED=" << seed << ", step " << step;
    }
  }
}

// Rule 7: same input, same output.
TEST(QueueModel, SameScheduleHasTheSameEffectsByteForByte) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string trace = Trace(seed);
    ASSERT_GT(trace.size(), 10'000U) << "the schedule does next to nothing";
    ASSERT_EQ(trace, Trace(seed)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace twofold::queue
