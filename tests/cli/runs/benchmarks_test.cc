#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using testing::HasSubstr;

class BenchmarkCommandTest : public testing::Test {
 protected:
  BenchmarkCommandTest() {
    std::string pattern = testing::TempDir() + "expandXXXXXX";
    folder_ = mkdtemp(pattern.data());
    path = folder_ / "f.yaml";
  }
  ~BenchmarkCommandTest() override { std::filesystem::remove_all(folder_); }

  /// Writes a file: the template's kind and spec, and what stands beside it.
  void Write(const std::string& kind, const std::string& spec, const std::string& rest) {
    std::ofstream(path) << "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\n"
                        << "spec:\n  template: {kind: " << kind << ", spec: {" << spec << "}}\n"
                        << rest;
  }

  /// The exit code of "twofold expand ...", or of another command.
  int Run(std::vector<std::string> words, const std::string& command = "expand") {
    words.insert(words.begin(), {"twofold", command});
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    AddCommands(app, BenchmarkCommands(), globals, chosen);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
    const Status status = code ? Status() : chosen();
    output = testing::internal::GetCapturedStdout();
    message = std::string(status.message());
    return code ? *code : ExitCode(status);
  }

  std::filesystem::path path;
  std::string output;
  std::string message;

 private:
  std::filesystem::path folder_;
};

TEST_F(BenchmarkCommandTest, ListsTheJobsAndTheCounts) {
  Write("IPerf", "duration: 5, hostNetwork: true",
        "  permutations: {product: {streams: [1, 16]}}\n  repetitions: 2\n");
  EXPECT_EQ(Run({path}), 0);
  EXPECT_EQ(output,
            "JOB    PERMUTATION  REPETITION  WORKERS  streams\n"
            "set-1            1           1        2        1\n"
            "set-2            1           2        2        1\n"
            "set-3            2           1        2       16\n"
            "set-4            2           2        2       16\n"
            "4 jobs of IPerf: 2 permutations x 2 repetitions\n"
            "workers need: hostNetwork=true\n");
}

TEST_F(BenchmarkCommandTest, SaysWhatIsSampledWarmedUpAndRepeated) {
  Write("IPerf", "duration: 5",
        "  permutations: {product: {streams: [1, 2, 3]}}\n  warmup: 1\n  sample: {count: 1}\n"
        "  until: {relativeInterval: 2.5%, max: 30}\n");
  EXPECT_EQ(Run({path}), 0);
  EXPECT_THAT(output, HasSubstr("set-01"));  // room for the 31 that it may come to
  EXPECT_THAT(output, HasSubstr("warm-up 1"));
  EXPECT_THAT(output,
              HasSubstr("9 jobs of IPerf: 1 permutation (of 3) x (1 warm-up + 8 repetitions)\n"
                        "repeated until the headline is known to +- 2.5 %, at most 31 jobs\n"));
}

TEST_F(BenchmarkCommandTest, LabelsThatDifferAreAColumn) {
  Write("MPIPingPong", "", "  permutations: {explicit: [{mtu: 1500}, {mtu: 9000}]}\n");
  EXPECT_EQ(Run({path}), 0);
  EXPECT_THAT(output, HasSubstr("WORKERS NEED\n"));
  EXPECT_THAT(output, HasSubstr("9000  mtu=9000\n"));
  EXPECT_THAT(output, testing::Not(HasSubstr("workers need:")));
}

TEST_F(BenchmarkCommandTest, NodesComeFromTheCommandLine) {
  Write("IPerf", "duration: 5, streams: 1", "  nodes: {select: ['a*'], combinations: 2}\n");
  EXPECT_EQ(Run({path, "--nodes", "a1,b1,a2"}), 0);
  EXPECT_THAT(output, HasSubstr(R"(["a1","a2"])"));
  EXPECT_EQ(Run({path}), 2);
  EXPECT_THAT(message, HasSubstr("'a*' is a pattern"));
}

TEST_F(BenchmarkCommandTest, WhatOnlyTheSuiteKnowsIsCheckedToo) {
  Write("IPerf", "bidirectional: true", "  permutations: {product: {reverse: [false, true]}}\n");
  EXPECT_EQ(Run({path}), 2);
  EXPECT_EQ(message, path.string() +
                         ":6:45: reverse: not together with bidirectional: leave out one "
                         "(permutation 2: reverse=true)");
}

TEST_F(BenchmarkCommandTest, TextThatCouldMisleadIsQuoted) {
  Write("IPerf", "streams: 1",
        R"(  permutations: {explicit: [{networkName: "two words"}, {networkName: "\e[31mred"}]})"
        "\n");
  EXPECT_EQ(Run({path}), 0);
  EXPECT_THAT(output, HasSubstr(R"("two words")"));
  EXPECT_THAT(output, HasSubstr(R"("\u001b[31mred")"));
}

TEST_F(BenchmarkCommandTest, JsonHasItAll) {
  Write("IPerf", "duration: 5, mtu: 9000",
        "  permutations: {product: {streams: [8]}}\n  warmup: 1\n");
  EXPECT_EQ(Run({path, "--output", "json"}), 0);
  EXPECT_EQ(output, R"({"name":"set","kind":"IPerf","suite":"iperf",)"
                    R"("all_permutations":1,"most_jobs":2,"permutations":[{"number":1,)"
                    R"("values":{"streams":8},"spec":{"duration":5,"streams":8},)"
                    R"("labels":{"mtu":"9000"},"workers":2,"nodes":[]}],"jobs":[)"
                    R"({"index":1,"name":"set-1","permutation":1,"repetition":1,"warm_up":true},)"
                    R"({"index":2,"name":"set-2","permutation":1,"repetition":1,"warm_up":false}]})"
                    "\n");
}

TEST_F(BenchmarkCommandTest, WhatIsWrongIsOneLineAndWrongUsage) {
  Write("IPerf", "duration: 5, streams: none", "");
  EXPECT_EQ(Run({path}), 2);
  EXPECT_EQ(message, path.string() + ":5:56: streams: must be a whole number, is 'none' " +
                         "(permutation 1)");
  EXPECT_EQ(Run({path.string() + ".missing"}), 2);
  EXPECT_THAT(message, HasSubstr("cannot read"));
  EXPECT_EQ(Run({path.parent_path()}), 2);
  EXPECT_EQ(Run({"/dev/zero"}), 2);
  EXPECT_NE(Run({}), 0);
}

TEST_F(BenchmarkCommandTest, KindsAreListedWithTheirFields) {
  EXPECT_EQ(Run({}, "kinds"), 0);
  EXPECT_THAT(output, testing::ContainsRegex("\nOSU +osu +ranks / ranksPerNode  OSU micro-"));
  EXPECT_EQ(Run({"IPerf"}, "kinds"), 0);
  EXPECT_THAT(output,
              testing::ContainsRegex("\nduration +whole number 1\\.\\.86400 +10 +s +suite +how"));
  EXPECT_THAT(output, testing::ContainsRegex("\ntool +iperf3 \\| iperf2 +iperf3 +- +suite +"));
  EXPECT_EQ(Run({"BenchmarkSet"}, "kinds"), 0);
  EXPECT_THAT(output, HasSubstr("\nuntil.relativeInterval "));
  EXPECT_EQ(Run({"iperf"}, "kinds"), 2);
  EXPECT_THAT(message, HasSubstr("did you mean 'IPerf'?"));
  EXPECT_EQ(Run({"PyTorch", "--output", "json"}, "kinds"), 0);
  EXPECT_EQ(Json::parse(output).at(3).at("type"), "whole number 2..1048576, by 2");
}

}  // namespace
}  // namespace twofold::cli
