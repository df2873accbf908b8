#pragma once

#include <string>
#include <string_view>

#include "client/snapshot.h"

/// The HTML form of the pages. All text from outside is escaped. Pure.
namespace twofold::client::html {

/// A page with `text` as it is, below `forms` (HTML).
std::string Text(std::string_view title, std::string_view text, std::string_view forms = {});

/// What sets the parallelism, and what starts a new window.
std::string Forms(const Snapshot& snapshot);

/// The page at /: what the client does now, by itself up to date, and where to find the rest.
std::string Overview(const Snapshot& snapshot);

}  // namespace twofold::client::html
