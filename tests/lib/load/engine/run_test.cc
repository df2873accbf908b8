#include "lib/load/engine/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lib/common/mutex.h"
#include "tests/fakes/fake_frontend.h"

namespace twofold::load {
namespace {

using fakes::FakeFrontend;
using fakes::Hold;
using fakes::Succeed;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

RunOptions Options(const FakeFrontend& frontend, Profile profile) {
  RunOptions options;
  options.frontend = frontend.address();
  options.job.options.set_queue("sleep");
  options.profile = std::move(profile);
  options.warm_up = Duration(0);
  options.drain = milliseconds(100);
  return options;
}

TEST(Run, EndsWithItsProfileAndIsWrittenDown) {
  const FakeFrontend frontend(Succeed());
  load::Run run(Options(frontend, RateProfile(200, Arrivals::kConstant, 1, 5)));
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.Wait(seconds(20)));
  EXPECT_TRUE(run.Look().warm);
  const std::optional<v1::LoadRecord> record = run.Finish();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->queue(), "sleep");
  EXPECT_EQ(record->seed(), "5");
  EXPECT_EQ(record->ended_because(), "duration");
  EXPECT_EQ(record->origin().frontend(), frontend.address());
  EXPECT_NEAR(record->seconds(), 1, 1e-6);
  EXPECT_EQ(record->result().submitted(), 200U);
  EXPECT_EQ(record->result().from_plan().count(), 200U);
  EXPECT_GE(record->result().from_plan().max(), record->result().from_send().max());
  EXPECT_EQ(record->jobs_size(), static_cast<int>(record->result().succeeded()));
}

TEST(Run, EndsOnceSoManyJobsHaveEnded) {
  const FakeFrontend frontend(Succeed());
  RunOptions options = Options(frontend, ParallelProfile(2, kForever));
  options.jobs = 10;
  load::Run run(options);
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.Wait(seconds(20)));
  const std::optional<v1::LoadRecord> record = run.Finish();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->ended_because(), "jobs");
  EXPECT_GE(record->result().succeeded(), 10U);
  EXPECT_EQ(record->result().late().count(), 0U);
}

TEST(Run, IsInterruptedWhenNobodyWaitsForItsEnd) {
  FakeFrontend frontend(Hold());
  load::Run run(Options(frontend, RateProfile(1000, Arrivals::kConstant, kForever, 1)));
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(frontend.Await([](std::uint64_t received, std::size_t) { return received > 10; }));
  EXPECT_FALSE(run.Wait(milliseconds(1)));
  const std::optional<v1::LoadRecord> record = run.Finish();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->ended_because(), "interrupted");
  EXPECT_GT(record->result().jobs().unanswered(), 10U);
  EXPECT_EQ(record->result().failed(), record->result().jobs().unanswered());
  EXPECT_THAT(record->errors(0).text(), HasSubstr("no answer"));
}

TEST(Run, WithoutAFrontendThereIsNoRecord) {
  RunOptions options;
  options.frontend = "127.0.0.1:1";  // nobody listens there
  options.profile = ParallelProfile(1, 1);
  load::Run run(options);
  ASSERT_TRUE(run.Start().ok());
  EXPECT_FALSE(run.Wait(milliseconds(1)));
  EXPECT_FALSE(run.Finish());
}

TEST(Run, KindsOfJobsCarryTheirOwnOptions) {
  Mutex mutex;
  std::map<std::string, int> priorities;
  const FakeFrontend frontend([&](const v1::JobOptions& options, std::string_view spec) {
    const MutexLock lock(mutex);
    priorities[std::string(spec)] = options.priority();
    return fakes::FakeEnd{};
  });
  RunOptions options = Options(frontend, {});
  const Result<Profile> profile =
      ParseProfile("f",
                   "stages: [{rate: 500, duration: 500ms}]\n"
                   "jobs: [{args: [a], priority: 3}, {args: [b], priority: -2}]",
                   options.job);
  ASSERT_TRUE(profile.ok()) << profile.status();
  options.profile = *profile;
  load::Run run(options);
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.Wait(seconds(20)));
  ASSERT_TRUE(run.Finish());
  const MutexLock lock(mutex);
  ASSERT_EQ(priorities.size(), 2U);
  for (const auto& [spec, priority] : priorities) {
    EXPECT_EQ(priority, spec.find('a') != std::string::npos ? 3 : -2) << spec;
  }
}

}  // namespace
}  // namespace twofold::load
