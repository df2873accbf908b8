#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "client/places.h"
#include "client/snapshot.h"
#include "client/steps.h"
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

/// The JSON form of the pages. Times are in seconds. A value that is unknown, or infinite (which
/// JSON cannot write), is null. Pure.
namespace twofold::client::json {

/// What is on the pages /window and /compare, in either form.
nlohmann::ordered_json WindowFacts(const Snapshot& snapshot);
nlohmann::ordered_json ComparisonFacts(const stats::Comparison& comparison);

/// {"result": ..., "info": "..."}
std::string Single(std::uint64_t result, std::string_view info);
std::string Single(double result, std::string_view info);
std::string Single(std::string_view result, std::string_view info);

std::string Stats(const Snapshot& snapshot);
std::string Places(const Snapshot& snapshot, By by);
std::string Window(const Snapshot& snapshot);
std::string Comparison(const stats::Comparison& comparison);
std::string Look(const Snapshot& snapshot, const stats::StepLook& look, Pods pods);
std::string Scaling(const stats::ScalingVerdict& scaling, Pods pods);

}  // namespace twofold::client::json

/// The HTML form of the pages. All text from outside is escaped. Pure.
namespace twofold::client::html {

/// A page with `text` verbatim, below `forms` (HTML).
std::string Text(std::string_view title, std::string_view text, std::string_view forms = {});

/// The form that sets the parallelism and the one that starts a new window.
std::string Forms(const Snapshot& snapshot);

/// The page at /: what the client does now (it refreshes itself), and links to the other pages.
std::string Overview(const Snapshot& snapshot);

}  // namespace twofold::client::html
