#pragma once

#include <string>

namespace twofold {

/// The name of this host; "localhost" if it has none.
std::string HostName();

}  // namespace twofold
