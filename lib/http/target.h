#pragma once

#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/http/message.h"

namespace twofold::http {

/// The target of a request, `/path?name=value&...` or `http://host:port/path?...`, taken apart.
struct Target {
  std::string authority;  ///< host:port of the second form, which replaces the header Host
  std::string path;  ///< still percent-encoded, so that %2F differs from /; its escapes are valid
  Params query;      ///< decoded; + is a space; a name without = has an empty value
};

/// Strict: refuses what is ambiguous instead of guessing.
///
/// Errors   kInvalidArgument: none of the two forms, a % without two hex digits, a query name given
///          twice.
/// Source   RFC 9112, 3.2; RFC 3986; + as in the URL standard's application/x-www-form-urlencoded.
Result<Target> ParseTarget(std::string_view target);

/// `text` with each %XX replaced by its byte. kInvalidArgument: a % without two hex digits.
Result<std::string> PercentDecode(std::string_view text);

}  // namespace twofold::http
