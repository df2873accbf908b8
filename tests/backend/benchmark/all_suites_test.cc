#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <cstdlib>
#include <filesystem>

#include "lib/process/environment.h"
#include "suites/table/table.h"
#include "tests/backend/benchmark/bench.h"

// Every suite of the table with a tool that works or misbehaves in one of the ways that there are.
namespace twofold::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A suite with its tool, and a sample of what that prints when all is well.
struct Subject {
  const char* suite;
  const char* spec;
  std::uint32_t members;
  const char* tool;
  const char* server;  // what the tool does when it is called as a server or to prepare
  const char* out;
  const char* err = nullptr;
  std::vector<std::pair<const char*, const char*>> before = {};  // other tools, and what they print
};

// Answers a server's part of perftest: the client has the server's address as its last argument.
constexpr char kRdmaServer[] =
    "127.0.0.1) client=1;; esac; done; if [ ! \"$client\" ]; then "
    "echo '* Waiting for client to connect... *'; exec sleep 3600; fi; for i in; do case $i in";

const Subject kSubjects[] = {
    {"fio",
     R"({"rw": "randrw", "rwmixread": 70, "bs": "4k", "iodepth": 4, "numJobs": 2, "direct": 0,
         "runtime": "1s"})",
     1, "fio", "--create_only=1) exit;;", "fio/worker0.json"},
    {"gpu", R"({"precision": "fp64", "iterations": 5})", 1, "twofold-gpu", "", "gpu/compute.json"},
    {"iperf", R"({"tool": "iperf2", "protocol": "UDP", "streams": 2, "duration": 1})", 2, "iperf",
     "--server) echo 'Server listening on UDP port 5001'; exec sleep 3600;;",
     "iperf/iperf2_udp.txt"},
    {"lifecycle", R"({"kind": "job", "count": 40})", 1, "twofold", "", "lifecycle/jobs.json"},
    {"media", R"({"input": "clip.mp4"})", 1, "ffmpeg", "", "media/ffmpeg_one.out",
     "media/ffmpeg_one.err"},
    {"mpi-pingpong", R"({"maxlog": 16})", 2, "mpirun", "", "mpi_pingpong/imb.txt"},
    {"openfoam",
     R"({"problemSize": "XS", "numProcs": 2, "steps": 5})",
     1,
     "mpirun",
     "",
     "openfoam/kube_perftest.txt",  // without a clock, which would be of another run than this
     nullptr,
     {{"blockMesh", "openfoam/mesh.txt"}, {"decomposePar", "openfoam/decompose.txt"}}},
    {"rdma-bandwidth", "{}", 2, "ib_read_bw", kRdmaServer, "rdma/read_bw.txt"},
    {"rdma-latency", R"({"mode": "write"})", 2, "ib_write_lat", kRdmaServer, "rdma/write_lat.txt"},
    {"object-storage", R"({"bucket": "b"})", 1, "twofold-objects", "", "object_storage/one.json"},
    {"osu", R"({"ranks": 2, "ranksPerNode": 2, "tests": ["latency"]})", 1, "mpirun", "",
     "osu/osu_latency-np2.txt"},
    {"pytorch", R"({"model": "resnet18", "inputBatchSize": 2, "batches": 10})", 1,
     "twofold-pytorch", "", "pytorch/resnet18.json"},
};

class AllSuites : public BenchTest, public ::testing::WithParamInterface<Subject> {
 protected:
  // The suite's tool does `text` where it is to measure.
  void AddToolThat(const std::string& text) {
    std::string tool;
    if (*subject_.server != '\0') {
      tool = absl::StrCat("for i in \"$@\"; do case \"$i\" in ", subject_.server, " esac; done\n");
    }
    AddTool(subject_.tool, tool + text);
    for (const auto& [name, sample] : subject_.before) AddTool(name, "cat " + SamplePath(sample));
    // Looked for, and started by the real mpirun alone.
    for (const char* name : {"IMB-MPI1", "osu_latency"}) AddTool(name, "exit 1");
  }

