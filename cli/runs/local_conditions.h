#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"

/// What a benchmark file says of where its jobs run (hostNetwork, mtu, resources ...), on one
/// machine: its workers are what they are there, whatever the file asks.
namespace twofold::cli {

/// Refuses a sweep whose permutations differ in that: their rows would show the same measured again
/// as if it were another condition.
/// Errors   kFailedPrecondition "FILE:LINE:COLUMN: field: what, and what to do".
Status CheckLocalConditions(const spec::Sweep& sweep, const spec::Expansion& expansion);

/// What all permutations ask and do not get: "hostNetwork=true mtu=9000"; empty: nothing.
/// REQUIRES: CheckLocalConditions is ok.
std::string NotApplied(const spec::Expansion& expansion);

}  // namespace twofold::cli
