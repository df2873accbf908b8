#pragma once

#include <string>

#include "lib/show/table.h"
#include "lib/spec/expansion.h"

namespace twofold::cli {

/// A table of all jobs, what their workers need, and the counts.
std::string ExpansionText(const spec::Sweep& sweep, const spec::Expansion& expansion);

/// The same for programs: permutations once each, and jobs that name them by number.
show::Json ExpansionJson(const spec::Sweep& sweep, const spec::Expansion& expansion);

}  // namespace twofold::cli
