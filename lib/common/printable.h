#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold {

/// Text of anybody as one line of UTF-8, of at most `most` bytes: control characters (those of
/// ASCII, and U+0080 to U+009F, which terminals obey as well) become spaces, bytes that are no
/// UTF-8 question marks, and no character is cut.
std::string Printable(std::string_view text, std::size_t most);

/// How many bytes at the beginning of `text` are whole, valid characters: all of them if it is
/// UTF-8. Longer forms than needed, surrogates and what is above U+10FFFF are not (RFC 3629).
std::size_t ValidUtf8(std::string_view text);

/// How many bytes at the end of `text` are the beginning of a character that may go on: 0 to 3.
std::size_t UnfinishedTail(std::string_view text);

}  // namespace twofold
