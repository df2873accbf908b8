#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/peers/cell.h"

/// From single runs to a table that people read.
namespace twofold::bench {

/// All runs of one cell. Every figure is taken by itself: the median p99 need not be of the run
/// with the median rate.
struct Summary {
  Cell cell;
  int runs = 0;
  Figures median;
  Figures lowest;
  Figures highest;
};

/// A row whose generator was late with more than this share of its sends says nothing about the
/// server.
inline constexpr double kMostLate = 0.01;

inline bool IsValid(const Figures& figures) { return !(figures.late_share > kMostLate); }

/// One summary a cell, in the order in which the cells first appear.
std::vector<Summary> Summarize(std::span<const Run> runs);

/// One Markdown table a test that was run.
std::string ToMarkdown(std::span<const Summary> summaries);

/// `cell columns, runs, jobs_per_s, lowest, highest`: what the chart is drawn from.
std::string ToChartCsv(std::span<const Summary> summaries);

}  // namespace twofold::bench
