#include "backend/agent/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "lib/common/options.h"
#include "suites/table/workload.h"
#include "tests/backend/temp_dir.h"
#include "tests/support/one_word.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Parsed {
  Options options;
  std::optional<int> exit_code;
  std::string error;
};

Parsed Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "twofold-backend");
  Parsed parsed;
  ::testing::internal::CaptureStderr();
  parsed.exit_code =
      ParseOptions(static_cast<int>(arguments.size()), arguments.data(), parsed.options);
  parsed.error = ::testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(ParseOptions, WorkloadIsTakenAsItStands) {
  const Parsed parsed =
      Parse({"-slots", "5", "--", "/bin/x", "-map", "[out]", "--slots", "--", "a,b"});
  EXPECT_EQ(parsed.exit_code, std::nullopt);
  EXPECT_EQ(parsed.options.agent.slots, 5u);
  EXPECT_THAT(parsed.options.workload.argv,
              ElementsAre("/bin/x", "-map", "[out]", "--slots", "--", "a,b"));
}

TEST(ParseOptions, SelfFenceIsOffUnlessAskedFor) {
  EXPECT_EQ(Parse({"--", "sleep"}).options.agent.self_fence, SelfFence::kOff);
  EXPECT_EQ(Parse({"--self-fence", "durable", "--", "sleep"}).options.agent.self_fence,
            SelfFence::kDurable);
  EXPECT_EQ(Parse({"--self-fence", "all", "--", "sleep"}).options.agent.self_fence,
            SelfFence::kAll);
}

TEST(ParseOptions, EachOptionTakesOneWord) {
  Options options;
  test::ExpectOneWordEach([&](CLI::App& app) { Declare(app, options); });
}

TEST(ParseOptions, BadValuesEndWithTwoAndNameTheOption) {
  struct Case {
    std::vector<const char*> arguments;
    const char* error;
  };
  const Case cases[] = {
      {{"--slots", "0"}, "--slots: '0'"},
      {{"--slots", "100001"}, "--slots: '100001'"},
      {{"--self-fence", "on"}, "--self-fence: on"},
      {{"--limit", "nan"}, "--limit: 'nan'"},
      {{"--limit", "-1"}, "--limit: '-1'"},
      {{"--backoff", "x"}, "--backoff: 'x'"},
      {{"--drain-limit", "inf"}, "--drain-limit: 'inf'"},
      {{"--queue", ""}, "--queue: ''"},
      {{"--frontend", "nowhere"}, "--frontend: 'nowhere' is not HOST:PORT"},
      {{"--ready-limit", "-1"}, "--ready-limit: '-1'"},
      {{"--label", "zone"}, "--label: 'zone' is not KEY=VALUE"},
      {{"--label", "=a"}, "--label: '=a' is not KEY=VALUE"},
      {{"--label", "a=b", "c=d"}, "c=d"},
      {{"--nonsense", "1"}, "--nonsense"},
      {{"--backoff-max", "1"}, "--backoff-max needs"},
      {{"--backoff", "2", "--backoff-max", "1"}, "--backoff-max is smaller"},
  };
  for (Case test : cases) {
    test.arguments.insert(test.arguments.end(), {"--", "sleep", "1"});
    const Parsed parsed = Parse(test.arguments);
    EXPECT_EQ(parsed.exit_code, kExitUsage) << test.error;
    EXPECT_THAT(parsed.error, HasSubstr(test.error));
    EXPECT_EQ(std::count(parsed.error.begin(), parsed.error.end(), '\n'), 1) << parsed.error;
  }
}

TEST(ParseOptions, NoWorkloadIsAnError) {
  EXPECT_EQ(Parse({}).exit_code, kExitUsage);
  EXPECT_THAT(Parse({"--"}).error, HasSubstr("no workload"));
}

TEST(PeersAddress, IsOnForBenchmarkSuitesOnlyUnlessItIsSaid) {
  const auto address = [](std::vector<const char*> arguments) {
    const Parsed parsed = Parse(std::move(arguments));
    EXPECT_FALSE(parsed.exit_code) << parsed.error;
    return PeersAddress(parsed.options);
  };
  EXPECT_EQ(address({"--", "sleep", "1"}), "");
  EXPECT_EQ(address({"--", "/bin/true"}), "");
  EXPECT_EQ(address({"--", "osu"}), ":0");
  EXPECT_EQ(address({"--peers-address", "off", "--", "osu"}), "");
  EXPECT_EQ(address({"--peers-address", "10.0.0.1:9995", "--", "/bin/true"}), "10.0.0.1:9995");
  EXPECT_THAT(Parse({"--peers-address", "9995", "--", "osu"}).error, HasSubstr("--peers-address"));
}

Options WithWorkload(std::vector<std::string> workload) {
  Options options;
  options.workload.argv = std::move(workload);
  return options;
}

