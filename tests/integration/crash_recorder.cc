#include "tests/integration/crash_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace twofold::testing {

void CrashRecorder::Submitted(const std::string& run, const v1::JobOptions& options) {
  submitted_.emplace(run, options);
}

void CrashRecorder::Accepted(const std::string& run, std::uint64_t job) {
  EXPECT_TRUE(accepted_.emplace(run, job).second) << run << " was accepted twice";
  EXPECT_TRUE(ids_.insert(job).second) << "id " << job << " was given out twice";
  jobs_.push_back(job);
}

void CrashRecorder::Told(std::uint64_t job, const End& end) {
  const auto [known, is_new] = told_.emplace(job, end);
  if (is_new) return;
  EXPECT_EQ(known->second.outcome, end.outcome) << "job " << job << " has ended in two ways";
  if (!known->second.attempts) known->second.attempts = end.attempts;
  if (!end.attempts) return;
  EXPECT_EQ(known->second.attempts, end.attempts) << "job " << job << " has ended twice";
}

void CrashRecorder::Ran(std::uint64_t job, std::uint32_t attempt, std::uint32_t rank) {
  EXPECT_TRUE(ran_.insert({job, attempt, rank}).second)
      << "attempt " << attempt << " of job " << job << " was started twice";
}

bool CrashRecorder::AllIn(const std::vector<v1::Job>& finished) const {
  std::set<std::string> runs;
  for (const v1::Job& job : finished) runs.insert(job.run());
  return std::all_of(accepted_.begin(), accepted_.end(),
                     [&](const auto& accepted) { return runs.contains(accepted.first); });
}

void CrashRecorder::Check(const std::vector<v1::Job>& finished) const {
  std::map<std::string, std::uint64_t> by_run;
  for (const v1::Job& job : finished) {
    EXPECT_TRUE(by_run.emplace(job.run(), job.id()).second) << job.run() << " is there twice";
    ASSERT_TRUE(submitted_.contains(job.run())) << "nobody submitted " << job.ShortDebugString();
    CheckEnd(job);
  }
  for (const auto& [run, job] : accepted_) {
    ASSERT_TRUE(by_run.contains(run)) << "accepted and gone: " << run << ", job " << job;
    EXPECT_EQ(by_run.at(run), job) << run;
  }
}

bool CrashRecorder::WasRefused(const v1::Job& job) const {
  return job.outcome() == v1::OUTCOME_CANCELLED && !accepted_.contains(job.run());
}

void CrashRecorder::CheckEnd(const v1::Job& job) const {
  const std::string text = job.ShortDebugString();
  const auto most = std::max(submitted_.at(job.run()).max_attempts(), 1U);
  ASSERT_EQ(job.state(), v1::JOB_STATE_FINISHED) << text;
  // An attempt that never got to its worker has a number, but does not count.
  const bool as_it_should =
      job.outcome() == v1::OUTCOME_SUCCEEDED ||
      (job.outcome() == v1::OUTCOME_LOST && job.attempts() >= most) ||
      (job.outcome() == v1::OUTCOME_CANCELLED && cancels_.contains(job.id())) || WasRefused(job);
  EXPECT_TRUE(as_it_should) << text;
  if (const auto told = told_.find(job.id()); told != told_.end()) {
    EXPECT_EQ(told->second.outcome, job.outcome()) << "told otherwise before: " << text;
    EXPECT_EQ(told->second.attempts.value_or(job.attempts()), job.attempts()) << text;
  }
  const auto first = ran_.lower_bound({job.id()});
  const auto end = ran_.upper_bound({job.id(), ~std::uint64_t{0}});
  if (first == end) return;
  EXPECT_LE((*std::prev(end))[1], job.attempts()) << "has run with a later number: " << text;
  if (job.gang_size() > 1) return;  // a member may have begun beside one that never got its part
  EXPECT_LE(std::distance(first, end), most) << "ran more often than it may: " << text;
}

std::string CrashRecorder::Summary() const {
  std::ostringstream text;
  text << submitted_.size() << " jobs submitted, " << accepted_.size() << " accepted, "
       << told_.size() << " ends told, " << ran_.size() << " runs witnessed";
  return text.str();
}

}  // namespace twofold::testing
