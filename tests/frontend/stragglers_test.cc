#include "frontend/web/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::frontend {
namespace {

using testing::ElementsAre;

const Instant kBegin{std::chrono::hours(1)};
const Instant kLater = kBegin + Stragglers::kLeastTime;

// Single slots of one queue that have ended so many jobs, all busy.
std::vector<WorkDone> Workers(const std::vector<std::uint64_t>& ended) {
  std::vector<WorkDone> workers;
  for (const std::uint64_t jobs : ended) workers.push_back({.ended = jobs, .busy = true});
  return workers;
}

TEST(Stragglers, AWorkerThatDoesLessThanHalfOfTheMedianIsOne) {
  Stragglers stragglers;
  stragglers.Judge(kBegin, 1, Workers({0, 0, 0, 0}));
  EXPECT_THAT(stragglers.Judge(kLater, 1, Workers({30, 14, 32, 15})),
              ElementsAre(false, true, false, false));
}

TEST(Stragglers, TheRuleIsSaidWithItsNumbers) {
  EXPECT_EQ(
      Stragglers::Rule(),
      "A busy worker is slow if, in 10 s or more, it has ended less than 50 % as many jobs a "
      "slot as the median of 3 or more busy workers of its queue, which has ended 20 or more.");
}

TEST(Stragglers, TheMedianIsTakenASlot) {
  Stragglers stragglers;
  std::vector<WorkDone> workers = Workers({0, 0, 0});
  workers[2].slots = 4;
  stragglers.Judge(kBegin, 1, workers);
  for (WorkDone& worker : workers) worker.ended = 40;
  EXPECT_THAT(stragglers.Judge(kLater, 1, workers), ElementsAre(false, false, true));
}

TEST(Stragglers, NobodyIsJudgedByTooFewJobsOrTooEarly) {
  Stragglers stragglers;
  stragglers.Judge(kBegin, 1, Workers({0, 0, 0}));
  EXPECT_THAT(stragglers.Judge(kLater, 1, Workers({19, 0, 19})), ElementsAre(false, false, false));
  EXPECT_THAT(stragglers.Judge(kLater + std::chrono::seconds(5), 1, Workers({20, 0, 20})),
              ElementsAre(false, true, false));
  Stragglers early;
  early.Judge(kBegin, 1, Workers({0, 0, 0}));
  EXPECT_THAT(early.Judge(kLater - Duration(1), 1, Workers({50, 0, 50})),
              ElementsAre(false, false, false));
}

TEST(Stragglers, TwoWorkersAreTooFewToTellWhichIsSlow) {
  Stragglers stragglers;
  stragglers.Judge(kBegin, 1, Workers({0, 0}));
  EXPECT_THAT(stragglers.Judge(kLater, 1, Workers({100, 1})), ElementsAre(false, false));
}

TEST(Stragglers, AnIdleWorkerIsNotSlow) {
  Stragglers stragglers;
  std::vector<WorkDone> workers = Workers({0, 0, 0, 0});
  workers[1].busy = false;
  stragglers.Judge(kBegin, 1, workers);
  workers = Workers({30, 0, 30, 30});
  EXPECT_THAT(stragglers.Judge(kLater, 1, workers), ElementsAre(false, false, false, false));
}

TEST(Stragglers, EachQueueHasItsOwnMedian) {
  Stragglers stragglers;
  std::vector<WorkDone> workers = Workers({0, 0, 0, 0, 0, 0});
  for (std::size_t i = 3; i < 6; ++i) workers[i].queue = 1;
  stragglers.Judge(kBegin, 1, workers);
  const std::uint64_t ended[] = {1000, 1000, 1000, 30, 10, 30};
  for (std::size_t i = 0; i < 6; ++i) workers[i].ended = ended[i];
  EXPECT_THAT(stragglers.Judge(kLater, 1, workers),
              ElementsAre(false, false, false, false, true, false));
}

TEST(Stragglers, AJudgementStandsUntilTheNextOneAndEndsWithTheSet) {
  Stragglers stragglers;
  stragglers.Judge(kBegin, 1, Workers({0, 0, 0}));
  stragglers.Judge(kLater, 1, Workers({40, 1, 40}));
  EXPECT_THAT(stragglers.Judge(kLater + std::chrono::seconds(1), 1, Workers({41, 5, 41})),
              ElementsAre(false, true, false));
  EXPECT_THAT(stragglers.Judge(kLater + Stragglers::kLeastTime, 1, Workers({80, 42, 80})),
              ElementsAre(false, false, false));
  stragglers.Judge(kLater + 2 * Stragglers::kLeastTime, 1, Workers({120, 43, 120}));
  EXPECT_THAT(stragglers.Judge(kLater + 3 * Stragglers::kLeastTime, 2, Workers({120, 43, 120})),
              ElementsAre(false, false, false));
}

}  // namespace
}  // namespace twofold::frontend
