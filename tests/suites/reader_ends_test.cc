// What proves that a run came to its end: reports on the way look like results.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

constexpr char kEndsBefore[] = "it ends before its last report";

TEST(ReaderEnds, AFioThatWasKilledBetweenItsReportsHasNoResult) {
  const std::string json = Sample("fio/cases/status-interval-killed.json");
  EXPECT_TRUE(FailsWith(ReadText("fio", json), absl::StrCat(kEndsBefore, ": 1 s were left")));
  // After the first reports it does not know yet how long it needs.
  const std::string first = json.substr(0, DocumentStarts(json).at(1));
  EXPECT_TRUE(FailsWith(ReadText("fio", first), kEndsBefore));
  EXPECT_TRUE(ReadText("fio", Sample("fio/cases/status-interval.json")).ok());
}

TEST(ReaderEnds, AShortFioThatDidAllDoesNotKnowHowLongItNeedsAndHasEnded) {
  EXPECT_TRUE(ReadText("fio", Sample("fio/worker0.json")).ok());   // by its run time
  EXPECT_TRUE(ReadText("fio", Sample("fio/two_jobs.json")).ok());  // by its size
}

TEST(ReaderEnds, ReportsOfTheNormalFormAtOneDistanceHaveNoLastOne) {
  const std::string text = Sample("fio/cases/status-interval.txt");
  const auto whole = ReadText("fio", text);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(ValueOf(*whole, "cpu_user"), 73.1);  // of the last one
  for (int reports = 4; reports > 1; --reports) {
    std::size_t end = 0;
    for (int i = 0; i <= reports; ++i) end = text.find("mix: (groupid=", end + 1);
    EXPECT_TRUE(FailsWith(ReadText("fio", text.substr(0, end)), kEndsBefore)) << reports;
  }
}

TEST(ReaderEnds, AnIperf2ThatWasKilledBetweenItsIntervalsHasNoResult) {
  constexpr char kEnds[] = "it ends before the row of the whole run";
  for (const char* sample :
       {"iperf2_killed_in_second_interval.txt", "iperf2_killed_later.txt", "iperf2_killed.csv"}) {
    const std::string text = Sample(absl::StrCat("iperf/cases/", sample));
    EXPECT_TRUE(FailsWith(ReadText("iperf", text), kEnds)) << sample;
  }
  // All rows but the last are of intervals.
  const std::string csv = Sample("iperf/cases/iperf2_intervals.csv");
  const auto whole = ReadText("iperf", csv);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_NEAR(ValueOf(*whole, "throughput"), 0.001567, 1e-6);
  const std::size_t last = csv.rfind('\n', csv.size() - 2) + 1;
  EXPECT_TRUE(FailsWith(ReadText("iperf", csv.substr(0, last)), kEnds));
}

TEST(ReaderEnds, WhoAskedForASecondSeesThatAnIntervalOfOneIsTheWholeRun) {
  Outputs outputs = Saved("iperf/cases/iperf2_killed_in_second_interval.txt");
  outputs.spec = R"({"tool": "iperf2", "duration": 1})";
  EXPECT_TRUE(FindSuite("iperf")->parse(outputs).ok());
  outputs.spec = R"({"tool": "iperf2", "duration": 4})";
  EXPECT_TRUE(FailsWith(FindSuite("iperf")->parse(outputs), "it ends after 1 s, not 4"));
}

// ---- Iperf3

TEST(ReaderEnds, TheFullObjectAfterAStreamOfEventsIsOfTheSameRun) {
  const std::string stream = Sample("iperf/cases/json-stream.json");
  const auto documents = FindDocuments("", stream);
  ASSERT_TRUE(documents.ok());
  Json full = {{"intervals", Json::array()}};
  for (const Document& document : *documents) {
    const std::string event = TextAt(document.json, {"event"});
    if (event == "interval") {
      full["intervals"].push_back(document.json["data"]);
    } else {
      full[event] = document.json["data"];
    }
  }
  const auto events = ReadText("iperf", stream);
  const auto both = ReadText("iperf", stream + full.dump(1) + "\n");
  ASSERT_TRUE(events.ok() && both.ok()) << both.status();
  EXPECT_EQ(both->measurements, events->measurements);
  EXPECT_EQ(both->series, events->series);
  // Another run's object is not that of these events, and one that is cut off is none.
  EXPECT_TRUE(FailsWith(ReadText("iperf", stream + Sample("iperf/iperf3_reverse.json")),
                        "several results of iperf3"));
  EXPECT_TRUE(FailsWith(ReadText("iperf", stream + full.dump(1).substr(0, 400)), "cut off"));
  EXPECT_TRUE(FailsWith(ReadText("iperf", stream + full.dump() + "\n" + stream), "2 runs"));
}

// ---- NetPIPE

TEST(ReaderEnds, ATableOfNetpipeHasNoEndWhichIsSaidUnlessTheSpecHasIt) {
  Outputs outputs = Saved("mpi_pingpong/netpipe.txt");
  const auto saved = FindSuite("mpi-pingpong")->parse(outputs);
  ASSERT_TRUE(saved.ok()) << saved.status();
  ASSERT_EQ(saved->notes.size(), 1U);
  EXPECT_EQ(saved->notes[0], "NetPIPE says no end: its table may be cut off after size 65539");
  outputs.spec = R"({"tool": "netpipe", "maxlog": 16})";
  const auto asked = FindSuite("mpi-pingpong")->parse(outputs);
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_TRUE(asked->notes.empty());
}

// ---- OpenFOAM

TEST(ReaderEnds, AStepThatLostItsLinesIsNoShorterStepOfTheNext) {
  for (const char* sample : {"openfoam/cases/pimple.log", "openfoam/simple.log"}) {
    const std::string log = Sample(sample);
    ASSERT_TRUE(ReadText("openfoam", log).ok());
    std::string text = log;
    const std::size_t end = text.find("ExecutionTime = 70");
    text.erase(end, text.find('\n', end) + 1 - end);
    EXPECT_TRUE(FailsWith(ReadText("openfoam", text), "has no ExecutionTime")) << sample;
    text = log;
    const std::size_t begin = text.find("\nTime = 1") + 1;
    text.erase(begin, text.find('\n', begin) + 1 - begin);
    EXPECT_TRUE(FailsWith(ReadText("openfoam", text), "the line of their time is missing"))
        << sample;
  }
}

}  // namespace
}  // namespace twofold::suite
