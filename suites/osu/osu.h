#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/document.h"
#include "lib/suite/suite.h"
#include "lib/suite/text.h"
#include "suites/osu/spec.pb.h"

/// OSU micro-benchmarks; see README.md.
namespace twofold::suite::osu {

/// The spec, checked.
Result<v1::suites::OsuSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::OsuSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Suite::runs: a run goes through tests, and a title that it has already begins the next one. A
/// document of several is read nevertheless: what their tests say of themselves may tell them
/// apart, such as the memory that they use.
std::vector<std::size_t> Runs(std::string_view output);

/// With how many MPI ranks a test runs. With others some tests say so, and some hang for ever.
enum class Ranks : std::uint8_t {
  kPair,      ///< exactly two
  kEven,      ///< two or more, and no odd number
  kTwoNodes,  ///< two or more, on two nodes at least
  kSome,      ///< two or more
  kGrid,      ///< three or more: a ring needs them, and with two the test only says so
  kAny,       ///< one or more
};

struct Test {
  std::string_view name;  ///< of the program: "osu_latency"
  std::string_view
      title;  ///< in the first line it prints, without version; empty: that of another test
  Ranks ranks;
  std::uint64_t largest;  ///< last message size by default, bytes; 0: it has no sizes
};

/// All programs of OMB 7.4 for MPI and C.
std::span<const Test> Tests();

/// The test of that name, with or without "osu_"; null: there is none.
const Test* FindTest(std::string_view name);

/// The test that prints this title; null: not known. Of those that share one it is the first.
const Test* FindTitle(std::string_view title);

/// What one test has printed, with what is known about how it was run.
struct Section {
  std::string test;  ///< "osu_latency", or the title if no test is known by it; empty: not known
  std::string accelerator = {};  ///< whose memory it uses: "CUDA", "ROCM"; empty: the host's
  std::string command;           ///< with arguments, blanks between; empty: not known
  std::vector<std::string_view> lines;
  bool whole = true;  ///< its last line has an end
  std::optional<double> wall_s;
  const StageOutput* stage = nullptr;  ///< which it is a part of
  bool alone = true;                   ///< all of the stage, so that its exit code is about it
};

/// The tests in the output of a stage: one, or several in the log of a metrics-operator pod, or of
/// a script that ran one after the other.
std::vector<Section> ReadSections(const StageOutput& stage);

/// Whether this is the log of a metrics-operator pod that ends before its last line.
bool IsCutOff(std::string_view log);

/// What follows "# OSU " in the title line of a test, without the version at its end; nullopt: no
/// such line.
std::optional<std::string_view> TitleOf(std::string_view line);

/// One table of a test; a test has one for each datatype, and osu_mbw_mr -V one for each window.
struct Table {
  std::string datatype;  ///< "MPI_INT"; empty: the test does not say
  std::string window;    ///< window size of osu_mbw_mr -V; else empty
  SizeTable data;        ///< without columns of validation
};

/// What a test has printed.
struct Report {
  std::string version;  ///< "7.4"
  std::vector<Table> tables;
  Dimensions facts = {};  ///< how it was run, as its header says it: {"buffers", "D to H"}
  std::vector<Measurement> single;  ///< osu_init
  bool hello = false;               ///< osu_hello has said its sentence
  std::string failure = {};         ///< a validation that failed
  Skipped skipped = {};             ///< lines between rows that are none
};

/// Errors   kDataLoss: a row or a heading that is cut off or not understood.
Result<Report> ReadReport(const Section& section);

}  // namespace twofold::suite::osu
