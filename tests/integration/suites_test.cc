// Benchmark suites as jobs of a queue: real frontend, store and workers on two hosts, real tools.
// Numbers are not compared with anything but 0.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "tests/integration/two_hosts.h"
#include "twofold/v1/results.pb.h"

namespace twofold::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SuitesTest : public TwoHostsTest {
 protected:
  void SetUp() override {
    TwoHostsTest::SetUp();
    if (IsSkipped()) return;
    StartWorkers({"iperf,mpi-pingpong,fio,openfoam"}, {"--work-dir", folder_ / "."});
  }

  std::uint64_t Submit(const std::string& suite, const std::string& spec,
                       std::uint32_t members = 2) {
    v1::JobOptions options = Durable("suites");
    options.set_suite(suite);
    if (members > 1) {
      options.mutable_gang()->set_size(members);
      options.mutable_gang()->set_spread(v1::SPREAD_NODE);
    }
    return SubmitOne(options, spec);
  }

  /// What the store has of a job that has to succeed.
  v1::BenchmarkResult ResultOf(const std::string& suite, const std::string& spec,
                               std::uint32_t members = 2) {
    const v1::Job job = AwaitEnd(Submit(suite, spec, members));
    EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.report().error() << "\n"
                                                    << job.report().output();
    EXPECT_THAT(job.data_refused(), IsEmpty());
    v1::BenchmarkResult result;
    EXPECT_TRUE(result.ParseFromString(job.report().data()));
    return result;
  }

  static double Headline(const v1::BenchmarkResult& result, const std::string& name) {
    for (const v1::Measurement& one : result.measurements()) {
      if (one.headline() && one.name() == name) return one.value();
    }
    ADD_FAILURE() << "no headline " << name;
    return 0;
  }
  static double ValueOf(const v1::BenchmarkResult& result, const std::string& name) {
    for (const v1::Measurement& one : result.measurements()) {
      if (one.name() == name) return one.value();
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }
  static bool Has(const v1::BenchmarkResult& result, const std::string& name) {
    return std::any_of(result.measurements().begin(), result.measurements().end(),
                       [&](const v1::Measurement& one) { return one.name() == name; });
  }
  static std::set<std::string> AddressesIn(const v1::BenchmarkResult& result) {
    std::set<std::string> addresses;
    for (const v1::RankRecord& rank : result.ranks()) addresses.insert(rank.address());
    return addresses;
  }

  /// Skips a test whose tool cannot be had.
  static bool Has(const std::string& tool) {
    return access(("/usr/bin/" + tool).c_str(), X_OK) == 0;
  }
};

TEST_F(SuitesTest, Iperf3MeasuresTheCableBetweenTwoHosts) {
  if (!Has("iperf3")) GTEST_SKIP() << "iperf3 is not installed";
  const auto result = ResultOf("iperf", R"({"duration": 1, "streams": 2})");
  EXPECT_GT(Headline(result, "throughput"), 0);
  EXPECT_THAT(AddressesIn(result), ElementsAre(kHere, kThere));
}

TEST_F(SuitesTest, Iperf2MeasuresTheCableBetweenTwoHosts) {
  if (!Has("iperf")) GTEST_SKIP() << "iperf is not installed";
  const auto result = ResultOf("iperf", R"({"tool": "iperf2", "duration": 1, "streams": 2})");
  EXPECT_GT(Headline(result, "throughput"), 0);
  EXPECT_THAT(AddressesIn(result), ElementsAre(kHere, kThere));
}

TEST_F(SuitesTest, MpiMeasuresTheCableWithoutSsh) {
  if (!Has("mpirun") || !Has("NPopenmpi")) GTEST_SKIP() << "NPopenmpi is not installed";
  const auto result = ResultOf("mpi-pingpong", R"({"tool": "netpipe", "maxlog": 3})");
  EXPECT_GT(Headline(result, "peak_bandwidth"), 0);
  EXPECT_GT(Headline(result, "min_latency"), 0);
  EXPECT_THAT(AddressesIn(result), ElementsAre(kHere, kThere));
}

TEST_F(SuitesTest, FioOfTwoWorkersIsOneResultWithATotal) {
  if (!Has("fio")) GTEST_SKIP() << "fio is not installed";
  const auto result = ResultOf("fio", R"({"rw": "randread", "bs": "4k", "size": "4M",
      "runtime": "1s", "direct": 0, "ioengine": "psync", "numWorkers": 2})");
  EXPECT_GT(Headline(result, "bandwidth"), 0);
  EXPECT_EQ(result.ranks_size(), 2);
}

// A small cavity with `fields` beside what it has. Ranks that wait give the CPU to others.
std::string Cavity(const std::string& fields) {
  return R"({"problemSize": "XS", "numProcs": 2, "numNodes": 2,
             "mpirunArgs": ["--mca", "mpi_yield_when_idle", "1"], )" +
         fields + "}";
}

// The flow after the same steps is the same, whoever has solved which part of it: nearly, as
// solvers stop when they are near enough.
TEST_F(SuitesTest, OpenFoamSolvesTheSameFlowOnOneHostAndOnTwo) {
  if (!Has("icoFoam")) GTEST_SKIP() << "openfoam is not installed";
  const auto alone = ResultOf("openfoam", R"({"problemSize": "XS", "steps": 3})", 1);
  for (const char* staging : {"each", "send"}) {
    const auto both =
        ResultOf("openfoam", Cavity(std::string(R"("steps": 3, "staging": ")") + staging + "\""));
    EXPECT_THAT(AddressesIn(both), ElementsAre(kHere, kThere));
    EXPECT_GT(Headline(both, "cell_rate"), 0);
    for (const char* flow : {"courant_mean", "courant_max"}) {
      EXPECT_NEAR(ValueOf(both, flow), ValueOf(alone, flow), 1e-4 * ValueOf(alone, flow))
          << staging << " " << flow;
    }
    EXPECT_EQ(std::string(staging) == "send", Has(both, "send_time"));
    const double residual = ValueOf(alone, "pressure_residual");
    EXPECT_NEAR(ValueOf(both, "pressure_residual"), residual, 0.01 * residual) << staging;
  }
}

TEST_F(SuitesTest, AMemberThatIsLostInMidSolveEndsTheJobWithAReason) {
  if (!Has("icoFoam")) GTEST_SKIP() << "openfoam is not installed";
  const std::uint64_t id = Submit("openfoam", Cavity(R"("steps": 1000000)"));
  ASSERT_TRUE(Await([&] { return Job(id).state() == v1::JOB_STATE_RUNNING; }));
  there_->Signal(SIGKILL);
  const v1::Job job = AwaitEnd(id);
  EXPECT_NE(job.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_THAT(job.report().error(), ::testing::Not(IsEmpty()));
}

TEST_F(SuitesTest, AServerThatIsLostInMidRunEndsTheJobWithAReason) {
  if (!Has("iperf3")) GTEST_SKIP() << "iperf3 is not installed";
  const std::uint64_t id = Submit("iperf", R"({"duration": 60})");
  ASSERT_TRUE(Await([&] { return Job(id).state() == v1::JOB_STATE_RUNNING; }));
  there_->Signal(SIGKILL);
  const v1::Job job = AwaitEnd(id);
  EXPECT_NE(job.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_THAT(job.report().error(), ::testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace twofold::testing
