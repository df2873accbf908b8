// Rates that what was counted, or their parts, do not prove; times that no clock has measured.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lib/suite/json.h"
#include "lib/suite/plausible.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

bool LeavesOut(const Measurements& read, std::string_view stage, std::string_view reason) {
  return std::any_of(read.failures.begin(), read.failures.end(), [&](const Failure& failure) {
    return failure.stage == stage && failure.reason.find(reason) != std::string::npos;
  });
}

// That is left out for this reason, and nothing else.
void ExpectLeftOut(const Result<Measurements>& read, const std::string& name,
                   std::string_view reason) {
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->measurements.empty());
  EXPECT_TRUE(LeavesOut(*read, name, reason)) << name << ": " << reason;
  for (const Measurement& one : read->measurements) EXPECT_NE(one.name, name);
  EXPECT_EQ(FirstFault(*read), "");
}

std::string ImbWith(const std::string& rows, const std::string& heading) {
  return "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Benchmarking Allreduce\n"
         "# #processes = 4\n" +
         heading + "\n" + rows + "\n\n# All processes entering MPI_Finalize\n";
}

// ---- Totals and parts

TEST(ReaderRates, ATotalThatIsFarFromTheSumOfItsPartsIsNone) {
  EXPECT_EQ(FaultOfTotal(9, 3, "Gbit/s"), "9 Gbit/s is over the sum of its parts, 3 Gbit/s");
  EXPECT_EQ(FaultOfTotal(1, 3, "Gbit/s"), "1 Gbit/s is far below the sum of its parts, 3 Gbit/s");
  EXPECT_EQ(FaultOfTotal(2.8, 3, "Gbit/s"), "");  // one part ended later
  EXPECT_EQ(FaultOfTotal(1, 0, "Gbit/s"), "");    // they are not known
}

TEST(ReaderRates, OfIperfATotalFarBelowTheSumOfItsStreamsIsLeftOut) {
  constexpr char kBelow[] = "is far below the sum of its parts";
  auto document = FindDocument("", Sample("iperf/iperf3_tcp.json"));
  ASSERT_TRUE(document.ok());
  Json& sum = document->json["end"]["sum_received"];
  for (const char* field : {"bits_per_second", "bytes"}) sum[field] = sum[field].get<double>() / 4;
  ExpectLeftOut(ReadText("iperf", document->json.dump()), "throughput", kBelow);
  const std::string text = Sample("iperf/iperf3_text_two.txt");
  const std::size_t sums = text.rfind("[SUM]");
  const std::size_t rate = text.find("bits/sec", sums) - 2;
  const std::size_t begin = text.rfind(' ', rate - 1) + 1;
  std::string low = text;
  low.replace(begin, rate - begin, "0.01");
  ExpectLeftOut(ReadText("iperf", low), "throughput", kBelow);
  ExpectLeftOut(ReadText("iperf",
                         "[  1] 0.0000-2.0001 sec  1.00 GBytes  4.29 Gbits/sec\n"
                         "[  2] 0.0000-2.0001 sec  1.00 GBytes  4.29 Gbits/sec\n"
                         "[SUM] 0.0000-2.0001 sec  2.00 GBytes  1.07 Gbits/sec\n"),
                "throughput", kBelow);
}

