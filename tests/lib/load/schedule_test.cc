#include "lib/load/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lib/common/file.h"

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Profile Read(const std::string& text) {
  const Result<Profile> profile = ParseProfile("load.yaml", text, {});
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *profile : ParallelProfile(0, 1);
}

std::string Refused(const std::string& text) {
  const Result<Profile> profile = ParseProfile("load.yaml", text, {});
  return profile.ok() ? "it was taken" : std::string(profile.status().message());
}

std::vector<double> DueTimes(const Profile& profile) {
  Schedule schedule(std::make_shared<const Profile>(profile));
  std::vector<double> times;
  while (schedule.NextDue()) times.push_back(ToSeconds(schedule.Take().due));
  return times;
}

TEST(Schedule, AConstantRateIsExactlySpaced) {
  const std::vector<double> times = DueTimes(RateProfile(1000, Arrivals::kConstant, 100, 1));
  ASSERT_EQ(times.size(), 100'000U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_NEAR(times[i], 0.001 * static_cast<double>(i), 2e-9);
  }
}

TEST(Schedule, ARampIsTheInverseOfItsIntegral) {
  // The integral of 0 to 100 jobs/s in 10 s is 5 t^2.
  const std::vector<double> times = DueTimes(Read("stages: [{rate: 0, to: 100, duration: 10s}]"));
  ASSERT_EQ(times.size(), 500U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_NEAR(times[i], std::sqrt(static_cast<double>(i) / 5), 1e-8) << i;
  }
}

TEST(Schedule, ASineKeepsItsIntegral) {
  const std::vector<double> times =
      DueTimes(Read("stages: [{rate: 50, sine: {amplitude: 50, period: 2s}, duration: 4s}]"));
  ASSERT_EQ(times.size(), 200U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i];
    const double planned = 50 * t + 50 / std::numbers::pi * (1 - std::cos(std::numbers::pi * t));
    ASSERT_NEAR(planned, static_cast<double>(i), 1e-5) << t;
  }
}

TEST(Schedule, BurstsHoldTheirJobs) {
  const std::vector<double> times = DueTimes(
      Read("stages: [{rate: 0, burst: {rate: 500, every: 1s, length: 100ms}, duration: 3s}]"));
  ASSERT_EQ(times.size(), 150U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double burst = std::floor(static_cast<double>(i) / 50);
    ASSERT_NEAR(times[i], burst + 0.002 * (static_cast<double>(i) - 50 * burst), 1e-7) << i;
  }
}

TEST(Schedule, PartsOfAJobGoOnInTheNextStage) {
  // Half a job is left of the first stage: the second begins with the other half.
  EXPECT_THAT(DueTimes(Read("stages: [{rate: 1, duration: 1500ms}, {rate: 1, duration: 2s}]")),
              ElementsAre(testing::DoubleNear(0, 1e-9), testing::DoubleNear(1, 1e-9),
                          testing::DoubleNear(2, 1e-9), testing::DoubleNear(3, 1e-9)));
}

TEST(Schedule, PoissonArrivalsHaveTheirMeanAndTheirScatter) {
  const std::vector<double> times = DueTimes(RateProfile(1000, Arrivals::kPoisson, 100, 7));
  EXPECT_NEAR(static_cast<double>(times.size()), 100'000, 5 * std::sqrt(100'000));
  double squares = 0;
  for (std::size_t i = 1; i < times.size(); ++i) squares += std::pow(times[i] - times[i - 1], 2);
  // The second moment of an exponential distribution is 2 / rate^2.
  EXPECT_NEAR(squares / static_cast<double>(times.size() - 1), 2e-6, 5e-8);
}

TEST(Schedule, TheSameSeedGivesTheSameArrivals) {
  const auto with = [](std::uint64_t seed) {
    return DueTimes(RateProfile(100, Arrivals::kPoisson, 10, seed));
  };
  EXPECT_EQ(with(3), with(3));
  EXPECT_NE(with(3), with(4));
}

TEST(Schedule, AMixIsDrawnByWeightAndMovesNoArrival) {
  const std::string load = "arrivals: poisson\nstages: [{rate: 1000, duration: 10s}]\n";
  const Profile mixed = Read(load + "jobs: [{weight: 3, args: [a]}, {weight: 1, args: [b]}]");
  Schedule schedule(std::make_shared<const Profile>(mixed));
  std::array<double, 2> drawn{};
  while (schedule.NextDue()) drawn[schedule.Take().kind] += 1;
  EXPECT_NEAR(drawn[0] / (drawn[0] + drawn[1]), 0.75, 0.02);
  EXPECT_EQ(DueTimes(mixed), DueTimes(Read(load)));
}

