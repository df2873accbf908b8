#pragma once

#include <boost/beast/http.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/http/message.h"

/// Converts between Beast's messages and ours. Pure; private to lib/http.
namespace twofold::http {

using WireRequest = boost::beast::http::request<boost::beast::http::string_body>;
using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

inline constexpr std::size_t kMaxHead = 32 * 1024;  ///< bytes of request line and headers

/// A head as it is sent, with the empty line that ends it.
std::string ToText(const boost::beast::http::request_header<>& head);
std::string ToText(const boost::beast::http::response_header<>& head);

/// Names in lower case, values of repeated ones joined by `joint`.
Params DecodeHeaders(const boost::beast::http::fields& fields, std::string_view joint = ", ");

/// Why the body of this request, whose head is complete, must not be read; no error if it may.
boost::system::error_code CheckHead(const RequestParser& parser, std::size_t max_body);

/// `joint` as for DecodeHeaders.
/// kInvalidArgument: a bad target, or not the one Host that HTTP/1.1 asks for.
Result<Request> Decode(WireRequest&& wire, std::string_view joint = ", ");

/// The answer to a request that Beast or CheckHead refused.
Response Refusal(const boost::system::error_code& error);

/// How to send a response; taken from the request that it answers.
struct Framing {
  unsigned version;  ///< 10 or 11
  bool keep_alive;
  bool head_only;  ///< the answer to a HEAD
};

/// The answer as it is sent. The body is not copied.
struct Encoded {
  std::string head;
  std::string body;
};
Encoded Encode(Response&& response, const Framing& framing);

/// The head of a response whose body ends with the connection, as it is sent.
std::string EncodeOpenHead(Response&& response, unsigned version);

/// Rewrites heads of requests whose lines end in LF alone, as people keep them in files and send
/// them with netcat. RFC 9112 (2.2) lets a server accept these, but Beast does not.
///
/// The first line decides for the whole head: if it ends in CRLF, a bare LF further down is left
/// for the parser to refuse. So a head from a proxy, which ends its lines in CRLF, never
/// means more to us than to the proxy. Bodies and chunks are not touched. Private to lib/http.
class BareHead {
 public:
  /// Whether the first line of `received` ends in LF alone; false if it has not ended yet.
  static bool Begins(std::string_view received);

  /// Appends the part of `received` that belongs to the head to `head`, with lines ending in CRLF.
  /// Returns how many bytes of `received` that was: fewer than all if the head ends before.
  std::size_t Take(std::string_view received, std::string& head);

 private:
  bool done_ = false;
  std::string line_;  // so far, as received
};

}  // namespace twofold::http