TEST(ReaderRates, AStreamThatEndsLateMakesTheTotalNoLie) {
  const auto read = ReadText("iperf",
                             "[  1] 0.0000-2.0001 sec  1.00 GBytes  4.29 Gbits/sec\n"
                             "[  2] 0.0000-8.0001 sec  1.00 GBytes  1.07 Gbits/sec\n"
                             "[SUM] 0.0000-8.0001 sec  2.00 GBytes  2.15 Gbits/sec\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->failures.empty());
  EXPECT_EQ(ValueOf(*read, "throughput"), 2.15);
}

TEST(ReaderRates, WhatIsLostOfUdpIsNoReasonToDoubtWhatArrived) {
  auto document = FindDocument("", Sample("iperf/iperf3_udp.json"));
  ASSERT_TRUE(document.ok());
  Json& end = document->json["end"];
  for (Json& stream : end["streams"]) stream["udp"]["lost_percent"] = 60;
  Json& sum = end["sum_received"];
  for (const char* field : {"bits_per_second", "bytes"}) sum[field] = sum[field].get<double>() * .4;
  const auto read = ReadText("iperf", document->json.dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->failures.empty()) << read->failures.front().reason;
}

// ---- What was counted

TEST(ReaderRates, OfIperf3ARateThatIsNotItsBytesByItsSecondsIsLeftOut) {
  auto document = FindDocument("", Sample("iperf/iperf3_tcp.json"));
  ASSERT_TRUE(document.ok());
  Json& end = document->json["end"];
  const auto raise = [](Json& of) {
    of["bits_per_second"] = of["bits_per_second"].get<double>() * 10;
  };
  raise(end["sum_received"]);
  for (Json& stream : end["streams"]) raise(stream["receiver"]);
  ExpectLeftOut(ReadText("iperf", document->json.dump()), "throughput",
                "is not what was counted by its time");
}

TEST(ReaderRates, OfIperfAsTextTheBytesAreTheJudgeWhereTheyHaveDigits) {
  const auto client = [](const std::string& row) {
    return "[  1] local 10.0.0.1 port 40000 connected with 10.0.0.2 port 5001\n" + row + "\n";
  };
  const auto read =
      ReadText("iperf", client("[  1] 0.0000-2.0001 sec  1.04 GBytes  44.6 Gbits/sec"));
  for (const char* name : {"throughput", "throughput_sent"}) {
    ExpectLeftOut(read, name, "44.6 Gbit/s is not what was counted by its time, 4.4");
  }
  // 0.01 GBytes may be a third less or more.
  const auto few =
      ReadText("iperf", client("[  1] 0.0000-2.0001 sec  0.01 GBytes  0.06 Gbits/sec"));
  EXPECT_TRUE(few.ok() && few->failures.empty());
}

// In all forms of fio, and with the total that such a rate is in.
TEST(ReaderRates, OfFioARateThatIsNotWhatWasCountedByItsTimeIsLeftOut) {
  auto document = FindDocument("", Sample("fio/worker0.json"));
  ASSERT_TRUE(document.ok());
  Json& side = document->json["jobs"][0]["read"];
  for (const char* field : {"bw_bytes", "iops"}) side[field] = side[field].get<double>() * 10;
  for (const std::string& text :
       {document->json.dump(),
        absl::StrReplaceAll(Sample("fio/cases/fio_cmdprio.txt"), {{"IOPS=", "IOPS=9"}}),
        absl::StrReplaceAll(Sample("fio/cases/fio_cmdprio.txt"), {{"BW=", "BW=9"}})}) {
    const auto read = ReadText("fio", text);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->failures.size() % 2, 0U);
    ASSERT_GE(read->failures.size(), 2U);
    const std::string name = read->failures[0].stage;
    EXPECT_TRUE(LeavesOut(*read, name, "is not what was counted by its time"));
    EXPECT_TRUE(LeavesOut(*read, name, "one of its parts is left out"));
    for (const Measurement& one : read->measurements) {
      EXPECT_FALSE(one.name == name && one.dimensions[0].second == "read") << one.name;
    }
  }
}

TEST(ReaderRates, OfFiosTerseFormTheKibibytesAreTheJudge) {
  const std::string text = Sample("fio/write.terse");
  const auto fields = [&] {
    std::vector<std::string> all(1);
    for (const char c : text) {
      if (c == ';') {
        all.emplace_back();
      } else {
        all.back() += c;
      }
    }
    return all;
  }();
  constexpr std::size_t kWrites = 5 + 41;  // the first field of writes
  const std::string rate = ";" + fields[kWrites + 1] + ";" + fields[kWrites + 2] + ";";
  const std::string ten = ";" + fields[kWrites + 1] + "0;" + fields[kWrites + 2] + ";";
  ExpectLeftOut(ReadText("fio", absl::StrReplaceAll(text, {{rate, ten}})), "bandwidth",
                "is not what was counted by its time");
}

