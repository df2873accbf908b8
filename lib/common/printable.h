#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold {

/// Untrusted text as one line of UTF-8 of at most `most` bytes. Replaces each control character (of
/// ASCII, and U+0080 to U+009F, which terminals obey as well) by a space and each byte that is not
/// UTF-8 by `?`; cuts no character.
std::string Printable(std::string_view text, std::size_t most);

/// How many bytes at the beginning of `text` are whole, valid characters: all of them if it is
/// UTF-8. Overlong forms, surrogates and values above U+10FFFF are invalid (RFC 3629).
std::size_t ValidUtf8(std::string_view text);

/// `text` without the mark that Excel and others put in front of UTF-8.
std::string_view WithoutByteOrderMark(std::string_view text);

/// How many bytes at the end of `text` are the start of an unfinished character: 0 to 3.
std::size_t UnfinishedTail(std::string_view text);

/// The shortest text that reads back as the same number.
std::string NumberText(double value);

}  // namespace twofold
