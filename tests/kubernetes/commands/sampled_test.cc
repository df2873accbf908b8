#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "tests/kubernetes/lifecycle/golden.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::cli {
namespace {

using lifecycle::ExpectGolden;
using lifecycle::GoldenPath;
using lifecycle::GoldenText;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

/// "twofold lifecycle sampled ..."
Ran Sampled(std::vector<std::string> words) {
  words.insert(words.begin(), {"twofold", "lifecycle", "sampled"});
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  AddCommands(app, LifecycleCommands(), globals, chosen);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
  const Status status = code ? Status() : chosen();
  Ran ran{code ? *code : ExitCode(status), testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
  ran.err += std::string(status.message());
  return ran;
}

bool Has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(SampledCommand, PrintsTheTableAndWhatItCannotSay) {
  const Ran ran = Sampled({GoldenPath("runai")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ExpectGolden("runai/table.txt", ran.out);
  EXPECT_TRUE(Has(ran.err, "submitted and not sampled: 1, such as ")) << ran.err;
}

TEST(SampledCommand, JsonAndCsvAreThoseOfOutput) {
  const Ran json = Sampled({GoldenPath("runai"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["counts"]["workloads"], 39);
  EXPECT_EQ(json.out, Sampled({GoldenPath("runai"), "--output", "json"}).out);
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--csv"}).out,
            Sampled({GoldenPath("runai"), "--output", "csv"}).out);
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--csv", "--json"}).code, 2);
}

TEST(SampledCommand, WritesTimes) {
  const results::TempDir dir;
  const std::string path = dir.Path("times.csv");
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--times", path}).code, 0);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ExpectGolden("runai/times.csv", text);
  const Ran ran = Sampled({GoldenPath("runai"), "--times", dir.Path("none") + "/times.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(Has(ran.err, "--times: ")) << ran.err;
}

TEST(SampledCommand, DrawsPictures) {
  const results::TempDir dir;
  const std::string plots = dir.Path("a/b");
  const Ran ran = Sampled({GoldenPath("runai"), "--plots", plots, "--svg-only", "--head", "10"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* name : {"general", "detailed"}) {
    std::ifstream file(plots + "/" + name + ".svg");
    const std::string svg((std::istreambuf_iterator<char>(file)), {});
    EXPECT_TRUE(Has(svg, "10 workloads as the scale test tool has sampled them")) << name;
    EXPECT_FALSE(std::filesystem::exists(plots + "/" + name + ".png"));
  }
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--svg-only"}).code, 2);
}

/// With programs of that folder alone.
Ran SampledIn(const std::string& folder, const std::vector<std::string>& words) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.c_str(), 1);
  const Ran ran = Sampled(words);
  setenv("PATH", path.c_str(), 1);
  return ran;
}

TEST(SampledCommand, APngIsBesideEachSvg) {
  const results::TempDir dir;
  const std::string bin = std::filesystem::path(dir.Path("x")).parent_path().string();
  std::ofstream(dir.Path("rsvg-convert"))
      << "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'; exec /bin/cat\n";
  std::filesystem::permissions(dir.Path("rsvg-convert"), std::filesystem::perms::owner_all);
  const Ran ran = SampledIn(bin, {GoldenPath("runai"), "--plots", dir.Path("plots")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* name : {"general", "detailed"}) {
    std::ifstream png(dir.Path("plots") + "/" + name + ".png", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(png)), {});
    EXPECT_EQ(text.substr(1, 3), "PNG") << name;
    EXPECT_TRUE(Has(text, "</svg>")) << name;
  }
}

TEST(SampledCommand, WithoutAConverterThereAreSvgsAndAnError) {
  const results::TempDir dir;
  const Ran ran = SampledIn(dir.Path("none"), {GoldenPath("runai"), "--plots", dir.Path("plots")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(Has(ran.err, "librsvg2-bin")) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(dir.Path("plots") + "/detailed.svg"));
}

TEST(SampledCommand, AFolderThatCannotBeMadeIsKnownAtOnce) {
  const results::TempDir dir;
  std::ofstream(dir.Path("file")) << "x";
  const Ran ran = Sampled({GoldenPath("runai"), "--plots", dir.Path("file")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(Has(ran.err, "--plots: ")) << ran.err;
  EXPECT_TRUE(ran.out.empty());
}

TEST(SampledCommand, HeadTailAndSkippedErrorsChooseWorkloads) {
  const auto workloads = [](std::vector<std::string> words) {
    words.insert(words.begin(), GoldenPath("runai"));
    words.emplace_back("--json");
    return nlohmann::json::parse(Sampled(words).out)["counts"]["workloads"].get<int>();
  };
  EXPECT_EQ(workloads({"--head", "10"}), 10);
  EXPECT_EQ(workloads({"--head", "10", "--tail", "3"}), 3);
  EXPECT_EQ(workloads({"--skip-errors"}), 38);
}

TEST(SampledCommand, FailsIfAThresholdHolds) {
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--fail-if", "total_decision_mean>1m"}).code, 0);
  const Ran ran = Sampled({GoldenPath("runai"), "--fail-if", "not_sampled>0", "--fail-if",
                           "total_decision_mean>100ms"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(Has(ran.err, "not_sampled>0: it is 1")) << ran.err;
  EXPECT_TRUE(Has(ran.err, "total_decision_mean>100ms")) << ran.err;
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--fail-if", "decision"}).code, 2);
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--fail-if", "none_p99>1s"}).code, 2);
}

TEST(SampledCommand, AThresholdThatCannotBeJudgedHasACodeOfItsOwn) {
  const std::string limit = "total_decision_p99>1m";
  const Ran ran = Sampled({GoldenPath("runai"), "--skip-errors", "--fail-if", limit});
  EXPECT_EQ(ran.code, 9);
  EXPECT_TRUE(Has(ran.err, "and 368 are needed")) << ran.err;
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--skip-errors", "--fail-if", limit, "--lenient"}).code,
            0);
  EXPECT_EQ(Sampled({GoldenPath("runai"), "--fail-if", limit, "--fail-if", "not_sampled>0"}).code,
            1);
}

TEST(SampledCommand, NoDataIsAFailure) {
  const results::TempDir dir;
  for (const char* name : {"submitted.json", "sampled.json"}) {
    std::ofstream(dir.Path(name)) << "[]";
  }
  const Ran ran = Sampled({std::filesystem::path(dir.Path("x")).parent_path().string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(Has(ran.err, "no data")) << ran.err;
}

TEST(SampledCommand, MissingAndEmptyFilesAreNamed) {
  const Ran missing = Sampled({"/nonexistent"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(Has(missing.err, "/nonexistent/submitted.json: ")) << missing.err;
  const results::TempDir dir;
  for (const char* name : {"submitted.json", "sampled.json"}) std::ofstream{dir.Path(name)};
  const Ran empty = Sampled({std::filesystem::path(dir.Path("x")).parent_path().string()});
  EXPECT_EQ(empty.code, 2);
  EXPECT_TRUE(Has(empty.err, "submitted.json: no JSON list")) << empty.err;
}

}  // namespace
}  // namespace twofold::cli
