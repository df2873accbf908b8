#pragma once

#include <boost/beast/http.hpp>
#include <cstddef>

#include "lib/common/result.h"
#include "lib/http/message.h"

/// Converts between Beast's messages and ours. Pure; private to lib/http.
namespace twofold::http {

using WireRequest = boost::beast::http::request<boost::beast::http::string_body>;
using WireResponse = boost::beast::http::response<boost::beast::http::string_body>;
using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

inline constexpr std::size_t kMaxHead = 8 * 1024;  ///< bytes of request line and headers

/// Names in lower case, values of repeated ones joined by ", ".
Params DecodeHeaders(const boost::beast::http::fields& fields);

/// Why the body of this request, whose head is complete, must not be read; no error if it may.
boost::system::error_code CheckHead(const RequestParser& parser, std::size_t max_body);

/// kInvalidArgument: a bad target, or not the one Host that HTTP/1.1 asks for.
Result<Request> Decode(WireRequest&& wire);

/// The answer to a request that Beast or CheckHead refused.
Response Refusal(const boost::system::error_code& error);

/// How to send a response; taken from the request that it answers.
struct Framing {
  unsigned version;  ///< 10 or 11
  bool keep_alive;
  bool head_only;  ///< the answer to a HEAD
};

WireResponse Encode(Response&& response, const Framing& framing);

}  // namespace twofold::http
