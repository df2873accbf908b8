#include "lib/words/word.h"

#include <gtest/gtest.h>

#include "lib/queue/types.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"

namespace twofold {
namespace {

TEST(Word, IsTheNameWithoutThatOfItsEnum) {
  EXPECT_EQ(Word(v1::BETTER_HIGHER), "higher");
  EXPECT_EQ(Word(v1::JOB_STATE_WAITING), "waiting");
  EXPECT_EQ(Word(v1::WAIT_REASON_NO_SUITABLE_WORKER), "no_suitable_worker");
}

TEST(Word, OfANumberThatIsNotThereIsUnknown) {
  EXPECT_EQ(Word(static_cast<v1::Outcome>(99)), "unknown");
}

TEST(Word, IsFoundAgain) {
  EXPECT_EQ(FindWord(*v1::Better_descriptor(), "lower")->number(), v1::BETTER_LOWER);
  EXPECT_EQ(FindWord(*v1::Better_descriptor(), "LOWER"), nullptr);
}

// The core may not know the contract, so it has words of its own for them.
TEST(Word, OutcomesOfTheCoreHaveThoseOfTheContract) {
  for (int i = 0; i < queue::kOutcomes; ++i) {
    EXPECT_EQ(Word(static_cast<v1::Outcome>(i + 1)), queue::Name(static_cast<queue::Outcome>(i)));
  }
  EXPECT_EQ(v1::Outcome_ARRAYSIZE, queue::kOutcomes + 1);
}

}  // namespace
}  // namespace twofold
