#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold::client {

/// Text that came from outside, fit for a line of ours: at most `max_bytes` long, not cut inside a
/// UTF-8 character, control characters replaced by spaces.
std::string OneLine(std::string_view text, std::size_t max_bytes);

}  // namespace twofold::client
