#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/result.h"

/// What a benchmark has measured, as the store keeps it: the numbers, and what they were measured
/// with. Fields and units are those of proto/twofold/v1/results.proto.
namespace twofold::results {

enum class Better : std::uint8_t { kNone, kHigher, kLower };

/// "none", "higher", "lower".
const char* Word(Better better);

using Dimensions = std::vector<std::pair<std::string, std::string>>;

/// What a number is: name, unit and dimensions together tell it from the others of its job.
struct Metric {
  std::string name = {};
  std::string unit = {};
  Better better = Better::kNone;
  bool headline = false;
  Dimensions dimensions = {};

  bool operator==(const Metric&) const = default;
};

struct Measurement {
  Metric metric = {};
  double value = 0;
  Dimensions at = {};  ///< of the best of many, where it was found

  bool operator==(const Measurement&) const = default;
};

struct SeriesColumn {
  std::string name = {};
  std::string unit = {};
  Better better = Better::kNone;

  bool operator==(const SeriesColumn&) const = default;
};

struct Series {
  std::string name = {};
  Dimensions dimensions = {};
  std::vector<SeriesColumn> columns = {};
  std::vector<double> values = {};  ///< row after row

  bool operator==(const Series&) const = default;
};

struct PartFailure {
  std::string stage = {};
  std::string reason = {};

  bool operator==(const PartFailure&) const = default;
};

/// Nanoseconds of rank 0's clock since it was handed the attempt; 0: it did not come to that.
struct Timeline {
  std::uint64_t prepared_ns = 0;
  std::uint64_t started_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t collected_ns = 0;
  std::uint64_t parsed_ns = 0;

  bool operator==(const Timeline&) const = default;
};

/// A raw output, compressed by the worker and never looked into.
struct Artifact {
  std::string name = {};
  std::string zstd = {};
  std::uint64_t bytes = 0;     ///< of the whole, before it was compressed
  std::uint64_t left_out = 0;  ///< bytes from its middle

  bool operator==(const Artifact&) const = default;
};

struct Stage {
  std::string name = {};
  std::vector<std::string> argv = {};
  std::string tool_version = {};
  std::uint64_t started_ns = 0;
  std::uint64_t wall_ns = 0;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string error = {};
  std::vector<Artifact> artifacts = {};  ///< "stdout" and "stderr" among them

  bool operator==(const Stage&) const = default;
};

/// Where a rank ran.
struct Host {
  std::string node = {};
  std::string pod = {};
  std::string address = {};
  std::string kernel = {};
  std::string cpu = {};
  std::uint32_t cpus = 0;
  std::string image = {};

  bool operator==(const Host&) const = default;
};

struct Rank {
  Host host = {};
  std::vector<Stage> stages = {};

  bool operator==(const Rank&) const = default;
};

struct Benchmark {
  std::string suite = {};
  std::string tool = {};
  std::vector<Measurement> measurements = {};
  std::vector<Series> series = {};
  std::vector<PartFailure> failures = {};
  std::vector<Rank> ranks = {};
  Timeline timeline = {};
  std::string failed_stage = {};
  std::vector<std::string> left_out = {};

  bool operator==(const Benchmark&) const = default;
};

/// Whether it may be stored: numbers are finite, rows are whole, names are there and printable, and
/// nothing is larger than the limits in benchmark.cc.
/// Errors   kInvalidArgument: the first that is wrong, "measurements[3].value is not finite".
Status Check(const Benchmark& benchmark);

/// About what it takes in memory and on disk.
std::size_t ByteSize(const Benchmark& benchmark);

/// A Benchmark, or none. Copies share it; equal ones compare equal.
class SharedBenchmark {
 public:
  SharedBenchmark() = default;
  explicit SharedBenchmark(Benchmark benchmark)
      : benchmark_(std::make_shared<const Benchmark>(std::move(benchmark))) {}

  /// nullptr: none.
  [[nodiscard]] const Benchmark* get() const { return benchmark_.get(); }

  friend bool operator==(const SharedBenchmark& a, const SharedBenchmark& b) {
    if (a.benchmark_ == b.benchmark_) return true;
    return a.benchmark_ && b.benchmark_ && *a.benchmark_ == *b.benchmark_;
  }

 private:
  std::shared_ptr<const Benchmark> benchmark_;
};

}  // namespace twofold::results
