#pragma once

#include <string>

#include "client/parameters.h"
#include "client/place_groups.h"
#include "client/snapshot.h"
#include "lib/stats/comparison.h"
#include "lib/stats/scaling.h"

/// The plain form of the pages: for people (Stats, Places), and one `key value` a line for shell
/// scripts (Window, Comparison, Look, Scaling). Pure.
namespace twofold::client::text {

std::string Stats(const Snapshot& snapshot);
std::string Places(const Snapshot& snapshot, By by);
std::string Window(const Snapshot& snapshot);
std::string Comparison(const stats::Comparison& comparison);
std::string Look(const Snapshot& snapshot, const stats::StepLook& look, Pods pods);
std::string Scaling(const stats::ScalingVerdict& scaling, Pods pods);

}  // namespace twofold::client::text
