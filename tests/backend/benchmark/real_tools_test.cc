#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "suites/table/table.h"
#include "tests/backend/benchmark/bench.h"

// The tools themselves, with short runs. Numbers are not compared with anything but 0.
namespace twofold::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A socket on a free port of the loopback; closed at the end of its scope.
class Port {
 public:
  Port() {
    auto* const any = reinterpret_cast<sockaddr*>(&address_);
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, any, length_), 0);
    EXPECT_EQ(getsockname(socket_, any, &length_), 0);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port() { close(socket_); }

  [[nodiscard]] int number() const { return ntohs(address_.sin_port); }
  void Listen() const { EXPECT_EQ(listen(socket_, 1), 0); }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
  socklen_t length_ = sizeof address_;
};

int FreePort() { return Port().number(); }

class RealTools : public BenchTest {
 protected:
  static bool IsMissing(const std::string& tool) {
    return access(("/usr/bin/" + tool).c_str(), X_OK) != 0;
  }

  static double Headline(const BenchEnd& end, const std::string& name) {
    for (const v1::Measurement& one : end.result.measurements()) {
      if (one.headline() && one.name() == name) return one.value();
    }
    ADD_FAILURE() << "no headline " << name << ": " << end.report.error() << "\n"
                  << end.report.output();
    return 0;
  }

  TempDir volume_;
};

TEST_F(RealTools, FioMeasuresAndLeavesNoFile) {
  if (IsMissing("fio")) GTEST_SKIP() << "fio is not installed";
  options_.allowed.paths = {volume_.Path("")};
  const BenchEnd end = Run(
      *suite::FindSuite("fio"),
      absl::StrCat(R"({"rw": "randrw", "bs": "4k", "size": "4M", "runtime": "200ms", "direct": 0,)",
                   R"("ioengine": "psync", "directory": ")", volume_.Path(""), "\"}"));
  EXPECT_GT(Headline(end, "iops"), 0);
  EXPECT_THAT(end.result.ranks(0).stages(1).tool_version(), StartsWith("fio-"));
  EXPECT_TRUE(std::filesystem::is_empty(volume_.Path("")));
}

TEST_F(RealTools, FioOfTwoWorkersIsAddedUp) {
  if (IsMissing("fio")) GTEST_SKIP() << "fio is not installed";
  const BenchEnd end = RunGang(
      *suite::FindSuite("fio"),
      R"({"numWorkers": 2, "bs": "4k", "size": "4M", "runtime": "200ms", "direct": 0, "ioengine": "psync"})",
      2);
  EXPECT_GT(Headline(end, "bandwidth"), 0);
}

TEST_F(RealTools, FioFailsInItsOwnWords) {
  if (IsMissing("fio")) GTEST_SKIP() << "fio is not installed";
  options_.allowed.options = true;
  const BenchEnd end =
      Run(*suite::FindSuite("fio"), R"({"ioengine": "nosuch", "size": "4M", "runtime": "100ms"})");
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(end.report.error(), StartsWith("layout of worker 0: "));
  EXPECT_THAT(end.report.error(), HasSubstr("nosuch"));
}

TEST_F(RealTools, FfmpegTranscodesAGeneratedVideo) {
  if (IsMissing("ffmpeg")) GTEST_SKIP() << "ffmpeg is not installed";
  const BenchEnd end = Run(*suite::FindSuite("media"),
                           R"({"input": "lavfi:testsrc2=duration=2:size=320x240:rate=25",
                               "outputs": [{"codec": "mpeg4"}]})");
  EXPECT_GT(Headline(end, "frame_rate"), 0);
}

TEST_F(RealTools, FfmpegFailsInItsOwnWords) {
  if (IsMissing("ffmpeg")) GTEST_SKIP() << "ffmpeg is not installed";
  options_.allowed.paths = {"/no/such"};
  const BenchEnd end = Run(*suite::FindSuite("media"), R"({"input": "/no/such/clip.mp4"})");
  EXPECT_THAT(end.report.error(), StartsWith("transcode: "));
  EXPECT_THAT(end.report.error(), HasSubstr("No such file"));
}

