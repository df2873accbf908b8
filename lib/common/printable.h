#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold {

/// Text of anybody as one line of UTF-8, of at most `most` bytes: control characters become spaces,
/// bytes that are no UTF-8 question marks, and no character is cut.
std::string Printable(std::string_view text, std::size_t most);

}  // namespace twofold
