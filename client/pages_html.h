#pragma once

#include <string>
#include <string_view>

#include "client/snapshot.h"

/// The HTML form of the pages. All text from outside is escaped. Pure.
namespace twofold::client::html {

/// A page with `text` verbatim, below `forms` (HTML).
std::string Text(std::string_view title, std::string_view text, std::string_view forms = {});

/// The form that sets the parallelism and the one that starts a new window.
std::string Forms(const Snapshot& snapshot);

/// The page at /: what the client does now (it refreshes itself), and links to the other pages.
std::string Overview(const Snapshot& snapshot);

}  // namespace twofold::client::html
