#pragma once

#include <string_view>

namespace twofold {

/// What this binary was built from; for `--version`, logs and the build info metric.
struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view commit;    ///< short git commit at configure time, "unknown" outside a checkout
  std::string_view compiler;  ///< "GNU 12.2.0"
};

BuildInfo GetBuildInfo();

}  // namespace twofold