TEST(Prepare, BackoffOfZeroLeavesAndGivesUp) {
  const Configuration configuration = Prepare(WithWorkload({"sleep", "1"})).value();
  EXPECT_TRUE(configuration.agent.leave_when_empty);
  EXPECT_GT(configuration.agent.link.give_up, Duration::zero());
}

TEST(Prepare, BackoffIsTheFirstPauseAndWithoutMaxTheLongest) {
  Options options = WithWorkload({"sleep", "1"});
  options.backoff = 2;
  const Configuration configuration = Prepare(options).value();
  EXPECT_FALSE(configuration.agent.leave_when_empty);
  EXPECT_EQ(configuration.agent.link.give_up, Duration::zero());
  EXPECT_EQ(configuration.agent.link.pause, std::chrono::seconds(2));
  EXPECT_EQ(configuration.agent.link.pause_max, std::chrono::seconds(2));
  options.backoff_max = 8;
  EXPECT_EQ(Prepare(options)->agent.link.pause_max, std::chrono::seconds(8));
}

TEST(Prepare, GlobReplacesFilenameAndNamesTheDevice) {
  const TempDir dir;
  for (const char* name : {"renderD129", "renderD128", "card0"}) dir.Write(name, "");
  Options options = WithWorkload({"/bin/echo", "-i", "dev=FILENAME"});
  options.glob = dir.Path("renderD*");
  const Configuration configuration = Prepare(options).value();
  EXPECT_THAT(configuration.workload.argv,
              ElementsAre("/bin/echo", "-i", "dev=" + dir.Path("renderD128")));
  EXPECT_EQ(configuration.agent.device, "renderD128");
}

TEST(Prepare, GlobWithoutMatchSaysWhichPattern) {
  Options options = WithWorkload({"/bin/echo"});
  options.glob = "/no/such/*";
  EXPECT_EQ(Prepare(options).status().message(), "--glob: nothing matches '/no/such/*'");
}

TEST(ReplaceFilename, ReplacesEachAlsoInsideAnArgument) {
  EXPECT_EQ(ReplaceFilename("-i=FILENAME:FILENAME", "a.mp4"), "-i=a.mp4:a.mp4");
  EXPECT_EQ(ReplaceFilename("filename", "a.mp4"), "filename");
}

TEST(Prepare, NamesComeFromTheEnvironmentElseFromTheHost) {
  setenv("TWOFOLD_TEST_NODE", "node-7", 1);
  unsetenv("TWOFOLD_TEST_POD");
  Options options = WithWorkload({"sleep", "1"});
  options.node_env = "TWOFOLD_TEST_NODE";
  options.pod_env = "TWOFOLD_TEST_POD";
  const Configuration configuration = Prepare(options).value();
  EXPECT_EQ(configuration.agent.node, "node-7");
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(configuration.agent.pod, host);
  setenv("TWOFOLD_TEST_NODE", "\xff", 1);
  EXPECT_THAT(Prepare(options).status().message(), HasSubstr("node '\\xff' is not a name"));
}

TEST(Prepare, AddressIsTheGivenOneElseThatTowardsTheFrontend) {
  Options options = WithWorkload({"sleep", "1"});
  options.agent.link.address = "127.0.0.1:9999";
  EXPECT_EQ(Prepare(options)->agent.address, "127.0.0.1");
  options.agent.link.address = "[::1]:9999";
  if (access("/proc/net/if_inet6", F_OK) == 0) {
    EXPECT_EQ(Prepare(options)->agent.address, "::1");
  }
  options.agent.address = "worker-7.example";
  EXPECT_EQ(Prepare(options)->agent.address, "worker-7.example");
  options.agent.address = "two words";
  EXPECT_THAT(Prepare(options).status().message(), HasSubstr("--address: 'two words' is not"));
}

TEST(Prepare, AddressTowardsAFrontendThatCannotBeFoundIsTheHostName) {
  Options options = WithWorkload({"sleep", "1"});
  options.agent.link.address = "no..name:9999";  // refused without asking anybody
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(Prepare(options)->agent.address, host);
}

TEST(Prepare, LabelsComeFromTheEnvironmentAndTheCommandLineWhichWins) {
  setenv("TWOFOLD_LABELS", "zone=a,gpu=NVIDIA H100", 1);
  Options options = WithWorkload({"sleep", "1"});
  options.labels = {"zone=b", "example.com/rack="};
  const Labels expected = {{"zone", "b"}, {"gpu", "NVIDIA H100"}, {"example.com/rack", ""}};
  EXPECT_EQ(Prepare(options)->agent.labels, expected);
  setenv("TWOFOLD_LABELS", "zone=a,", 1);
  EXPECT_THAT(Prepare(options).status().message(), HasSubstr("label '' is not KEY=VALUE"));
  unsetenv("TWOFOLD_LABELS");
}

