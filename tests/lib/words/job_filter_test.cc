#include "lib/words/job_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(JobFilter, EachWordIsAStateOrAnOutcome) {
  const std::vector<std::string> words = JobFilterWords();
  EXPECT_THAT(words, ElementsAre("waiting", "running", "finished", "succeeded", "failed",
                                 "timed_out", "cancelled", "lost", "rejected", "abandoned"));
  v1::ListJobsRequest request;
  for (const std::string& word : words) EXPECT_TRUE(AddToFilter(word, request).ok()) << word;
  EXPECT_EQ(request.states_size() + request.outcomes_size(), static_cast<int>(words.size()));
  EXPECT_EQ(request.states(0), v1::JOB_STATE_WAITING);
  EXPECT_EQ(request.outcomes(2), v1::OUTCOME_TIMED_OUT);
}

TEST(JobFilter, WhatIsNoWordIsNamedWithThoseThatAre) {
  v1::ListJobsRequest request;
  for (const char* word : {"", "unspecified", "Waiting", "failed "}) {
    const Status status = AddToFilter(word, request);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << word;
    EXPECT_THAT(status.message(), HasSubstr("waiting, running, finished, succeeded")) << word;
  }
  EXPECT_EQ(request.ByteSizeLong(), 0U);
}

}  // namespace
}  // namespace twofold
