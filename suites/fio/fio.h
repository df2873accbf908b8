#pragma once

#include <absl/functional/function_ref.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/suite/document.h"
#include "lib/suite/suite.h"
#include "suites/fio/spec.pb.h"

/// Storage with fio; see README.md.
namespace twofold::suite::fio {

/// The spec, checked.
Result<v1::suites::FioSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::FioSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Suite::runs. Reports of --status-interval are of one run, and the last one counts.
std::vector<std::size_t> Runs(std::string_view output);

/// Which part of a request's life a latency is about. Of a percentile in the terse form nobody can
/// say which of the two it is.
enum Clock : std::size_t { kTotal, kCompletion, kUnnamed, kClocks };

/// As the names of measurements begin.
inline constexpr std::array<const char*, kClocks> kClockNames = {"total_latency",
                                                                 "completion_latency", "latency"};

/// Latencies of one clock, in nanoseconds.
struct Latency {
  struct Moments {
    double min_ns = 0;
    double max_ns = 0;
    double mean_ns = 0;
    double stddev_ns = 0;
  };
  std::optional<Moments> moments;                           ///< nullopt: fio does not say
  std::vector<std::pair<std::string, double>> percentiles;  ///< {"99", ns}
};

/// Reads or writes of one entry of fio's "jobs".
struct Side {
  double bytes_per_s = 0;
  double iops = 0;
  double ios = 0;                  ///< 0: there were none
  double seconds = 0;              ///< they took; 0: it does not say
  double counted_bytes_per_s = 0;  ///< what was counted, by its time; 0: it does not say
  double counted_iops = 0;         ///< the same
  std::array<Latency, kClocks> latencies;
  Dimensions how = {};  ///< it was run, as far as its output says that: {"bs", "4k"}
};

inline constexpr std::array<const char*, 3> kSides = {"read", "write", "trim"};

/// What fio says of one job, or of all jobs of a worker together.
struct Part {
  std::string worker = {};  ///< rank, or host and port
  std::string job = {};     ///< its name; empty: the worker has only one
  std::string group = {};   ///< "0": groups need not have run at once
  double usr_cpu = 0;
  double sys_cpu = 0;
  double jobs = 0;                             ///< that it is of together; 0: it does not say
  std::array<Side, kSides.size()> sides = {};  ///< as kSides
};

/// What one fio has printed, which may be a client of several servers.
struct Report {
  std::string tool;
  std::vector<Part> parts;  ///< worker is empty: it is that of the output
  double error = 0;         ///< the first that a job has ended with; 0: none
  std::string died = {};    ///< a job whose process was killed, and how one sees that; empty: none
  std::string early = {};   ///< why this is no last report: a run that was killed; empty: it may be
  const char* endless = nullptr;  ///< its form, if nothing in it shows that no report was to follow
  std::string_view said = {};     ///< what it printed beside its numbers: warnings, errors
  std::vector<std::string> notes = {};
};

/// The forms in which fio prints its numbers. Several at once are possible
/// (--output-format=normal,json): the first of these that is there is read.
/// Errors   kDataLoss: its output is not whole.
Result<Report> FromJson(const std::string& stage, std::string_view text);
Result<Report> FromTerse(const std::string& stage, std::string_view text);
Result<Report> FromNormal(const std::string& stage, std::string_view text);

/// An option as fio reads it: "8m" is 8 * 2^20 bytes, or 480 seconds. nullopt: it is written in
/// another way ("50%").
std::optional<double> OptionBytes(const std::string& text);
std::optional<double> OptionSeconds(const std::string& text);

/// How each side of a job was run. Numbers that were made in two ways are not compared.
using Ways = std::array<Dimensions, kSides.size()>;

/// An option of a job, as it was written; empty: it has none.
using OptionReader = absl::FunctionRef<std::string(std::string_view name)>;

/// The ways by the options of a job, and by what fio takes where one is left out.
Ways WaysByOptions(OptionReader option);

/// Whether a part did what its options say. With group_reporting an entry is of all jobs of a
/// group, and has the options of one of them. `verifies`: it also reads what it has written.
bool IsDone(const Ways& ways, const Part& part, bool verifies);

/// Null: it is not said.
const std::string* ValueOf(const Dimensions& how, std::string_view name);

/// What all of them say, "4k+64k" where they differ.
Dimensions Common(const std::vector<const Dimensions*>& ways);

/// 4096 is "4k", as people write it.
std::string SizeText(double bytes);

/// fio's word for order and sides: of "randread:8", and "rw" of "readwrite".
std::string PatternIn(std::string_view rw);

/// How a part is not what the spec asks for: its sides, sizes of requests, time, settings, or
/// number of jobs; empty: it is.
std::string Otherwise(const v1::suites::FioSpec& spec, const Part& part);

/// Runs of output in JSON.
std::vector<std::size_t> RunsInJson(std::string_view output);

/// Whether the last report in JSON is of the jobs that the output also says in the normal form.
bool IsSaidInJson(std::string_view output);

/// What lines of the normal form say of runs.
std::vector<SignAt> SignsOfNormal(std::string_view output);

/// The counts of "issued rwts: total=112804,48465,0,0 short=..."; nullopt: the line is another.
std::optional<std::string_view> CountsIn(std::string_view line);

}  // namespace twofold::suite::fio
