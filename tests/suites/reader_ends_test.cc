// What proves that a run came to its end: reports on the way look like results.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

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

TEST(ReaderEnds, ASingleReportOfFioInAFormThatHasNoEndIsReadAndThatIsSaid) {
  for (const auto& [sample, form] :
       {std::pair{"fio/forms_two.txt", "normal"}, {"fio/forms_group.terse", "terse"}}) {
    Outputs outputs = Saved(sample);
    const auto saved = FindSuite("fio")->parse(outputs);
    ASSERT_TRUE(saved.ok()) << saved.status();
    ASSERT_EQ(saved->notes.size(), 1U);
    EXPECT_EQ(saved->notes[0],
              absl::StrCat("fio's ", form, " form says no end: with --status-interval another ",
                           "report may have been cut off"));
    outputs.stages[0].exit_code = 0;  // whoever saw it end knows that
    EXPECT_TRUE(FindSuite("fio")->parse(outputs)->notes.empty());
  }
  for (const char* sample : {"fio/worker0.json", "fio/cases/status-interval.txt"}) {
    EXPECT_TRUE(ReadText("fio", Sample(sample))->notes.empty()) << sample;
  }
}

// As of a short run, which never knows how long it needs.
TEST(ReaderEnds, AFioThatWasToEndByAnotherOptionThanItsTimeAndSizeHasEnded) {
  Json json = Json::parse(Sample("fio/worker0.json"));
  json["jobs"][0]["job options"]["runtime"] = "60";
  json["jobs"][0]["job options"]["size"] = "10G";
  json["jobs"][0]["eta"] = 2147483647;
  EXPECT_TRUE(FailsWith(ReadText("fio", json.dump(1)), kEndsBefore));
  for (const char* option : {"io_size", "number_ios", "latency_target"}) {
    Json other = json;
    other["jobs"][0]["job options"][option] = "1000";
    EXPECT_TRUE(ReadText("fio", other.dump(1)).ok()) << option;
  }
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

// As of `kubectl logs --tail`.
TEST(ReaderEnds, AJobOfFioWithoutItsFirstLineIsNotLostAmongOthers) {
  const std::string text = Sample("fio/forms_two.txt");
  ASSERT_TRUE(ReadText("fio", text).ok());
  for (const char* line : {"mix: (groupid=0, jobs=1)", "  read: IOPS=4921"}) {
    EXPECT_TRUE(FailsWith(ReadText("fio", text.substr(text.find('\n', text.find(line)))),
                          "the first line of a job, with its name, is missing"))
        << line;
  }
  const std::size_t second = text.rfind("mix: (groupid=0, jobs=1)");
  EXPECT_TRUE(
      FailsWith(ReadText("fio", text.substr(0, second) + text.substr(text.find('\n', second) + 1)),
                "the first line of a job, with its name, is missing"));
}

TEST(ReaderEnds, DatagramsOfIperf2AreKnownByTheServersReport) {
  const std::string text = Sample("iperf/cases/i205u.txt");
  const auto whole = ReadText("iperf", text);
  const auto tail = ReadText("iperf", text.substr(text.find('\n') + 1));
  ASSERT_TRUE(whole.ok() && tail.ok()) << tail.status();
  EXPECT_EQ(tail->measurements, whole->measurements);
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

// Its times have tenths, so that an interval of a second looks like a run of one.
TEST(ReaderEnds, AnOldIperf2OfOneRowIsSaidToBePerhapsItsFirstInterval) {
  const std::string text = Sample("iperf/cases/i205.txt");
  const auto whole = ReadText("iperf", text);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_TRUE(whole->notes.empty());  // it has intervals, and the row after them
  const std::string first = text.substr(0, text.find('\n', text.find(" 0.0- 1.0 sec")) + 1);
  const auto one = ReadText("iperf", first);
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->notes.size(), 1U);
  EXPECT_EQ(one->notes[0],
            "its only row, of 1 s, may be that of its first interval: iperf before 2.1 says no "
            "more");
  Outputs asked = SavedText(first);
  asked.spec = R"({"tool": "iperf2", "duration": 1})";
  EXPECT_TRUE(FindSuite("iperf")->parse(asked)->notes.empty());
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

// ---- IMB

TEST(ReaderEnds, AnImbThatWasKilledBetweenTwoTablesHasNoResult) {
  const std::string many = Sample("mpi_pingpong/imb_many.txt");
  ASSERT_TRUE(ReadText("mpi-pingpong", many).ok());
  int tables = 0;
  for (std::size_t at = many.find("# Benchmarking "); at != std::string::npos;
       at = many.find("# Benchmarking ", at + 1)) {
    if (tables++ == 0) continue;
    EXPECT_TRUE(FailsWith(ReadText("mpi-pingpong", many.substr(0, at)), "cut off")) << at;
  }
  EXPECT_GT(tables, 5);
}

// As of `kubectl logs --tail`.
TEST(ReaderEnds, AnImbWhoseBeginningIsCutOffSaysSoOrHasNoResult) {
  const std::string many = Sample("mpi_pingpong/imb_many.txt");
  const std::size_t second = many.find("# Benchmarking Bcast");
  const auto named = ReadText("mpi-pingpong", many.substr(second));
  ASSERT_TRUE(named.ok()) << named.status();
  ASSERT_EQ(named->notes.size(), 1U);
  EXPECT_EQ(named->notes[0], "IMB's title is missing: tables before the first may be cut off");
  EXPECT_TRUE(FailsWith(ReadText("mpi-pingpong", many.substr(many.find('\n', second) + 1)),
                        "the name of its first benchmark is missing"));
}

// ---- NetPIPE

TEST(ReaderEnds, RowsOfNetpipeAreNumberedSoThatNoneIsMissing) {
  const std::string text = Sample("mpi_pingpong/netpipe.txt");
  EXPECT_TRUE(FailsWith(ReadText("mpi-pingpong", text.substr(text.find("  5: "))),
                        "its row 0: is missing, before 5: "));
  const std::size_t row = text.find("  5: ");
  EXPECT_TRUE(FailsWith(
      ReadText("mpi-pingpong", text.substr(0, row) + text.substr(text.find('\n', row) + 1)),
      "its row 5: is missing"));
}

TEST(ReaderEnds, ARowOfNetpipeThatIsCutOffAnywhereIsNoNoise) {
  const std::string text = Sample("mpi_pingpong/netpipe.txt");
  const std::size_t row = text.find(" 28: ") + 1;
  for (std::size_t size = row + 1; text[size] != '\n'; ++size) {
    EXPECT_TRUE(FailsWith(ReadText("mpi-pingpong", text.substr(0, size)), "cut off: 2")) << size;
  }
  // Of each rank NetPIPE says the host, which a log may have anywhere.
  EXPECT_TRUE(ReadText("mpi-pingpong", text.substr(0, row) + "28: worker-28\n").ok());
}

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

// ---- MPI

// What is said below a table of a process that died, however whole the table is.
TEST(ReaderEnds, WhatMpirunOrSlurmOrAShellSaysOfAKilledJobFailsIt) {
  constexpr std::string_view kRule = "--------------------------------------------------\n";
  for (const auto& [said, reason] : {
           std::pair{"mpiexec noticed that process rank 0 with PID 1 on node n exited on \n"
                     "signal 6 (Aborted).\n",
                     "process rank 0 with PID 1 on node n exited on signal 6 (Aborted)."},
           {"Primary job  terminated normally, but 1 process returned\n"
            "a non-zero exit code. Per user-direction, the job has been aborted.\n",
            "but 1 process returned a non-zero exit code."},
           {"MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n"
            "with errorcode 1.\n\nNOTE: invoking MPI_ABORT causes Open MPI to kill all.\n",
            "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD with errorcode 1."},
           {"Abort(1) on node 0 (rank 0 in comm 0): application called MPI_Abort\n", "Abort(1) on"},
           {"Fatal error in PMPI_Recv: Unknown error class\n", "Fatal error in PMPI_Recv: Unk"},
           {"[n:7] *** Process received signal ***\n[n:7] Signal: Segmentation fault (11)\n",
            "Signal: Segmentation fault (11)"},
           {"slurmstepd: error: *** STEP 1.0 ON n CANCELLED AT 2026-11-20T23:41:55 DUE TO TIME "
            "LIMIT ***\n",
            "DUE TO TIME LIMIT"},
           {"command terminated with exit code 137\n", "terminated with exit code 137"},
           {"Killed\n", ": Killed"},
       }) {
    for (const auto& [suite, sample] : {std::pair{"osu", "osu/osu_latency-np2.txt"},
                                        {"mpi-pingpong", "mpi_pingpong/netpipe.txt"},
                                        {"mpi-pingpong", "mpi_pingpong/imb.txt"}}) {
      EXPECT_TRUE(FailsWith(ReadText(suite, absl::StrCat(Sample(sample), std::string(kRule), said)),
                            reason))
          << sample << ": " << said;
    }
  }
  EXPECT_TRUE(ReadText("osu", Sample("osu/osu_latency-np2.txt") + "It was not Killed\n").ok());
}

// ---- Lost lines

// `text` without the line that has `words`.
std::string WithoutLine(const std::string& text, std::string_view words) {
  const std::size_t begin = text.rfind('\n', text.find(words)) + 1;
  return text.substr(0, begin) + text.substr(text.find('\n', begin) + 1);
}

void ExpectNote(const Result<Measurements>& read, std::string_view note) {
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->notes.size(), 1U) << note;
  EXPECT_NE(read->notes[0].find(note), std::string::npos) << read->notes[0];
}

TEST(ReaderEnds, ASizeThatIsMissingAmongSizesThatDoubleIsSaid) {
  const std::string osu = Sample("osu/osu_latency-np2.txt");
  ExpectNote(ReadText("osu", WithoutLine(osu, "\n4096 ")), "there is no row of 4096 B");
  ExpectNote(ReadText("osu", WithoutLine(osu, "\n1 ")), "its table begins at 2 B, where");
  ExpectNote(ReadText("mpi-pingpong", WithoutLine(Sample("mpi_pingpong/imb.txt"), "   4096  ")),
             "its sizes double, but there is no row of 4096 B");
  ExpectNote(ReadText("rdma-bandwidth", WithoutLine(Sample("rdma/read_bw.txt"), "\n 4096 ")),
             "there is no row of 4096 B");
}

TEST(ReaderEnds, LinesBehindTheLastRowOfOsuAreSaid) {
  const std::string text = Sample("osu/osu_latency-np2.txt");
  ExpectNote(ReadText("osu", text + "a warning of the launcher\n"),
             "1 line around its rows skipped, such as: a warning of the launcher");
  EXPECT_TRUE(
      ReadText("osu", text + "real\t0m48.187s\nuser\t0m0.087s\nsys\t0m0.2s\n")->notes.empty());
}

TEST(ReaderEnds, ATableOfImbThatEndsBeforeTheSizeOfItsHeaderIsNone) {
  const std::string text = Sample("mpi_pingpong/imb.txt");
  EXPECT_TRUE(FailsWith(ReadText("mpi-pingpong", WithoutLine(text, "        65536  ")),
                        "its table ends at 32768 B, and its header says 65536 B"));
  ExpectNote(ReadText("mpi-pingpong", WithoutLine(text, "            0  ")),
             "its table begins at 1 B, and its header says 0 B");
}

TEST(ReaderEnds, TimeOfIperf3ThatNoIntervalIsOfIsSaid) {
  Json json = Json::parse(Sample("iperf/iperf3_tcp.json"));
  ASSERT_TRUE(ReadText("iperf", json.dump())->notes.empty());
  for (const auto& [lost, when] :
       {std::pair{0, "none is of 0 to 1 s"}, {1, "of 1 to 2 s"}, {2, "of 2 to 3 s"}}) {
    Json less = json;
    less["intervals"].erase(static_cast<std::size_t>(lost));
    ExpectNote(ReadText("iperf", less.dump()), when);
  }
  const std::string text = Sample("iperf/iperf3_text_verbose.txt");
  const auto whole = ReadText("iperf", text);
  ASSERT_TRUE(whole.ok() && whole->notes.empty()) << whole.status();
  EXPECT_FALSE(ReadText("iperf", WithoutLine(text, "   0.00-1.01 "))->notes.empty());
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

// What `kubectl logs --tail` and rotation leave: a run without its first lines, beside a whole one.
TEST(ReaderEnds, ARunThatLostItsBeginningIsARunBesideAWholeOne) {
  struct Case {
    const char* suite;
    const char* sample;
    const char* cut;  // the first line that is left of a run
  };
  for (const auto& [suite, sample, cut] :
       {Case{"iperf", "iperf/iperf3_text_two.txt", "[  5]   1.00-"},
        {"iperf", "iperf/cases/json-stream.json", R"({"event":"interval")"},
        {"mpi-pingpong", "mpi_pingpong/imb.txt", "            4  "},
        {"rdma-bandwidth", "rdma/read_bw.txt", " 65536 "}}) {
    const std::string whole = Sample(sample);
    ASSERT_NE(whole.find(cut), std::string::npos) << sample;
    const std::string headless = whole.substr(whole.find(cut));
    const auto alone = ReadText(suite, whole);
    for (const bool is_first : {true, false}) {
      const std::string text = is_first ? headless + whole : whole + headless;
      EXPECT_TRUE(FailsWith(ReadText(suite, text), "2 runs in one document")) << sample;
      const auto runs = EachRun(suite, text);
      ASSERT_EQ(runs.size(), 2U) << sample;
      EXPECT_FALSE(runs[is_first ? 0 : 1].ok()) << sample;
      ASSERT_TRUE(runs[is_first ? 1 : 0].ok()) << sample;
      EXPECT_EQ(runs[is_first ? 1 : 0]->measurements, alone->measurements) << sample;
    }
  }
}

TEST(ReaderEnds, RowsOfIperf2BeforeItsFirstLineAreOfAnotherRun) {
  const std::string whole = Sample("iperf/iperf2_enhanced_two.txt");
  const std::string rows = whole.substr(whole.find("[ ID]"));
  EXPECT_TRUE(FailsWith(ReadText("iperf", rows + whole), "2 runs in one document"));
  EXPECT_TRUE(FailsWith(ReadText("iperf", whole + rows), "has two rows of the whole run"));
}

TEST(ReaderEnds, AReportOfFioThatIsNotALaterOneOfItsRunIsOfAnother) {
  const std::string whole = Sample("fio/forms_group.txt");
  const std::string report = whole.substr(whole.find("mix: (groupid="));
  EXPECT_TRUE(FailsWith(ReadText("fio", report + whole), "2 runs in one document"));
  for (const auto& [is, other] : {std::pair{"mix: (groupid=", "other: (groupid="},
                                  {"pid=16843", "pid=16850"},
                                  {"total=17891,", "total=17890,"},
                                  {"IOPS=8941", "IOPS=8940"}}) {
    ASSERT_NE(report.find(is), std::string::npos) << is;
    EXPECT_TRUE(FailsWith(ReadText("fio", whole + absl::StrReplaceAll(report, {{is, other}})),
                          "does not go on from the one before"));
  }
}

TEST(ReaderEnds, IntervalsThatGoBackAreOfTwoRuns) {
  Json json = Json::parse(Sample("iperf/iperf3_tcp.json"));
  const Json intervals = json["intervals"];
  for (const Json& interval : intervals) json["intervals"].push_back(interval);
  EXPECT_TRUE(FailsWith(ReadText("iperf", json.dump(1)),
                        "two runs in one document: throughput_over_time goes back from 3 s"));
}

TEST(ReaderEnds, RunsInTwoFormsAreTwoRuns) {
  for (const auto& [suite, first, second] :
       {std::tuple{"iperf", "iperf/iperf3_tcp.json", "iperf/iperf3_text_two.txt"},
        {"iperf", "iperf/iperf2_one.txt", "iperf/iperf2_two.csv"},
        {"fio", "fio/forms_two.txt", "fio/worker0.json"}}) {
    for (const auto& text : {Sample(first) + Sample(second), Sample(second) + Sample(first)}) {
      EXPECT_TRUE(FailsWith(ReadText(suite, text), "2 runs in one document")) << first;
      for (const auto& run : EachRun(suite, text)) EXPECT_TRUE(run.ok()) << run.status();
    }
  }
  // As with --output-format=normal,json: the same jobs.
  EXPECT_TRUE(ReadText("fio", Sample("fio/forms_two.txt") + Sample("fio/forms_two.json")).ok());
}

TEST(ReaderEnds, AMissingBeginningIsSaid) {
  const std::string text = Sample("iperf/iperf3_text_two.txt");
  EXPECT_TRUE(FailsWith(ReadText("iperf", text.substr(text.find("[SUM]"))),
                        "its first lines are missing, which say in which direction it went"));
  for (const auto& [suite, sample] :
       {std::pair{"iperf", "iperf/iperf3_tcp.json"}, {"fio", "fio/worker0.json"}}) {
    const std::string json = Sample(sample);
    const std::size_t line = json.find('\n', json.size() / 2) + 1;
    EXPECT_TRUE(
        FailsWith(ReadText(suite, json.substr(line)), "the beginning of its JSON is missing"));
  }
  const std::string log = Sample("openfoam/solve_two.txt");
  EXPECT_TRUE(FailsWith(ReadText("openfoam", log.substr(log.find("Time = "))),
                        "its header, with the program and its version, is missing"));
}

}  // namespace
}  // namespace twofold::suite
