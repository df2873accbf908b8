#include "suites/rdma/rdma.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/table/table.h"
#include "tests/suites/samples.h"

// No machine with an RDMA device was at hand. The samples are written in the format that perftest
// 4.5 prints, with made-up numbers; only what it says without a device is real.
namespace twofold::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kNoDevice[] =
    " Did not detect devices \n If device exists, check if driver is up\n"
    " Unable to find the Infiniband/RoCE device\n";

Outputs Client(const std::string& sample, const char* spec = "") {
  Outputs outputs = EndedWell("rdma/" + sample);
  outputs.stages[0].stage = "client";
  outputs.spec = spec;
  return outputs;
}

GangPlan PlanOf(const char* suite, const char* spec) {
  auto plan = FindSuite(suite)->plan(spec, GangOf(2));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

// ---- Plan

TEST(RdmaPlan, BandwidthIsThatOfKubePerftest) {
  ExpectGolden("rdma/plan_bw.txt",
               Text(PlanOf("rdma-bandwidth", R"({"qps": 512, "iterations": 25, "mode": "write",
                                                 "extraArgs": ["--tclass=96"]})")));
}

TEST(RdmaPlan, LatencyOfOneSizeForATimeOverTcpIsThatOfItsFork) {
  ExpectGolden("rdma/plan_lat.txt",
               Text(PlanOf("rdma-latency",
                           R"({"mode": "send", "messageSize": 2, "duration": 30, "port": 20000,
                               "device": "mlx5_0", "connectionManager": false})")));
}

TEST(RdmaPlan, OptionsThatAreNotListedNeedAWorkerThatAllowsThem) {
  EXPECT_TRUE(
      PlanOf("rdma-latency", R"({"extraArgs": ["-x", "3", "--mtu=4096", "-b"]})").unlisted.empty());
  // The last one would be another server.
  EXPECT_THAT(PlanOf("rdma-bandwidth",
                     R"({"extraArgs": ["--out_json_file=/etc/passwd", "-x", "--tclass=$HOME", "-b",
                                       "10.9.9.9"]})")
                  .unlisted,
              ElementsAre("extraArgs: '--out_json_file=/etc/passwd'", "extraArgs: '-x'",
                          "extraArgs: '--tclass=$HOME'", "extraArgs: '10.9.9.9'"));
}

TEST(RdmaSpec, WhatIsWrongIsNamed) {
  EXPECT_EQ(*FindSuite("rdma-latency")->check("{}"), 2U);
  for (const auto& [suite, spec, words] :
       {std::tuple{"rdma-bandwidth", R"({"mode": "atomic"})", "mode: 'atomic' is none of read"},
        std::tuple{"rdma-bandwidth", R"({"iterations": 4})", "iterations: 4 is not from 5"},
        std::tuple{"rdma-bandwidth", R"({"duration": 5})", "duration: needs a messageSize"},
        std::tuple{"rdma-latency", R"({"duration": 5})", "duration: needs a messageSize"},
        std::tuple{"rdma-latency", R"({"device": "a;b"})", "device: 'a;b'"},
        std::tuple{"rdma-latency", R"({"qps": 2})", "qps"}}) {
    const auto checked = FindSuite(suite)->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_THAT(std::string(checked.status().message()), HasSubstr(words));
  }
}

// ---- Parse

TEST(RdmaParse, TablesGiveTheirNumbers) {
  ExpectGoldenNumbers("rdma-bandwidth", "rdma/read_bw.txt");
  ExpectGoldenNumbers("rdma-bandwidth", "rdma/send_bw_duration.txt");
  ExpectGoldenNumbers("rdma-latency", "rdma/write_lat.txt");
  ExpectGoldenNumbers("rdma-latency", "rdma/read_lat_duration.txt");
}

TEST(RdmaParse, AllSizesAreKept) {
  const auto result = rdma::ParseBandwidth(Client("read_bw.txt", "{}"));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->series.size(), 1U);
  ASSERT_EQ(result->series[0].rows.size(), 23U);
  EXPECT_EQ(result->series[0].rows.front()[0], 2);
  EXPECT_EQ(result->series[0].rows.back()[0], 8388608);
}

TEST(RdmaParse, FewerSizesThanAskedForAreAnError) {
  EXPECT_TRUE(FailsWith(rdma::ParseBandwidth(Client("send_bw_duration.txt", R"({"mode": "send"})")),
                        "client: 1 of 23 sizes"));
}

TEST(RdmaParse, WarningsBetweenRowsAreNoRows) {
  Outputs outputs = Client("read_bw.txt");
  std::string& text = outputs.stages[0].out;
  text.insert(text.find(" 4 "), "Conflicting CPU frequency values detected: 1200.0 != 3400.0\n");
  const auto result = rdma::ParseBandwidth(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->series[0].rows.size(), 23U);
}

TEST(RdmaParse, ATableThatIsCutOffIsAnErrorWhereverItIs) {
  const std::string whole = Sample("rdma/write_lat.txt");
  for (std::size_t size = 0; size + 88 < whole.size(); size += 7) {
    EXPECT_FALSE(rdma::ParseLatency(SavedText(whole.substr(0, size))).ok()) << size;
  }
}

TEST(RdmaParse, AMissingNumberAndAnUnknownColumnAreErrors) {
  std::string text = Sample("rdma/read_lat_duration.txt");
  text.replace(text.find("532100.42"), 9, "         ");
  EXPECT_TRUE(FailsWith(rdma::ParseLatency(SavedText(text)), "not understood"));
  text = Sample("rdma/read_lat_duration.txt");
  text.replace(text.find("tps average"), 11, "tps squared");
  EXPECT_TRUE(FailsWith(rdma::ParseLatency(SavedText(text)), "not understood: #bytes"));
}

