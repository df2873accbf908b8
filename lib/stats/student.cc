#include "lib/stats/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace twofold::stats {

double StudentQuantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

}  // namespace twofold::stats
