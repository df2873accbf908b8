#include "lib/security/reloaded.h"

#include <spdlog/spdlog.h>

namespace twofold::security::internal {

void LogLoaded(const std::string& path) { spdlog::info("loaded again: {}", path); }

void LogKept(const Status& why) {
  spdlog::error("{}; going on with what was there before", std::string(why.message()));
}

}  // namespace twofold::security::internal
