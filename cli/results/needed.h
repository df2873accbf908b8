#pragma once

#include <string>

#include "lib/show/message.h"

namespace twofold::cli {

/// The line beneath a comparison that says how many repetitions would decide what may be chance so
/// far, of pairs as `twofold compare --json` has them (`headlines`): "NEEDED: about 19 repetitions
/// of each, 14 more, would tell 3.1 % apart, in 8 of 10 such comparisons". Empty if no pair knows.
std::string NoteOnNeeded(const show::Json& pairs);

}  // namespace twofold::cli
