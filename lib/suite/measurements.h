#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "twofold/v1/results.pb.h"

/// The numbers of a result. Plain data: what a suite's parser makes, and the store, the reports and
/// the command line take.
namespace twofold::suite {

/// Which direction is an improvement; kNone for what only describes (a count of repetitions).
enum class Better : std::uint8_t {
  kNone = v1::BETTER_NONE,
  kHigher = v1::BETTER_HIGHER,
  kLower = v1::BETTER_LOWER,
};

/// What a number is about, such as {"direction", "reverse"} or {"size", "1024"}. A list keeps the
/// order in which people read it; no key is there twice.
using Dimension = std::pair<std::string, std::string>;
using Dimensions = std::vector<Dimension>;

/// One number of a result. Name, unit and dimensions together tell it from the others, and say
/// which numbers of other results it is compared with. So a best says in `at`, and not in its
/// dimensions, where it was found: the next time it may be found elsewhere.
///
/// Units are those of the field, written out: "Gbit/s" (10^9 bits), "MB/s" (10^6 bytes), "MiB/s"
/// (2^20 bytes), "us", "ms", "s", "B", "%", "1/s". A plain count has an empty unit.
struct Measurement {
  std::string name;  ///< lower case with underscores: "throughput"
  double value = 0;  ///< finite
  std::string unit;
  Better better = Better::kNone;
  bool headline = false;  ///< what is shown if there is room for little
  Dimensions dimensions;
  Dimensions at = {};      ///< of the best of many, where it was found: {"size", "4194304"}
  bool is_signed = false;  ///< it may be below 0, such as a loss that is learnt from

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// A column of a series; fields as those of Measurement.
struct Column {
  std::string name;
  std::string unit;
  Better better = Better::kNone;
  bool is_signed = false;

  friend bool operator==(const Column&, const Column&) = default;
};

/// Rows per message size or per time. The first column is what they go by ("size" in B, "time" in
/// s), the others what was measured there.
struct Series {
  std::string name;
  Dimensions dimensions;
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;  ///< each as long as `columns`; all finite

  friend bool operator==(const Series&, const Series&) = default;
};

/// A part of the job that went wrong, while others have numbers.
struct Failure {
  std::string stage;   ///< "osu_latency"
  std::string reason;  ///< one line, in the tool's own words where it has any

  friend bool operator==(const Failure&, const Failure&) = default;
};

/// All that the output of a job says. A job with failures has failed, and keeps the numbers of its
/// other parts.
struct Measurements {
  std::string tool;  ///< as it calls itself: "iperf 3.12"; empty: it does not say
  std::vector<Measurement> measurements;
  std::vector<Series> series;
  std::vector<Failure> failures;
  /// What was skipped on the way, one line each: a prefix on all lines, warnings between rows. The
  /// job has not failed for it.
  std::vector<std::string> notes = {};
};

/// A column of a table that a tool prints.
struct TableColumn {
  Column column;
  bool primary = false;  ///< the best value of it is a headline
};

/// What a heading of a tool means.
struct Heading {
  std::string_view text;
  const char* name;
  const char* unit;
  Better better;
  bool primary;

  [[nodiscard]] TableColumn ToColumn() const { return {{name, unit, better}, primary}; }
};

/// A table of a benchmark. Its first column is the message size in bytes, called "size"; a
/// benchmark without sizes has one row.
struct SizeTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<double>> rows;  ///< each as long as `columns`
};

/// Whether rows of size 0 can be the best: a message of no bytes is sent, and a collective of none
/// does nothing.
enum class Empty : std::uint8_t { kCounts, kDoesNotCount };

/// Adds what a table says: the best of each primary column ("peak_bandwidth", "min_latency") with
/// its size, and all rows as the series `name`; of a table without sizes its one row. Rows that
/// cannot be (plausible.h) are left out before that, and said as failures; where sizes double, one
/// that is missing is said as a note.
void AddTable(const std::string& name, const SizeTable& table, const Dimensions& dimensions,
              Empty empty, Measurements& result);

/// Adds the numbers to the message in which workers report them and stores keep them. Text is made
/// fit for it, printable and short: tools print what they like.
void AddTo(const Measurements& numbers, v1::BenchmarkResult& result);

}  // namespace twofold::suite
