#pragma once

#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::postgres {

/// SQLSTATEs that callers act on.
inline constexpr std::string_view kDivisionByZero = "22012";
inline constexpr std::string_view kUniqueViolation = "23505";

/// What an error of the server means to the caller (the codes of results::Store), as one line that
/// begins with `where`: the database, never its password.
///
///   kResourceExhausted  its disk is full
///   kUnavailable        it is away, starting, read-only, out of memory or connections; a deadlock
///   kDataLoss           its files are damaged
///   kDeadlineExceeded   statement_timeout
///   kAlreadyExists      a row with this key is there
///   kPermissionDenied   password or rights
///   kNotFound           no such database, table or column
///   kInternal           anything else
Status StatusOf(std::string_view sql_state, std::string_view message, const std::string& where);

/// Text of a library that ends its lines as one line.
std::string OneLine(std::string_view text);

}  // namespace twofold::postgres
