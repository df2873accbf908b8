#pragma once

#include <string>

namespace twofold::client {

/// Compares `text` with tests/golden/client/`name`; with UPDATE_GOLDEN=1 in the environment the
/// file is rewritten instead, to be read in review.
void ExpectGolden(const std::string& name, const std::string& text);

}  // namespace twofold::client
