#include "suites/table/table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "lib/suite/flags.h"
#include "lib/suite/plausible.h"
#include "tests/suites/samples.h"
#include "tests/support/one_word.h"
#include "tests/support/sanitized.h"

namespace twofold::suite {
namespace {

// One good sample of each suite, and the least that a spec has to say.
const std::map<std::string_view, std::pair<const char*, const char*>>& Examples() {
  static const std::map<std::string_view, std::pair<const char*, const char*>> examples = {
      {"fio", {"fio/worker0.json", "{}"}},
      {"gpu", {"gpu/compute.json", "{}"}},
      {"iperf", {"iperf/iperf3_tcp.json", "{}"}},
      {"lifecycle", {"lifecycle/jobs.json", R"({"kind": "job"})"}},
      {"media", {"media/ffmpeg_one.out", R"({"input": "clip.mp4"})"}},
      {"mpi-pingpong", {"mpi_pingpong/imb.txt", "{}"}},
      {"openfoam", {"openfoam/solve_two.txt", "{}"}},
      {"object-storage", {"object_storage/one.json", R"({"bucket": "b"})"}},
      {"osu", {"osu/osu_latency-np2.txt", "{}"}},
      {"pytorch", {"pytorch/resnet18.json", R"({"model": "resnet18"})"}},
      {"rdma-bandwidth", {"rdma/read_bw.txt", "{}"}},
      {"rdma-latency", {"rdma/write_lat.txt", "{}"}},
  };
  return examples;
}

TEST(Suites, EachOptionOfTheirProgramsTakesOneWord) {
  for (const Suite& suite : Suites()) {
    std::vector<std::unique_ptr<SpecFlags>> flags;
    test::ExpectOneWordEach(
        [&](CLI::App& app) { flags.push_back(std::make_unique<SpecFlags>(app, *suite.spec())); });
  }
}

TEST(Suites, AreFoundByNameAndKind) {
  EXPECT_EQ(SuiteNames(),
            "fio, gpu, iperf, lifecycle, media, mpi-pingpong, object-storage, openfoam, osu, "
            "pytorch, rdma-bandwidth, rdma-latency");
  for (const Suite& suite : Suites()) {
    EXPECT_EQ(FindSuite(suite.name), &suite);
    EXPECT_EQ(FindSuite(suite.kind), &suite);
    EXPECT_TRUE(Examples().contains(suite.name)) << suite.name;
  }
  EXPECT_EQ(FindSuite("linpack"), nullptr);
}

TEST(Suites, AreFoundByAListOfNames) {
  EXPECT_EQ(FindSuites("osu,mpi-pingpong"),
            (std::vector<const Suite*>{FindSuite("osu"), FindSuite("mpi-pingpong")}));
  EXPECT_EQ(FindSuites("fio").size(), 1U);
  EXPECT_TRUE(FindSuites("osu,linpack").empty());
  EXPECT_TRUE(FindSuites("osu,").empty());
  EXPECT_TRUE(FindSuites("").empty());
}

TEST(Suites, KnowHowTheirToolsSayTheirVersion) {
  EXPECT_STREQ(VersionArgument("/usr/bin/fio"), "--version");
  EXPECT_STREQ(VersionArgument("iperf"), "-v");
  EXPECT_STREQ(VersionArgument("/opt/bin/mpirun"), "--version");
  EXPECT_EQ(VersionArgument("/usr/bin/cat"), nullptr);
  EXPECT_EQ(VersionArgument("/usr/bin/"), nullptr);
}

TEST(Suites, SayWhoHasAProgramThatIsMissed) {
  EXPECT_EQ(
      NotInstalled("fio"),
      "fio is not installed, neither on PATH nor in a --suite-path; it is in Debian's package "
      "fio");
  EXPECT_EQ(NotInstalled("linpack"),
            "linpack is not installed, neither on PATH nor in a --suite-path");
  EXPECT_TRUE(TellsNotInstalled("prepare: " + NotInstalled("fio")));
  EXPECT_FALSE(TellsNotInstalled("fio: " + NotInstalled("libaio")));  // the tool's own words
  EXPECT_FALSE(TellsNotInstalled("prepare: its files take 9 TiB, and /tmp has 1 GiB free"));
}

TEST(Suites, KnowWhoHasEachProgramOfTheirPlans) {
  for (const Suite& suite : Suites()) {
    const char* spec = Examples().at(suite.name).second;
    const auto plan = suite.plan(spec, GangOf(*suite.check(spec)));
    for (const RankPlan& rank : plan->ranks) {
      for (const std::string& program : ProgramsOf(rank)) {
        if (program.find('/') != std::string::npos) continue;
        EXPECT_NE(NotInstalled(program).find("; it is in "), std::string::npos) << program;
      }
    }
  }
}

TEST(Suites, PlanForAsManyMembersAsCheckSays) {
  for (const Suite& suite : Suites()) {
    const char* spec = Examples().at(suite.name).second;
    const auto members = suite.check(spec);
    ASSERT_TRUE(members.ok()) << members.status();
    const auto plan = suite.plan(spec, GangOf(*members));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->ranks.size(), *members);
    EXPECT_FALSE(suite.plan(spec, GangOf(*members + 1)).ok()) << suite.name;
  }
}

TEST(Suites, UnknownFieldsAreNamed) {
  for (const Suite& suite : Suites()) {
    const auto members = suite.check(R"({"speling": 1})");
    ASSERT_FALSE(members.ok()) << suite.name;
    EXPECT_NE(std::string(members.status().message()).find("speling"), std::string::npos)
        << members.status();
  }
}

// Further forms in which the tools print.
const std::multimap<std::string_view, const char*>& OtherForms() {
  static const std::multimap<std::string_view, const char*> forms = {
      {"fio", "fio/forms_two.txt"},
      {"fio", "fio/forms_group.terse"},
      {"gpu", "gpu/mixed.json"},
      {"gpu", "gpu/transfer.json"},
      {"iperf", "iperf/iperf3_text_two.txt"},
      {"iperf", "iperf/iperf2_enhanced_two.txt"},
      {"iperf", "iperf/iperf2_csv_two.txt"},
      {"lifecycle", "lifecycle/refused.json"},
      {"mpi-pingpong", "mpi_pingpong/imb_many.txt"},
      {"mpi-pingpong", "mpi_pingpong/netpipe.txt"},
      {"osu", "osu/osu_alltoallv-np3.txt"},
      {"pytorch", "pytorch/torchbench_alexnet.out"},
  };
  return forms;
}

/// All samples, by suite.
std::multimap<std::string_view, const char*> AllSamples() {
  auto samples = OtherForms();
  for (const auto& [suite, example] : Examples()) samples.emplace(suite, example.first);
  return samples;
}

TEST(Suites, OutputOfAnotherToolIsNoNumber) {
  for (const Suite& suite : Suites()) {
    for (const auto& [other, sample] : AllSamples()) {
      const auto result = suite.parse(EndedWell(sample));
      EXPECT_EQ(result.ok(), suite.name == other)
          << suite.name << " reads " << sample << ": " << result.status();
    }
  }
}

TEST(Suites, NoOutputIsNoNumber) {
  for (const Suite& suite : Suites()) {
    for (const char* text : {"", "\n\n", "{}", "{\"error\": 1}", "# \n", "\0\xff\xfe"}) {
      const auto result = suite.parse(SavedText(text));
      ASSERT_FALSE(result.ok()) << suite.name << ": " << text;
      EXPECT_FALSE(result.status().message().empty());
    }
    EXPECT_FALSE(suite.parse({}).ok());
  }
}

TEST(Suites, OfGarbledOutputNoNumberGetsOutThatTheRulesForbid) {
  std::mt19937 random(7);
  for (const auto& [name, file] : AllSamples()) {
    const Suite& suite = *FindSuite(name);
    const std::string sample = Sample(file);
    for (std::uint64_t round = 0; round < Fewer(750); ++round) {
      std::string text = sample;
      for (int flips = 0; flips < 3; ++flips) {
        text[random() % text.size()] = static_cast<char>(random());
      }
      text.insert(random() % text.size(), "e308");
      const auto result = suite.parse(SavedText(text));
      EXPECT_EQ(result.ok() ? FirstFault(*result) : "", "") << file << " round " << round;
    }
  }
}

}  // namespace
}  // namespace twofold::suite