TEST(MakeLabels, AreBounded) {
  std::vector<std::string> labels;
  for (int i = 0; i < 64; ++i) labels.push_back("key" + std::to_string(i) + "=value");
  EXPECT_EQ(MakeLabels("key0=again", labels)->size(), 64u);
  EXPECT_EQ(MakeLabels("one-more=1", labels).status().message(),
            "65 labels, at most 64 are allowed");
  EXPECT_EQ(CheckLabel(std::string(253, 'k') + "=" + std::string(253, 'v')), "");
  for (const std::string& bad : {std::string(254, 'k') + "=", "k=" + std::string(254, 'v'),
                                 std::string("-k=v"), std::string("k =v"), std::string("k=\n")}) {
    EXPECT_THAT(CheckLabel(bad), HasSubstr("is not KEY=VALUE"));
  }
}

TEST(Prepare, MissingFolderSaysWhich) {
  Options options = WithWorkload({"sleep", "1"});
  options.dir = "/no/such/folder";
  EXPECT_EQ(Prepare(options).status().message(),
            "--dir: /no/such/folder: No such file or directory");
}

TEST(Prepare, FoldersOfSuitesAreAsSeenFromWhereItWasStarted) {
  Options options = WithWorkload({"fio"});
  options.suite_path = "tools:/opt/osu";
  options.work_dir = "work";
  options.image_env = "TWOFOLD_TEST_IMAGE";
  setenv("TWOFOLD_TEST_IMAGE", "registry/image:1", 1);
  const std::string here = std::filesystem::current_path();
  const WorkloadOptions workload = Prepare(options)->workload;
  EXPECT_THAT(workload.benchmark.suite_path, ElementsAre(here + "/tools", "/opt/osu"));
  EXPECT_EQ(workload.benchmark.work_dir, here + "/work");
  EXPECT_EQ(workload.benchmark.worker.image, "registry/image:1");
  setenv("TMPDIR", "/var/tmp", 1);
  EXPECT_EQ(Prepare(WithWorkload({"fio"}))->workload.benchmark.work_dir, "/var/tmp");
  unsetenv("TMPDIR");
  EXPECT_EQ(Prepare(WithWorkload({"fio"}))->workload.benchmark.work_dir, "/tmp");
}

TEST(Prepare, ProgramsAreOfWhereTheWorkerWasStarted) {
  const TempDir dir;
  Options options = WithWorkload({"sh", "-c", "true"});
  options.dir = dir.Path("");
  EXPECT_THAT(Prepare(options)->workload.argv, ElementsAre(HasSubstr("/sh"), "-c", "true"));
  options.workload.argv = {"no-such"};
  EXPECT_THAT(Prepare(options).status().message(), HasSubstr("'no-such' is not in PATH"));
}

TEST(ParseOptions, AShellHasTheWordsAsItsArguments) {
  const Parsed parsed = Parse({"--shell", "a | b", "--", "--slots", "c"});
  EXPECT_EQ(parsed.exit_code, std::nullopt);
  EXPECT_THAT(parsed.options.workload.argv,
              ElementsAre("/bin/sh", "-c", "a | b", "sh", "--slots", "c"));
}

TEST(Prepare, ALineForAShellIsLeftAsItIs) {
  const TempDir dir;
  dir.Write("$(id).mp4", "");
  Options options;
  options.shell = "echo FILENAME $1";
  options.workload.argv = suite::WithShell(options.shell, {"FILENAME"});
  options.dir = dir.Path("");
  options.glob = "*.mp4";
  EXPECT_THAT(Prepare(options)->workload.argv,
              ElementsAre("/bin/sh", "-c", "echo FILENAME $1", "sh", "$(id).mp4"));
}

TEST(MakeWorkload, SaysWhatIsWrong) {
  boost::asio::io_context io;
  process::Reaper reaper(io);
  const auto error = [&](std::vector<std::string> argv) {
    return std::string(MakeWorkload({io, reaper}, {.argv = std::move(argv)}).status().message());
  };
  EXPECT_EQ(error({"sleep", "0"}), "");
  EXPECT_EQ(error({"/bin/true"}), "");
  EXPECT_EQ(error({"fio"}), "");
  EXPECT_EQ(error({"fio", R"({"rw": "write"})"}), "");
  EXPECT_THAT(error({"fio", R"({"rw": "sideways"})"}), HasSubstr("fio: rw: 'sideways' is none of"));
  EXPECT_THAT(error({"fio", "{}", "{}"}), HasSubstr("fio: takes one argument at most"));
  EXPECT_THAT(error({"sleep"}), HasSubstr("sleep: takes one or two arguments"));
  EXPECT_THAT(error({"sleep", "nan"}), HasSubstr("'nan' is not a time"));
  EXPECT_EQ(error({"/no/such"}), "workload /no/such: No such file or directory");
}

}  // namespace
}  // namespace twofold::backend
