#pragma once

namespace twofold::stats {

/// The value that a Student t variable with `degrees` of freedom (more than 0, fractions allowed;
/// less than 0.1 counts as 0.1, whose quantiles say as little) stays under with `probability`
/// (0..1, both excluded).
double StudentQuantile(double probability, double degrees);

/// Half the width of a two-sided interval, in standard errors: StudentQuantile(0.975, ...) for
/// 0.95.
inline double StudentFactor(double confidence, double degrees) {
  return StudentQuantile(0.5 + confidence / 2.0, degrees);
}

}  // namespace twofold::stats
