#pragma once

#include <string>

#include "client/place_groups.h"
#include "client/snapshot.h"
#include "lib/stats/comparison.h"

/// The plain form of the pages: for people (Stats, Places), and one `key value` a line for shell
/// scripts (Window, Comparison). Pure.
namespace twofold::client::text {

std::string Stats(const Snapshot& snapshot);
std::string Places(const Snapshot& snapshot, By by);
std::string Window(const Snapshot& snapshot);
std::string Comparison(const stats::Comparison& comparison);

}  // namespace twofold::client::text