TEST(ReaderRates, OfImbABandwidthIsItsSizeByItsTimeNeitherMoreNorLess) {
  const auto text = [](const char* bandwidth) {
    std::string rows = "65536 10 40.00 1638.40\n131072 10 80.00 1638.40\n262144 10 160.00 ";
    return ImbWith(rows + bandwidth, "#bytes #repetitions t[usec] Mbytes/sec");
  };
  const auto plain = ReadText("mpi-pingpong", text("1638.40"));
  ASSERT_TRUE(plain.ok() && plain->failures.empty()) << plain.status();
  for (const auto& [bandwidth, why] : {std::pair{"16384.00", "more"}, {"1.64", "less"}}) {
    const auto read = ReadText("mpi-pingpong", text(bandwidth));
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->failures.size(), 1U);
    EXPECT_NE(read->failures[0].reason.find(absl::StrCat(why, " than its size in its time")),
              std::string::npos);
    EXPECT_EQ(ValueOf(*read, "peak_bandwidth"), 1638.4);
  }
}

// Of large messages over a slow link there are few a second.
TEST(ReaderRates, OfPerftestTheRateOfMessagesTellsNoMoreThanItsDigits) {
  const auto read = [](const char* bandwidth) {
    return ReadText("rdma-bandwidth",
                    absl::StrCat("RDMA_Write BW Test\n #bytes  #iterations  BW peak[MiB/sec]  "
                                 "BW average[MiB/sec]  MsgRate[Mpps]\n"
                                 " 1048576  1000  110.10  108.70  0.000109\n"
                                 " 8388608  1000  130.10  ",
                                 bandwidth, "  0.000014\n---------\n"));
  };
  const auto whole = read("108.50");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_TRUE(whole->failures.empty());
  EXPECT_EQ(whole->series[0].rows.size(), 2U);
  EXPECT_TRUE(LeavesOut(*read("121.00"), "bandwidth", "is not 14 1/s of this size, 112 MiB/s"));
}

// ---- Times of zero

