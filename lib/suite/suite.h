#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/suite/measurements.h"
#include "lib/suite/plan.h"

namespace google::protobuf {
class Descriptor;
}

namespace twofold::suite {

/// What is left of a stage that has run, or a file that somebody has saved.
struct StageOutput {
  std::uint32_t rank = 0;
  std::string stage;                   ///< Stage::name; empty: not known
  std::vector<std::string> argv = {};  ///< as it was run; empty: not known
  std::string out;                     ///< stdout; of saved logs stderr as well, mixed
  std::string err = {};
  std::vector<File> files = {};       ///< what Stage::collect asked for, as far as it was there
  std::optional<int> exit_code = {};  ///< nullopt: not known, or a signal
  int signal = 0;                     ///< that ended it; 0: none, or not known
  std::optional<Duration> wall = {};  ///< from start to end, by the runner's clock
};

/// What a job has left, or what people have of an old one.
struct Outputs {
  std::string spec = {};            ///< the job's; empty: not known
  std::vector<StageOutput> stages;  ///< by rank, and in the order in which they ran
};

/// A program of others that a suite runs.
struct Tool {
  std::string_view program;       ///< without folders: "fio", "ib_*_bw"
  const char* version = nullptr;  ///< the argument with which it says its version and no more
  std::string_view from = {};     ///< who has it: "Debian's package fio"
};

/// What a worker has, as jobs can ask for it: {"gpu.name", "NVIDIA H200"}.
using Labels = std::map<std::string, std::string>;

/// A kind of benchmark: the row of a table (suites/table). Three pure functions; processes, files,
/// time and the network are the runner's (backend/), so a suite is tested with text alone.
///
/// A spec is the message `spec` as JSON, with the field names of the system it comes from, and the
/// rules beside its fields (twofold/v1/spec/rules.proto); empty stands for {}. A job of a suite
/// has it as its one argument.
///
/// Time     None: no clock is read.
/// Threads  Pure; call from where you like.
/// Errors   A spec: kInvalidArgument, which field, what is allowed. See each function.
/// Cost     Linear in its input. Output is bounded by whoever hands it in.
struct Suite {
  std::string_view name;       ///< "iperf": of workers, files and the command line
  std::string_view kind;       ///< "IPerf": in YAML
  std::string_view help = {};  ///< what it measures, in a few words
  const google::protobuf::Descriptor* (*spec)() =
      nullptr;  ///< the message of suites/NAME/spec.proto

  /// Whether the spec makes sense, without running anything: before a job is queued, and before one
  /// is run. Returns how many members it needs.
  Result<std::uint32_t> (*check)(std::string_view spec) = nullptr;

  /// What each rank prepares and runs.
  /// Errors  as `check`; kInvalidArgument: the gang has not as many members as `check` says.
  Result<GangPlan> (*plan)(std::string_view spec, const Gang& gang) = nullptr;

  /// What the tools have measured. Called however the stages have ended, and the only judge of it:
  /// some tools exit with 0 though they failed, and some do not though they succeeded. A stage that
  /// was killed, a tool that says it failed, output that is cut off, garbled or of another tool are
  /// errors or failures, never numbers.
  /// Errors  kAborted: the tool failed, in its own words. kDataLoss: its output is not whole, or
  ///         not such output. "STAGE: reason", one line.
  Result<Measurements> (*parse)(const Outputs& outputs) = nullptr;

  /// Where runs begin in what somebody has saved: offsets of their first lines, rising. A document
  /// is one run: more than one is refused, unless somebody asks for each (`twofold parse
  /// --each-run`). Gets clean text (CleanText with `keys`). Null: nothing shows where one begins.
  std::vector<std::size_t> (*runs)(std::string_view output) = nullptr;

  /// Of the object of JSON that `parse` reads, which has one of them at the top. Objects without
  /// any beside it are of a log, and are skipped. None: all objects are read.
  std::span<const std::string_view> keys = {};

  /// What a worker runs once, when it starts, to see whether it can offer the suite: a program that
  /// says what devices and tools there are, and its arguments. None: any worker can.
  std::array<const char*, 3> probe = {};
  /// What the probe has found, as labels: names begin with the suite's.
  /// Errors   Any: why this worker does not offer the suite, for whoever looks at its log.
  Result<Labels> (*offer)(const StageOutput& probe) = nullptr;

  std::array<Tool, 3> tools = {};
};

}  // namespace twofold::suite
