#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold::spec {

/// `text` of a document, fit for one line of a terminal: control characters become '?', and after
/// `most` bytes it is cut off at a character, with "..." to say so.
std::string Shown(std::string_view text, std::size_t most);

}  // namespace twofold::spec
