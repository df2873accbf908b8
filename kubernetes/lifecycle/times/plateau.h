#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::lifecycle {

/// A time in which a step went at one flat rate while work waited for it: something limits it.
struct Plateau {
  std::string step;      ///< "scheduled"
  double rate = 0.0;     ///< a second
  double seconds = 0.0;  ///< for which it held
  double waiting = 0.0;  ///< that waited meanwhile, on average
  std::string limiter;   ///< a known limit of this rate, which may be the one; empty: none is
};

/// "limit: scheduled 50.0/s flat for 20 s while 400 waited, as under ..."
std::string Describe(const Plateau& plateau);

/// The longest plateau of a step that takes what came (`in`) and finishes it (`out`), each in any
/// order; what is to count neither as waiting nor as done is in neither of them. nullopt: there is
/// none. For each second of a plateau
/// - half a second's work or more waits at its end: a generator that sends at a flat rate is no
///   limit;
/// and over all of them, 15 at least,
/// - their counts have a variance under a quarter of their mean;
/// - such equal counts are no chance. Of random (Poisson) service the sum of squared deviations by
///   the mean is distributed as chi-square with n - 1 degrees of freedom. A sum this small must
///   have less than 0.1 % by the number of windows that the run has room for (Bonferroni), as any
///   of them could have been picked.
/// `program` is who works at the step, a scheduler as pods name it or a Kind::controller: a known
/// default limit of its client is named if the rate fits it.
/// So random service is said to be a plateau in less than 0.1 % of the runs of any length; it was
/// in 3 of 105 000 simulated ones, of 30 to 300 s at 3 to 50 a second.
///
/// Cost    O(n log n).
/// Source  R. Fisher, "Statistical Methods for Research Workers" (1925), the index of dispersion.
std::optional<Plateau> FindPlateau(std::string_view step, std::string_view program,
                                   std::vector<Instant> in, std::vector<Instant> out);

}  // namespace twofold::lifecycle