  BenchEnd RunWith(const std::string& text) {
    AddToolThat(text);
    return RunSuite();
  }

  BenchEnd RunSuite() {
    const suite::Suite& suite = *suite::FindSuite(subject_.suite);
    return subject_.members == 1 ? Run(suite, subject_.spec)
                                 : RunGang(suite, subject_.spec, subject_.members);
  }

  // Prints the sample.
  std::string Good() const {
    std::string text = "cat " + SamplePath(subject_.out);
    if (subject_.err != nullptr) text += "; cat >&2 " + SamplePath(subject_.err);
    return text;
  }

  // A failure at the stage that measures, with its reason; nothing is left.
  void ExpectFailure(const BenchEnd& end, const std::string& words) {
    EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
    EXPECT_NE(end.result.failed_stage(), "");
    EXPECT_THAT(end.report.error(), StartsWith(end.result.failed_stage()));
    EXPECT_THAT(end.report.error(), HasSubstr(words));
    EXPECT_EQ(end.result.measurements_size(), 0);
    EXPECT_THAT(Left(), ::testing::IsEmpty());
  }

  const Subject& subject_ = GetParam();
};

// Those one of whose workers serves the others.
class ServedSuites : public AllSuites {};

TEST_P(AllSuites, GoodOutputIsAResultWithAllThatIsKnown) {
  const BenchEnd end = RunWith(Good());
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED) << end.report.error();
  EXPECT_EQ(end.report.error(), "");
  EXPECT_EQ(end.result.suite(), subject_.suite);
  EXPECT_GT(end.result.measurements_size(), 0);
  ASSERT_EQ(end.result.ranks_size(), static_cast<int>(subject_.members));
  const v1::RankRecord& rank = end.result.ranks(0);
  EXPECT_EQ(rank.node(), "node-1");
  EXPECT_EQ(rank.image(), "image-1");
  const v1::StageRecord& stage = rank.stages(rank.stages_size() - 1);
  EXPECT_EQ(stage.tool_version(), std::string(subject_.tool) + " 1.0");
  EXPECT_EQ(stage.argv(0), subject_.tool);
  EXPECT_EQ(stage.exit_code(), 0);
  EXPECT_GT(stage.out().bytes(), 0U);
  const v1::Timeline& timeline = end.result.timeline();
  EXPECT_GT(timeline.prepared_ns(), 0U);
  EXPECT_GE(timeline.started_ns(), timeline.prepared_ns());
  EXPECT_GE(timeline.ended_ns(), stage.started_ns() + stage.wall_ns());
  EXPECT_GE(timeline.collected_ns(), timeline.ended_ns());
  EXPECT_GE(timeline.parsed_ns(), timeline.collected_ns());
  EXPECT_THAT(Left(), ::testing::IsEmpty());
}

TEST_P(AllSuites, AToolThatFailsIsAFailureWithItsCodeAndItsTail) {
  const BenchEnd end = RunWith("echo broken heart >&2; exit 3");
  ExpectFailure(end, "");
  EXPECT_EQ(end.report.exit_code(), 3);
  EXPECT_EQ(end.report.output(), "broken heart\n");
}

TEST_P(AllSuites, FailureAfterGoodOutputIsNoResult) {
  ExpectFailure(RunWith(Good() + "; exit 3"), "exit code 3");
}

TEST_P(AllSuites, SilenceWithExitCode0IsAFailure) { ExpectFailure(RunWith("exit 0"), ""); }

TEST_P(AllSuites, GarbageIsAFailure) {
  ExpectFailure(RunWith("printf '\\377\\000{\"x\": 1}\\n1 2 3\\n'; head -c 10000 /dev/zero"), "");
}

TEST_P(AllSuites, ASignalIsAFailure) {
  const BenchEnd end = RunWith(Good() + "; kill -9 $$");
  ExpectFailure(end, "signal 9");
  EXPECT_EQ(end.report.signal(), 9);
  // Of programs that run before, such as blockMesh: their shell says 137.
  for (const auto& [name, sample] : subject_.before) {
    AddToolThat(Good());
    AddTool(name, "cat " + SamplePath(sample) + "; kill -9 $$");
    ExpectFailure(RunSuite(), "exit code 137");
  }
}

