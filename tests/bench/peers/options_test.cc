#include "bench/peers/options.h"

#include <gtest/gtest.h>

#include "lib/common/options.h"

namespace twofold::bench {
namespace {

struct Parsed {
  std::optional<int> exit_code;
  Options options;
};

Parsed Parse(std::vector<const char*> words) {
  Parsed parsed;
  CLI::App app;
  Declare(app, parsed.options);
  words.insert(words.begin(), "bench_peers");
  parsed.exit_code = ParseCommandLine(app, static_cast<int>(words.size()), words.data());
  return parsed;
}

TEST(Options, SeriesHasTheShapesOfTheTable) {
  const auto [code, options] = Parse({"series"});
  EXPECT_FALSE(code);
  EXPECT_EQ(options.command, Command::kSeries);
  EXPECT_EQ(options.plan.shapes.size(), 5U);
  EXPECT_EQ(options.plan.shapes.back(), (Shape{8, 1024}));
  EXPECT_EQ(options.passes, 5);
}

TEST(Options, ListsAreSeparatedByCommas) {
  const auto [code, options] =
      Parse({"series", "--peers", "redis,nats", "--tests", "idle,open-loop", "--shapes", "1:2,3:4",
             "--payloads", "16,1024", "--takes", "64,256"});
  ASSERT_FALSE(code);
  EXPECT_EQ(options.peers, (std::vector<std::string>{"redis", "nats"}));
  EXPECT_EQ(options.plan.tests, (std::vector{TestKind::kIdle, TestKind::kOpenLoop}));
  EXPECT_EQ(options.plan.shapes, (std::vector<Shape>{{1, 2}, {3, 4}}));
  EXPECT_EQ(options.plan.payloads, (std::vector{16, 1024}));
  EXPECT_EQ(options.plan.takes, (std::vector{64, 256}));
}

TEST(Options, RefusesWhatCannotBeMeasured) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {},
           {"fly"},
           {"series", "--shapes", "8"},
           {"series", "--shapes", "0:1"},
           {"series", "--tests", "sleep"},
           {"series", "--payloads", "8"},
           {"series", "--rate", "0"},
           {"series", "--seconds", "0"},
           {"serve", "redis", "1"},
           {"report"},
       }) {
    EXPECT_EQ(Parse(words).exit_code, kExitUsage);
  }
}

TEST(Options, MeasureTakesACellAsOneWord) {
  const auto [code, options] = Parse({"measure", "1,redis,idle", "--ports=1,2,3", "--server=9",
                                      "--directory=/tmp/x", "--seconds=0.3"});
  ASSERT_FALSE(code);
  EXPECT_EQ(options.command, Command::kMeasure);
  EXPECT_EQ(options.cell, "1,redis,idle");
  EXPECT_EQ(options.ports, (std::vector{1, 2, 3}));
  EXPECT_EQ(options.seconds, 0.3);
}

}  // namespace
}  // namespace twofold::bench