TEST(Schedule, ATraceIsPlayedAsItWasRecorded) {
  const auto trace = [](const std::string&) { return Result<std::string>("0.5\n0.5\n# x\n2\n"); };
  const Result<Profile> profile =
      ParseProfile("f", "stages: [{trace: t, speed: 2}, {rate: 1, duration: 1s}]", {}, {}, trace);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_THAT(DueTimes(*profile), ElementsAre(0.25, 0.25, 1.0, testing::DoubleNear(1, 1e-6)));
}

TEST(Schedule, ParallelismFollowsItsRamp) {
  const Schedule schedule(
      std::make_shared<const Profile>(Read("stages: [{parallel: 0, to: 4, duration: 4s}]")));
  EXPECT_EQ(schedule.Parallelism(Duration(0)), 0U);
  EXPECT_EQ(schedule.Parallelism(milliseconds(499)), 0U);
  EXPECT_EQ(schedule.Parallelism(milliseconds(501)), 1U);
  EXPECT_NEAR(ToSeconds(*schedule.NextChange(Duration(0))), 0.5, 1e-6);
  EXPECT_EQ(schedule.Parallelism(seconds(4)), 0U);
  EXPECT_FALSE(schedule.NextChange(seconds(4)));
}

TEST(Profile, StepsAndRepetitionsAreWrittenOut) {
  const Profile profile = Read("repeat: 2\nstages: [{rate: 10, to: 30, steps: 3, duration: 30s}]");
  ASSERT_EQ(profile.stages.size(), 6U);
  EXPECT_EQ(profile.stages[1].name, "rate 20 /s, 10 s");
  EXPECT_EQ(profile.stages[5].from, 30.0);
  EXPECT_EQ(profile.seconds(), 60.0);
}

TEST(Profile, TheExampleOfThePageIsTaken) {
  const Result<std::string> text = ReadFile(TWOFOLD_SOURCE "/docs/load-shapes.yaml", 1 << 16);
  ASSERT_TRUE(text.ok()) << text.status();
  const Profile profile = Read(*text);
  EXPECT_EQ(profile.stages.size(), 18U);
  EXPECT_EQ(profile.jobs.size(), 2U);
  EXPECT_NEAR(profile.seconds(), 9, 1e-9);
  const Result<std::string> page = ReadFile(TWOFOLD_SOURCE "/docs/load.md", 1 << 20);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr(text->substr(text->find('\n') + 1)));
}

TEST(Profile, OwnTextsAreReadAgain) {
  const Profile rate = RateProfile(12.5, Arrivals::kPoisson, 3, 9);
  EXPECT_EQ(DueTimes(Read(rate.text)), DueTimes(rate));
  EXPECT_EQ(Read(ParallelProfile(7, 2).text).stages[0].from, 7.0);
}

TEST(Profile, ErrorsNameTheLineAndTheField) {
  EXPECT_EQ(Refused("stages:\n  - rate: 5\n    duraton: 3s\n"),
            "load.yaml:3:5: stages[0].duraton: no such field; did you mean 'duration'?");
  EXPECT_EQ(Refused("stages:\n  - rate: 5\n"),
            "load.yaml:2:5: stages[0].duration: must be more than 0");
  EXPECT_EQ(Refused("stages: [{rate: 5, parallel: 3, duration: 1s}]"),
            "load.yaml:1:10: stages[0]: needs one of parallel, rate and trace");
  EXPECT_THAT(Refused("stages: [{rate: 5, sine: {amplitude: 6, period: 1s}, duration: 1s}]"),
              HasSubstr("stages[0].sine.amplitude: is more than the rate"));
  EXPECT_THAT(Refused("repeat: 300\nstages: [{rate: 5, duration: 1s}]"),
              HasSubstr("repeat: at most 200 stages"));
  EXPECT_THAT(Refused("stages: [{trace: /etc/passwd}]"),
              HasSubstr("a trace can be read from a file at the start only"));
  EXPECT_THAT(Refused("jobs: [{weight: 0}]\nstages: [{rate: 5, duration: 1s}]"),
              HasSubstr("jobs[0].weight: must be more than 0"));
}

}  // namespace
}  // namespace twofold::load
