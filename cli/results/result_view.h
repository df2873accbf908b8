#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "twofold/v1/runs.pb.h"

/// Results as people and spreadsheets get them. Pure: messages in, text out.
namespace twofold::cli {

using Rows = std::vector<std::vector<std::string>>;

/// "9.31", "0.000125", "1048576": whole numbers as they are, all else with six digits.
std::string Shown(double value);

/// What a permutation has varied, in the order written: {"streams", "8"}.
std::vector<std::pair<std::string, std::string>> VariedOf(const v1::PermutationResult& result);

/// "throughput direction=reverse"
std::string TitleOf(const v1::MetricResult& metric);

/// A table with a column for each value that is varied, and a row for each permutation and
/// headline.
class ResultTable {
 public:
  void Add(const v1::PermutationResult& result);

  /// With the heading.
  [[nodiscard]] Rows rows() const;

  /// The same numbers in full, and some more.
  [[nodiscard]] std::string Csv(const v1::Run& run) const;

  /// For people, below the table: jobs without a number, and why there are none. Empty: none.
  [[nodiscard]] std::string Notes() const;

 private:
  struct Line {
    v1::PermutationResult permutation;  // without headlines and jobs
    v1::MetricResult metric;            // n = 0: it has none
    std::vector<std::pair<std::string, std::string>> varied;
  };

  void Add(const v1::PermutationResult& permutation, const v1::MetricResult& metric);
  [[nodiscard]] std::vector<std::string> CellsOf(const Line& line) const;

  std::vector<Line> lines_;
  std::vector<std::string> fields_;  // that are varied, as they are first seen
  std::uint64_t unfinished_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t withdrawn_ = 0;
  std::uint64_t warm_ups_ = 0;
};

/// For people: where it was measured, if it was on one machine, and what was not applied there.
std::string PlaceNote(const v1::Run& run);

/// The heading of JobLines.
std::string JobCsvHeading();

/// A line for each measurement of each job; one without numbers has a line, too.
std::string JobCsvLines(const v1::Run& run, const v1::PermutationResult& result);

}  // namespace twofold::cli
