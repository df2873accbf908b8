#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/report/document/document.h"
#include "lib/report/sources/run_figures.h"
#include "lib/stats/change.h"
#include "lib/words/machine.h"

/// Two runs side by side.
namespace twofold::report {

/// A headline that two runs have where both varied the same.
struct Paired {
  std::string varied;
  Headline headline;
  v1::Better better = v1::BETTER_NONE;
  const v1::MetricResult* base = nullptr;
  const v1::MetricResult* now = nullptr;
  stats::Change change{};
  std::string word{};      ///< ChangeWord
  std::size_t needed = 0;  ///< repetitions of each that would tell what may be chance; 0: not known
  std::vector<UnlikeMachine> unlike{};  ///< that may have made the change
};
/// Chances are corrected for the number of pairs, as `twofold compare` does (Benjamini-Hochberg).
std::vector<Paired> PairsOf(const RunResults& base, const RunResults& now);

/// Ratios as a forest plot; nullopt: no pair has one.
std::optional<Picture> ForestPicture(const std::vector<Paired>& pairs);

/// The same as a table.
Table Ratios(const std::vector<Paired>& pairs);

/// How many headlines are better and worse, in a sentence, and what the machines may have to do
/// with that.
std::string Compared(const std::vector<Paired>& pairs, const std::string& first,
                     const std::string& second);

}  // namespace twofold::report