TEST_F(RealTools, FfmpegReadsAndWritesVideosAndNoPlaylists) {
  if (IsMissing("ffmpeg")) GTEST_SKIP() << "ffmpeg is not installed";
  options_.allowed.paths = {volume_.Path("")};
  const std::string clip = volume_.Path("a clip.mkv");
  const BenchEnd made = Run(*suite::FindSuite("media"),
                            absl::StrCat(R"({"input": "lavfi:testsrc2=duration=1:size=64x64",
                                             "outputs": [{"codec": "mpeg4", "path": ")",
                                         clip, "\"}]}"));
  EXPECT_GT(Headline(made, "frame_rate"), 0);
  const BenchEnd read =
      Run(*suite::FindSuite("media"),
          absl::StrCat(R"({"input": ")", clip, R"(", "outputs": [{"codec": "mpeg4"}]})"));
  EXPECT_GT(Headline(read, "frame_rate"), 0);
  const std::string list =
      volume_.Write("list.mkv", absl::StrCat("ffconcat version 1.0\nfile '", clip, "'\n"));
  const BenchEnd concat =
      Run(*suite::FindSuite("media"),
          absl::StrCat(R"({"input": ")", list, R"(", "outputs": [{"codec": "mpeg4"}]})"));
  EXPECT_EQ(concat.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(concat.report.output(), HasSubstr("Format not on whitelist"));
}

TEST_F(RealTools, OpenFoamSolvesACavityWithTwoProcesses) {
  if (IsMissing("icoFoam")) GTEST_SKIP() << "openfoam is not installed";
  AddTool("twofold-rsh", "exit 1");  // mpirun looks for it, and has no use for it on one host
  const BenchEnd end =
      Run(*suite::FindSuite("openfoam"), R"({"problemSize": "XS", "numProcs": 2, "steps": 3,
          "mpirunArgs": ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]})");
  EXPECT_GT(Headline(end, "cell_rate"), 0);
  EXPECT_GT(Headline(end, "solver_time"), 0);
}

TEST_F(RealTools, EveryMethodOfOpenFoamThatNeedsNoPluginSolves) {
  if (IsMissing("icoFoam")) GTEST_SKIP() << "openfoam is not installed";
  for (const char* method : {"fixedITER", "FOAM-GAMG-PCG.fixedNORM"}) {
    const BenchEnd end =
        Run(*suite::FindSuite("openfoam"), absl::StrCat(R"({"problemSize": "XS", "steps": 2,
                                              "iterativeMethod": ")",
                                                        method, "\"}"));
    EXPECT_GT(Headline(end, "cell_rate"), 0) << method;
  }
}

TEST_F(RealTools, OpenFoamWithoutThePetscPluginSaysSoAtOnce) {
  if (IsMissing("icoFoam")) GTEST_SKIP() << "openfoam is not installed";
  const BenchEnd end =
      Run(*suite::FindSuite("openfoam"),
          R"({"problemSize": "XXL", "iterativeMethod": "PETSc-ICC-CG.fixedNORM"})");
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(end.report.error(),
              StartsWith("plugin: exit code 1: libpetscFoam.so is not installed"));
}

TEST_F(RealTools, PerftestWithoutADeviceFailsInItsOwnWords) {
  if (IsMissing("ib_read_bw") || std::filesystem::exists("/sys/class/infiniband")) {
    GTEST_SKIP() << "perftest is not installed, or there may be a device";
  }
  const BenchEnd end = RunGang(*suite::FindSuite("rdma-bandwidth"), "{}", 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(end.report.error(), HasSubstr("Did not detect devices"));
}

TEST_F(RealTools, Iperf3MeasuresBetweenTwoMembers) {
  if (IsMissing("iperf3")) GTEST_SKIP() << "iperf3 is not installed";
  const BenchEnd end = RunGang(*suite::FindSuite("iperf"),
                               absl::StrCat(R"({"duration": 1, "port": )", FreePort(), "}"), 2);
  EXPECT_GT(Headline(end, "throughput"), 0);
  ASSERT_EQ(end.result.ranks(1).stages_size(), 1);
  EXPECT_EQ(end.result.ranks(1).stages(0).name(), "server");
}

TEST_F(RealTools, Iperf2ServesUdpWhenItSaysSo) {
  if (IsMissing("iperf")) GTEST_SKIP() << "iperf is not installed";
  const BenchEnd end =
      RunGang(*suite::FindSuite("iperf"),
              absl::StrCat(R"({"tool": "iperf2", "protocol": "UDP", "duration": 1, "port": )",
                           FreePort(), "}"),
              2);
  EXPECT_GT(Headline(end, "throughput"), 0);
}

// A model that is small, so that most of the time is PyTorch's start.
std::string SmallTraining(int port) {
  return absl::StrCat(R"({"model": "llama", "benchmarkType": "train", "inputBatchSize": 2,
      "batches": 4, "warmup": 1, "threads": 1, "sequenceLength": 8, "layers": 1, "width": 16,
      "heads": 2, "vocabulary": 50, "numWorkers": 2, "port": )",
                      port, "}");
}

TEST_F(RealTools, PyTorchTrainsOnTwoMembersTogether) {
  if (!std::filesystem::exists("/usr/lib/python3/dist-packages/torch")) {
    GTEST_SKIP() << "python3-torch is not installed";
  }
  AddTool("twofold-pytorch", "exec " PYTORCH_PROGRAM " \"$@\"");
  const BenchEnd end = RunGang(*suite::FindSuite("pytorch"), SmallTraining(FreePort()), 2);
  EXPECT_GT(Headline(end, "throughput"), 0);
  EXPECT_GT(Headline(end, "batch_time_p99"), 0);
  EXPECT_LT(Headline(end, "communication_share"), 100);
  EXPECT_THAT(end.result.tool(), StartsWith("PyTorch "));
}

TEST_F(RealTools, PyTorchWithoutOneOfItsMembersEndsWithTheReason) {
  AddTool("twofold-pytorch",
          "case \"$2\" in *'\"rank\":1'*) kill -9 $$;; esac; exec " PYTORCH_PROGRAM " \"$@\"");
  const BenchEnd end = RunGang(*suite::FindSuite("pytorch"), SmallTraining(FreePort()), 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(end.report.error(), HasSubstr("killed by signal 9"));
}

TEST_F(RealTools, APortInUseIsNotTakenForOurServer) {
  if (IsMissing("iperf3")) GTEST_SKIP() << "iperf3 is not installed";
  const Port port;
  port.Listen();
  const BenchEnd end =
      RunGang(*suite::FindSuite("iperf"), absl::StrCat(R"({"port": )", port.number(), "}"), 2);
  EXPECT_EQ(end.report.error(),
            absl::StrCat("server: start: port ", port.number(), " is in use already"));
}

}  // namespace
}  // namespace twofold::backend
