#include "lib/stats/student.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>

namespace twofold::stats {

double StudentQuantile(double probability, double degrees) {
  // With fewer degrees a quantile may be more than a double can be, which Boost throws.
  return boost::math::quantile(boost::math::students_t(std::max(degrees, 0.1)), probability);
}

}  // namespace twofold::stats
