#pragma once

#include <cstddef>
#include <vector>

/// Many questions at once: p-values made larger, so that few of many are answered "yes" by chance.
/// A value is compared with the usual limit afterwards. Pure; O(n log n).
namespace twofold::stats {

/// Of those at most 0.05, on average at most 5 % are chance. Holds for independent questions and
/// for such that depend on each other positively.
/// Source   Y. Benjamini, Y. Hochberg, JRSS B 57 (1995).
std::vector<double> AdjustedForShare(const std::vector<double>& p);

/// In at most 5 % of the cases any one at most 0.05 is chance, however they depend on each other.
/// Source   S. Holm, Scandinavian Journal of Statistics 6 (1979).
std::vector<double> AdjustedForAny(const std::vector<double>& p);

/// The p that one more of `count` may have at most to stay at or below `risk` as well, once it is
/// adjusted for the share, or for any. `changed` of them, fewer than `count`, are there already.
double RiskForShare(double risk, std::size_t changed, std::size_t count);
double RiskForAny(double risk, std::size_t changed, std::size_t count);

}  // namespace twofold::stats