TEST(RdmaParse, EachSuiteReadsItsOwnTables) {
  EXPECT_FALSE(rdma::ParseLatency(Client("read_bw.txt")).ok());
  EXPECT_FALSE(rdma::ParseBandwidth(Client("write_lat.txt")).ok());
}

TEST(RdmaParse, FailuresAreInTheWordsOfTheTool) {
  Outputs outputs = SavedText("");
  outputs.stages[0].stage = "client";
  outputs.stages[0].err = kNoDevice;
  outputs.stages[0].exit_code = 1;
  EXPECT_TRUE(
      FailsWith(rdma::ParseBandwidth(outputs), "client: Did not detect devices (exit code 1)"));
  outputs = Client("read_bw.txt");
  outputs.stages[0].err = " Completion with error at client\n Failed status 12: wr_id 0\n";
  outputs.stages[0].exit_code = 1;
  EXPECT_TRUE(FailsWith(rdma::ParseBandwidth(outputs), "client: Completion with error at client"));
}

// As a log of a pod has it, with both in one.
TEST(RdmaParse, AFailureIsInTheWordsOfTheToolWhereverTheyStand) {
  const auto fails = [](const std::string& text, std::string_view why) {
    return FailsWith(rdma::ParseBandwidth(SavedText(text)), why);
  };
  EXPECT_TRUE(fails(" Did not detect devices \n If device exists, check if driver is up\n",
                    "client: Did not detect devices"));
  EXPECT_TRUE(fails("Couldn't connect to 10.0.0.2:18515\n", "client: Couldn"));
  const std::string text = Sample("rdma/read_bw.txt");
  const std::size_t first = text.find("\n 2 ") + 1;
  EXPECT_TRUE(
      fails(text.substr(0, first), "client: a table without rows"));  // " rdma_cm QPs : OFF"
  const std::string died = " Completion with error at client\n Failed status 12: wr_id 0\n";
  EXPECT_TRUE(
      fails(text.substr(0, first) + died, "a table without rows: Completion with error at client"));
  EXPECT_TRUE(fails(text.substr(0, text.find("\n 8 ") + 1) + died,
                    "the table is cut off: Completion with error at client"));
}

// With --report-both, of both directions at once.
TEST(RdmaParse, TablesOfEachSideAreOfTheSameRun) {
  const std::string text = Sample("rdma/send_bw_duration.txt");
  const std::string table = text.substr(text.find(" #bytes"));
  const std::string sides =
      "\n Local results: \n---------\n" + table + "\n Remote results: \n---------\n" + table;
  const auto plain = rdma::ParseBandwidth(SavedText(text));
  const auto both = rdma::ParseBandwidth(SavedText(text + sides));
  ASSERT_TRUE(plain.ok() && both.ok()) << both.status();
  EXPECT_EQ(both->measurements, plain->measurements);
  ASSERT_EQ(both->notes.size(), 1U + plain->notes.size());
  EXPECT_EQ(both->notes[0], "tables of each side (--report-both) skipped: it is of both together");
  EXPECT_TRUE(ReadText("rdma-bandwidth", text + sides).ok());
  EXPECT_TRUE(
      FailsWith(ReadText("rdma-bandwidth", text + sides + table), "2 runs in one document"));
  // Without that of both together it would be half of what ran.
  EXPECT_TRUE(
      FailsWith(rdma::ParseBandwidth(SavedText(text.substr(0, text.find(" #bytes")) + sides)),
                "the table of both sides together is missing"));
}

TEST(RdmaParse, AServerThatCannotStartSaysWhy) {
  Outputs outputs;
  outputs.stages.push_back(
      {.rank = 1, .stage = "server", .out = "", .err = kNoDevice, .exit_code = 1});
  EXPECT_TRUE(FailsWith(rdma::ParseLatency(outputs), "server: Did not detect devices"));
}

// ---- Offer

TEST(RdmaOffer, TheFirstDeviceIsALabel) {
  const auto labels = rdma::Offer({.stage = "probe",
                                   .out = "    device          \t   node GUID\n"
                                          "    ------          \t----------------\n"
                                          "    mlx5_0          \tb8599f0300f1cb1e\n"
                                          "    mlx5_1          \tb8599f0300f1cb1f\n",
                                   .exit_code = 0});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(*labels, (Labels{{"rdma.device", "mlx5_0"}, {"rdma.devices", "2"}}));
}

TEST(RdmaOffer, AWorkerWithoutDeviceSaysWhyItDoesNotOfferTheSuite) {
  EXPECT_EQ(rdma::Offer({.stage = "probe",
                         .out = "    device          \t   node GUID\n"
                                "    ------          \t----------------\n",
                         .exit_code = 0})
                .status()
                .message(),
            "ibv_devices: no RDMA device");
  EXPECT_EQ(rdma::Offer({.stage = "probe",
                         .out = "Failed to get IB devices list: Function not implemented\n",
                         .exit_code = 1})
                .status()
                .message(),
            "ibv_devices: Failed to get IB devices list: Function not implemented");
  EXPECT_EQ(rdma::Offer({.stage = "probe", .out = "", .exit_code = 1}).status().message(),
            "ibv_devices: exit code 1");
}

}  // namespace
}  // namespace twofold::suite
