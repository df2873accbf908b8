#pragma once

#include <cstddef>
#include <string_view>

namespace twofold::spec {

/// How many bytes at the begin of `text` are whole, valid UTF-8 characters: all of them if it is
/// UTF-8. Longer forms than needed, surrogates and what is above U+10FFFF are not (RFC 3629).
std::size_t ValidUtf8(std::string_view text);

}  // namespace twofold::spec