// Though the client prints good numbers.
TEST_P(ServedSuites, AServerThatIsKilledIsAFailure) {
  const std::string pid = "\"$TMPDIR/../../server\"";
  const std::string server = absl::StrReplaceAll(
      subject_.server,
      {{"exec sleep 3600", "echo $$ >" + pid + ".part; mv " + pid + ".part " + pid +
                               "; while [ -e " + pid + " ]; do sleep 0.01; done; kill -9 $$"}});
  ASSERT_NE(server, subject_.server);
  AddTool(
      subject_.tool,
      absl::StrCat("for i in \"$@\"; do case \"$i\" in ", server, " esac; done\n", "while [ ! -e ",
                   pid, " ]; do sleep 0.01; done; server=$(cat ", pid, "); rm ", pid,
                   "; while kill -0 $server 2>/dev/null; do sleep 0.01; done; ", Good()));
  ExpectFailure(RunSuite(), "server: killed by signal 9");
}

TEST_P(AllSuites, MoreOutputThanIsReadIsAFailure) {
  options_.limits.read = 200;
  ExpectFailure(RunWith(Good()), " read");  // "too much to read"; "more than the 200 that are read"
}

TEST_P(AllSuites, ATooLongOutputStopsTheTool) {
  options_.limits.printed = 1 << 20;
  const BenchEnd end = RunWith("while :; do head -c 100000 /dev/zero; done");
  ExpectFailure(end, "printed more than 1 MiB");
  EXPECT_LE(end.report.data().size(), options_.limits.result);
}

TEST_P(AllSuites, AMissingToolIsFoundOutBeforeTheStart) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/no/such", 1);
  const BenchEnd end = RunSuite();
  setenv("PATH", path.c_str(), 1);
  ExpectFailure(end, absl::StrCat("prepare: ", subject_.tool,
                                  " is not installed, neither on PATH nor in a --suite-path; "));
  EXPECT_TRUE(recorder_->ready().empty() || subject_.members > 1);
}

TEST_P(AllSuites, AHangIsStoppedWithAllThatItHasStarted) {
  AddToolThat("setsid sleep 3600 & touch \"$TMPDIR/../../hangs\"; sleep 3600");
  Make(*suite::FindSuite(subject_.suite));
  if (subject_.members == 1) {
    recorder_->Start(0, {subject_.spec});
  } else {
    StartGang(subject_.spec, subject_.members);
    AwaitReady(subject_.members);
    for (Slot slot = 0; slot < subject_.members; ++slot) benchmark_->Go(slot, Now());
  }
  while (!std::filesystem::exists(work_.Path("hangs"))) io_.poll();
  std::filesystem::remove(work_.Path("hangs"));
  for (Slot slot = 0; slot < subject_.members; ++slot) benchmark_->Stop(slot);
  recorder_->Await(subject_.members);
  EXPECT_NE(EndOf(0).result.failed_stage(), "");
  EXPECT_THAT(Left(), ::testing::IsEmpty());
}

std::string NameOf(const ::testing::TestParamInfo<Subject>& subject) {
  std::string name = subject.param.suite;
  std::erase(name, '-');
  return name;
}

std::vector<Subject> WithServers() {
  std::vector<Subject> subjects;
  for (const Subject& each : kSubjects) {
    if (*each.server != '\0' && each.members > 1) subjects.push_back(each);
  }
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(, AllSuites, ::testing::ValuesIn(kSubjects), NameOf);
INSTANTIATE_TEST_SUITE_P(, ServedSuites, ::testing::ValuesIn(WithServers()), NameOf);

TEST(AllSuitesOf, TheTableAreHere) { EXPECT_EQ(std::size(kSubjects), suite::Suites().size()); }

}  // namespace
}  // namespace twofold::backend
