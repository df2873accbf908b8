#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::http {

/// Unpacks a body of Content-Encoding gzip.
///
/// Errors   kInvalidArgument: it is no gzip, or is cut off. kResourceExhausted: it unpacks to more
///          than `most` bytes.
/// Cost     Memory for the result, never for more than `most` bytes.
Result<std::string> Gunzip(std::string_view packed, std::size_t most);

}  // namespace twofold::http