TEST(ReaderRates, ATimeOfZeroIsBelowTheClockAndNoBest) {
  const auto read = ReadText(
      "mpi-pingpong", ImbWith("0 1000 0.00 0.00 0.00\n4 1000 0.00 0.00 0.00\n8 1000 0.5 0.5 0.5",
                              "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ValueOf(*read, "min_latency"), 0.5);
  // Of no bytes a collective does nothing, which is no failure.
  ASSERT_EQ(read->failures.size(), 1U);
  EXPECT_EQ(read->failures[0].reason, "row left out, size 4: latency 0 us is below the clock");
  ASSERT_EQ(read->notes.size(), 1U);
  EXPECT_EQ(read->notes[0], "Allreduce: row left out, size 0: latency 0 us is below the clock");
  EXPECT_EQ(FirstFault(*read), "");
  const auto osu = ReadText("osu",
                            "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n"
                            "1                       0.00\n2                       0.30\n");
  ASSERT_TRUE(osu.ok()) << osu.status();
  EXPECT_EQ(ValueOf(*osu, "min_latency"), 0.3);
  EXPECT_TRUE(LeavesOut(*osu, "osu_latency", "latency 0 us is below the clock"));
}

TEST(ReaderRates, ARateOfInfinityIsARowWithItsReasonAndNoLostFile) {
  const auto imb =
      ReadText("mpi-pingpong", ImbWith("4 1000 0.00 inf\n8 1000 0.50 16.00\n16 1000 nan 16.00",
                                       "#bytes #repetitions t[usec] Mbytes/sec"));
  ASSERT_TRUE(imb.ok()) << imb.status();
  EXPECT_EQ(ValueOf(*imb, "peak_bandwidth"), 16);
  EXPECT_EQ(imb->failures.size(), 2U);
  const auto osu = ReadText("osu",
                            "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n"
                            "1                        inf\n2                       -nan\n"
                            "4                      12.50\n");
  ASSERT_TRUE(osu.ok()) << osu.status();
  EXPECT_EQ(ValueOf(*osu, "peak_bandwidth"), 12.5);
  EXPECT_EQ(osu->failures.size(), 2U);
  std::string text = Sample("rdma/read_bw.txt");
  const std::size_t row = text.find("\n 4096 ");
  const std::size_t rate = text.find_last_not_of(' ', text.find('\n', row + 1) - 1);
  const std::size_t begin = text.rfind(' ', rate) + 1;
  text.replace(begin, rate + 1 - begin, "inf");
  const auto rdma = ReadText("rdma-bandwidth", text);
  ASSERT_TRUE(rdma.ok()) << rdma.status();
  ASSERT_EQ(rdma->failures.size(), 1U);
  EXPECT_NE(rdma->failures[0].reason.find("is not finite"), std::string::npos);
}

// What the flow of a solution is that has diverged, and what iperf3 has divided by 0.
TEST(ReaderRates, NanAmongOtherNumbersLosesNoneOfThem) {
  const std::string log = Sample("openfoam/simple.log");
  ExpectLeftOut(
      ReadText("openfoam",
               absl::StrReplaceAll(log, {{"Initial residual = 0.2", "Initial residual = nan"}})),
      "pressure_residual", "nan is not finite");
  ExpectLeftOut(
      ReadText("openfoam", absl::StrReplaceAll(log, {{"sum local = 1e-05", "sum local = -nan"}})),
      "continuity_error", "is not finite");
  // The processor time of a step is that at its end less that at the end before.
  for (const char* seconds : {"ExecutionTime = 40 s", "ExecutionTime = 70 s"}) {
    const auto read =
        ReadText("openfoam", absl::StrReplaceAll(log, {{seconds, "ExecutionTime = -nan s"}}));
    ASSERT_TRUE(read.ok()) << read.status();
    const bool says_rows =
        std::any_of(read->failures.begin(), read->failures.end(), [](const Failure& failure) {
          return failure.stage.starts_with("steps solver=simpleFoam") &&
                 failure.reason.find("nan s is not finite") != std::string::npos;
        });
    EXPECT_TRUE(says_rows) << read->failures[0].stage << ": " << read->failures[0].reason;
    const bool of_last = std::string_view(seconds).find("70") != std::string_view::npos;
    EXPECT_EQ(LeavesOut(*read, "execution_time", "is not finite"), of_last);
    EXPECT_TRUE(Says(*read, "pressure_residual"));
  }
  const auto without = [](const char* sample, const char* sum, const char* field) {
    Json json = Json::parse(Sample(sample));
    json["end"][sum][field] = nullptr;
    return ReadText("iperf", json.dump(1));
  };
  ExpectLeftOut(without("iperf/iperf3_udp.json", "sum_received", "jitter_ms"), "jitter",
                "is not finite");
  const auto cpu = without("iperf/iperf3_tcp.json", "cpu_utilization_percent", "host_total");
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_TRUE(LeavesOut(*cpu, "cpu", "is not finite"));
  EXPECT_GT(ValueOf(*cpu, "throughput"), 0);
}

TEST(ReaderRates, NoMoreThanAllPacketsAreLost) {
  Json json = Json::parse(Sample("iperf/iperf3_udp.json"));
  json["end"]["sum_received"]["lost_percent"] = 140;
  ExpectLeftOut(ReadText("iperf", json.dump(1)), "lost", "140 % is more than all");
  const std::string text =
      absl::StrReplaceAll(Sample("iperf/cases/i205u.txt"), {{"12/893", "1893/893"}});
  ExpectLeftOut(ReadText("iperf", text), "lost", "% is more than all");
}

}  // namespace
}  // namespace twofold::suite
