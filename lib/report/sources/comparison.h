#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/report/document/document.h"
#include "lib/report/sources/run_figures.h"

/// Two runs side by side.
namespace twofold::report {

/// A headline that two runs have where both varied the same.
struct Paired {
  std::string varied;
  Headline headline;
  v1::Better better = v1::BETTER_NONE;
  const v1::MetricResult* base = nullptr;
  const v1::MetricResult* now = nullptr;
};
std::vector<Paired> PairsOf(const RunResults& base, const RunResults& now);

/// The ratio of each pair with its interval.
struct PairedRatio {
  double ratio = 0.0;
  double lower = 0.0;
  double upper = 0.0;  ///< infinite: not known, as there are too few values
  std::string change;  ///< "better", "worse", "more", "less"; "-": it may be chance
};
PairedRatio RatioOf(const Paired& pair);

/// Ratios as a forest plot; nullopt: there are no pairs.
std::optional<Picture> ForestPicture(const std::vector<Paired>& pairs);

/// The same as a table.
Table Ratios(const std::vector<Paired>& pairs);

/// How many headlines are better and worse, in a sentence.
std::string Compared(const std::vector<Paired>& pairs, const std::string& first,
                     const std::string& second);

}  // namespace twofold::report
