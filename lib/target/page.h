#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/security/client.h"

namespace twofold::targets {

/// One of our programs, by the URL of its HTTP port.
struct Page {
  std::string url;  ///< http://host:port or https
  security::Client security = {};
};

/// What it answers to GET `target` (path?query).
///
/// Errors   those of http::Get; kUnavailable: a status other than 2xx, with the text of the answer.
Result<std::string> Fetch(const Page& page, const std::string& target);

/// The last lines of a text, `most` of them.
std::vector<std::string> LastLines(std::string_view text, std::size_t most);

}  // namespace twofold::targets
