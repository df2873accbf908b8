#include "lib/common/program.h"

namespace twofold {

BuildInfo GetBuildInfo() { return {TWOFOLD_VERSION, TWOFOLD_COMMIT, TWOFOLD_COMPILER}; }

}  // namespace twofold
