#include "suites/iperf/iperf.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

TEST(IperfPlan, ServerListensBeforeTheClientStarts) {
  const auto plan = FindSuite("iperf")->plan(R"({"duration": 30, "streams": 8})", GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("iperf/plan_tcp.txt", Text(*plan));
}

TEST(IperfPlan, Iperf2HasTheFlagsOfKubePerftest) {
  const auto plan = FindSuite("iperf")->plan(
      R"({"tool": "iperf2", "protocol": "UDP", "bitrate": 50, "port": 5002})", GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("iperf/plan_iperf2_udp.txt", Text(*plan));
}

TEST(IperfPlan, AllOptionsReachTheCommandLine) {
  const auto plan = FindSuite("iperf")->plan(
      R"({"bidirectional": true, "omit": 2, "length": 4096, "bitrate": 100, "protocol": "UDP"})",
      GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("iperf/plan_udp_bidirectional.txt", Text(*plan));
}

TEST(IperfSpec, IsTwoWorkers) {
  EXPECT_EQ(*FindSuite("iperf")->check(""), 2U);
  EXPECT_FALSE(FindSuite("iperf")->plan("", GangOf(3)).ok());
}

TEST(IperfSpec, WhatIsWrongIsNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"duration": 0})", "duration: 0 is not from 1 to 86400"},
      {R"({"streams": 129})", "streams: 129 is not from 1 to 128"},
      {R"({"tool": "netperf"})", "tool: 'netperf' is none of iperf3, iperf2"},
      {R"({"protocol": "SCTP"})", "protocol: 'SCTP' is none of TCP, UDP"},
      {R"({"port": 65536})", "port: 65536"},
      {R"({"reverse": true, "bidirectional": true})", "reverse: not together"},
      {R"({"tool": "iperf2", "reverse": true})", "reverse: needs tool iperf3"},
      {R"({"tool": "iperf2", "bidirectional": true})", "bidirectional: needs tool iperf3"},
      {R"({"tool": "iperf2", "omit": 1})", "omit: needs tool iperf3"},
      {R"({"steams": 1})", "steams"},
      {R"({"streams": "many"})", "streams"},
      {R"({"streams": 1)", "spec: "},
  };
  for (const auto& [spec, words] : wrong) {
    const auto checked = FindSuite("iperf")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_EQ(checked.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(IperfParse, RealOutputGivesItsNumbers) {
  for (const char* sample :
       {"iperf/iperf3_tcp.json", "iperf/iperf3_reverse.json", "iperf/iperf3_bidir.json",
        "iperf/iperf3_udp.json", "iperf/iperf3_udp_bidir.json", "iperf/iperf2_one.txt",
        "iperf/iperf2_two_intervals.txt", "iperf/iperf2_udp.txt",
        "iperf/iperf2_adaptive_units.txt"}) {
    ExpectGoldenNumbers("iperf", sample);
  }
}

TEST(IperfParse, TextOfIperf3GivesItsNumbers) {
  for (const char* form : {"two", "udp", "bidir", "verbose", "omit", "reverse"}) {
    ExpectGoldenNumbers("iperf", std::string("iperf/iperf3_text_") + form + ".txt");
  }
}

TEST(IperfParse, EnhancedTextAndCsvOfIperf2GiveTheirNumbers) {
  for (const char* form : {"enhanced_one", "enhanced_two", "enhanced_intervals", "enhanced_udp",
                           "csv_two", "csv_intervals", "sum_only"}) {
    ExpectGoldenNumbers("iperf", std::string("iperf/iperf2_") + form + ".txt");
  }
}

// The server printed JSON of the same run, which has all digits.
TEST(IperfParse, TextOfIperf3SaysWhatItsServerSaysAsJson) {
  for (const char* form : {"two", "udp"}) {
    const std::string name = std::string("iperf/iperf3_text_") + form;
    const Json received =
        FindDocument("", Sample(name + ".server.json"))->json["end"]["sum_received"];
    const auto result = iperf::Parse(Saved(name + ".txt"));
    ASSERT_TRUE(result.ok()) << result.status();
    const double bits = received["bits_per_second"].get<double>();
    EXPECT_NEAR(ValueOf(*result, "throughput") * 1e9, bits, 0.005 * bits);
    if (!received.contains("packets")) continue;
    EXPECT_EQ(ValueOf(*result, "lost_packets"), received["lost_packets"].get<double>());
    EXPECT_EQ(ValueOf(*result, "packets"), received["packets"].get<double>());
  }
}

TEST(IperfParse, RetriesOfEnhancedTextAreOfAllStreams) {
  const auto result = iperf::Parse(Saved("iperf/iperf2_enhanced_two.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "retransmits"), 16);
}

TEST(IperfParse, BitsCountByThousandsAndBytesBy1024) {
  const auto result = iperf::Parse(Saved("iperf/iperf2_one.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput"), 14.375734);  // 14375734 Kbits/sec
  EXPECT_DOUBLE_EQ(ValueOf(*result, "transfer"), 1756928);      // KBytes
}

TEST(IperfParse, ExitCodeZeroIsNoSuccess) {
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_refused.json")),
                        "client: unable to connect to server: Connection refused"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf2_refused.txt")),
                        "client: tcp connect failed: Connection refused"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf2_udp_no_server.txt")),
                        "read failed: Connection refused"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf2_enhanced_refused.txt")),
                        "client: tcp connect failed: Connection refused"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_text_refused.txt")),
                        "client: unable to connect to server: Connection refused"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf2_unknown_host.txt")), "Unknown host"));
}

TEST(IperfParse, ARunThatWasCutShortHasNoNumbers) {
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_server_killed.json")),
                        "Connection reset by peer"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_terminated.json")),
                        "the client has terminated"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_text_terminated.txt")),
                        "the client has terminated"));
  EXPECT_TRUE(FailsWith(iperf::Parse(EndedWell("iperf/iperf3_text_server_killed.txt")),
                        "control socket has closed unexpectedly"));
}

TEST(IperfParse, ABadExitIsAFailureThoughThereAreNumbers) {
  Outputs outputs = Saved("iperf/iperf3_tcp.json");
  outputs.stages[0].exit_code = 1;
  EXPECT_TRUE(FailsWith(iperf::Parse(outputs), "exit code 1"));
  outputs = Saved("iperf/iperf2_one.txt");
  outputs.stages[0].signal = 9;
  EXPECT_TRUE(FailsWith(iperf::Parse(outputs), "killed by signal 9"));
}

TEST(IperfParse, CutOffAnywhereIsNoNumber) {
  for (const char* sample :
       {"iperf/iperf3_tcp.json", "iperf/iperf3_udp.json", "iperf/iperf2_adaptive_units.txt",
        "iperf/iperf2_udp.txt", "iperf/iperf2_enhanced_two.txt", "iperf/iperf2_enhanced_udp.txt",
        "iperf/iperf3_text_two.txt", "iperf/iperf3_text_udp.txt", "iperf/iperf3_text_bidir.txt"}) {
    const std::string text = Sample(sample);
    // Iperf 2 says of how many connections it was, after the numbers.
    const std::size_t end = std::min(text.size() - 8, text.find("[ CT] final connect times"));
    const std::size_t step = text.starts_with('{') ? 37 : 7;  // a cut of JSON is one like another
    for (std::size_t size = 0; size < end; size += step) {
      EXPECT_FALSE(iperf::Parse(SavedText(text.substr(0, size))).ok()) << sample << " " << size;
    }
  }
}

// Streams have numbers from 1 on. Here the second ends first.
TEST(IperfParse, CsvOfIperf2WithoutAStreamIsCutOff) {
  for (const char* sample : {"iperf/iperf2_csv_two.txt", "iperf/iperf2_csv_intervals.txt"}) {
    const std::string text = Sample(sample);
    for (std::size_t size = 0; size < text.size(); size += 3) {
      const std::string begin = text.substr(0, size);
      // With --interval both streams have a row from 0 to 1, and then one of them a row from 0 to
      // 2, which its bytes and its rate tell from one of an interval.
      EXPECT_FALSE(iperf::Parse(SavedText(begin)).ok()) << sample << " " << size;
    }
    Outputs outputs = SavedText(text);
    outputs.spec = R"({"tool": "iperf2", "duration": 2, "streams": 3})";
    EXPECT_TRUE(FailsWith(iperf::Parse(outputs), "it has 2 streams, not 3")) << sample;
  }
}

TEST(IperfParse, CsvOfUdpWithoutTheServersReportIsNoNumber) {
  EXPECT_TRUE(
      FailsWith(iperf::Parse(Saved("iperf/iperf2_csv_udp.txt")), "a server report is missing"));
  const auto older = iperf::Parse(
      SavedText("20200101000000,10.0.0.1,40000,10.0.0.2,5001,3,0.0-10.0,1312500,1049871\n"
                "20200101000000,10.0.0.2,5001,10.0.0.1,40000,3,0.0-10.0,1300000,1040000,0.015,9,"
                "893,1.008,0\n"));
  ASSERT_TRUE(older.ok()) << older.status();
  EXPECT_DOUBLE_EQ(ValueOf(*older, "throughput"), 0.00104);
  EXPECT_DOUBLE_EQ(ValueOf(*older, "lost_packets"), 9);
}

TEST(IperfParse, CsvOfOldVersionsHasARowOfAll) {
  const auto result = iperf::Parse(
      SavedText("20100101000000,10.0.0.1,40000,10.0.0.2,5001,3,0.0-10.0,1250000000,999000000\n"
                "20100101000000,10.0.0.1,40001,10.0.0.2,5001,4,0.0-10.0,2500000000,1998000000\n"
                "20100101000000,10.0.0.1,0,10.0.0.2,5001,-1,0.0-10.0,3750000000,2997000000\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput"), 2.997);
}

TEST(IperfParse, PartsOfAnIntervalReportAreNotTheWhole) {
  const std::string text = Sample("iperf/iperf2_two_intervals.txt");
  const std::size_t second = text.find("[SUM] 1.0000-2.0000");
  EXPECT_TRUE(FailsWith(iperf::Parse(SavedText(text.substr(0, text.find('\n', second) + 1))),
                        "it ends before the row of the whole run"));
  // After the first second the spec tells that more was to come.
  const std::size_t first = text.find("[SUM] 0.0000-1.0000");
  Outputs outputs = SavedText(text.substr(0, text.find('\n', first) + 1));
  outputs.spec = R"({"tool": "iperf2", "duration": 2, "streams": 2})";
  EXPECT_TRUE(FailsWith(iperf::Parse(outputs), "it ends after 1 s, not 2"));
}

TEST(IperfParse, TheNumberOfStreamsIsThatOfTheSpec) {
  Outputs outputs = Saved("iperf/iperf2_adaptive_units.txt");
  outputs.spec = R"({"tool": "iperf2", "duration": 3, "streams": 4})";
  EXPECT_TRUE(FailsWith(iperf::Parse(outputs), "it has 2 streams, not 4"));
  outputs.spec = R"({"tool": "iperf2", "duration": 3, "streams": 2})";
  EXPECT_TRUE(iperf::Parse(outputs).ok());
}

TEST(IperfParse, RatesOfStreamsInCsvAddUp) {
  const auto result = iperf::Parse(Saved("iperf/iperf2_two.csv"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput"), (8051225220.0 + 9344929832.0) / 1e9);
}

// Of versions since 2.1.9 a time has its zone; since 2.2 there is a header, and other columns.
TEST(IperfParse, RowsOfCsvThatBeganAtAnotherTimeAreOfAnotherRun) {
  const auto rows = [](const char* time) {
    return ReadText("iperf", absl::StrCat("20261120235601,10.0.0.1,45000,10.0.0.2,5001,1,0.0-10.0,"
                                          "11811160064,9447000000\n",
                                          time,
                                          ",10.0.0.1,45002,10.0.0.2,5001,2,0.0-10.0,"
                                          "11811160064,9447000000\n"));
  };
  EXPECT_TRUE(rows("20261120235602").ok());
  EXPECT_TRUE(FailsWith(rows("20261120235701"), "two runs in one file"));
  EXPECT_TRUE(FailsWith(rows("20261121000001"), "two runs in one file"));
}

TEST(IperfParse, CsvWithTheZoneOfItsTimesIsTheSame) {
  const std::string csv = Sample("iperf/iperf2_two.csv");
  const auto zoned = iperf::Parse(SavedText(absl::StrReplaceAll(csv, {{"1970", "+0100:1970"}})));
  ASSERT_TRUE(zoned.ok()) << zoned.status();
  EXPECT_EQ(zoned->measurements, iperf::Parse(SavedText(csv))->measurements);
  EXPECT_TRUE(
      FailsWith(iperf::Parse(SavedText("time,srcaddress,srcport,dstaddr,dstport,transferid,istart,"
                                       "iend,bytes,speed\n20250608071118,10.244.1.3,33796,"
                                       "10.244.0.4,6789,1,0.0,10.0,11811160064,9447000000\n")),
                "it is CSV with a header, as of iperf 2.2, which is not read"));
}

// Versions before 3.10 have one sum of UDP, of what was sent.
TEST(IperfParse, OfOldUdpWhatArrivedIsWhatWasSentLessWhatWasLost) {
  Json json = Json::parse(Sample("iperf/iperf3_udp.json"));
  Json& end = json["end"];
  for (const char* sum : {"sum_sent", "sum_received"}) end.erase(sum);
  for (Json& stream : end["streams"]) stream["udp"]["lost_percent"] = 25;
  end["sum"]["lost_percent"] = 25;
  const auto read = iperf::Parse(SavedText(json.dump(1)));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->failures.empty());
  const double sent = end["sum"]["bits_per_second"].get<double>() / 1e9;
  EXPECT_DOUBLE_EQ(ValueOf(*read, "throughput_sent"), sent);
  EXPECT_DOUBLE_EQ(ValueOf(*read, "throughput"), 0.75 * sent);
  EXPECT_EQ(ValueOf(*read, "lost"), 25);
  json["start"]["test_start"]["reverse"] = 1;
  EXPECT_TRUE(FailsWith(iperf::Parse(SavedText(json.dump(1))), "its end has no sum_sent"));
}

TEST(IperfParse, AStreamOfEventsOfAnErrorAloneIsThatError) {
  EXPECT_TRUE(FailsWith(
      iperf::Parse(SavedText("{\"event\":\"error\",\"data\":\"unable to connect to server\"}\n"
                             "{\"event\":\"end\",\"data\":{}}\n")),
      "client: unable to connect to server"));
}

TEST(IperfParse, TextOfIperf3WithAnErrorOfAnyShapeDoesNotThrow) {
  for (const char* text : {"iperf3: ", "iperf3: error", "iperf3: x\n", "Connecting to host \n",
                           "Connecting to host h\niperf Done.\n"}) {
    EXPECT_FALSE(iperf::Parse(SavedText(text)).ok()) << text;
  }
}

TEST(IperfParse, NoDataArrivedIsAFailure) {
  std::string text = Sample("iperf/iperf3_tcp.json");
  const std::size_t at = text.rfind("\"bytes\":\t5219549184");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string("\"bytes\":\t5219549184").size(), "\"bytes\":\t0");
  EXPECT_TRUE(FailsWith(iperf::Parse(SavedText(text)), "no data arrived"));
}

}  // namespace
}  // namespace twofold::suite
