#include "lib/http/codec.h"

#include <absl/strings/ascii.h>
#include <spdlog/fmt/fmt.h>

#include <sstream>
#include <string>
#include <utility>

#include "lib/http/message.h"

namespace twofold::http {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;

/// Responses that never have a body, not even an empty one (RFC 9110, 6.4.1).
bool IsBodiless(int status) { return status < 200 || status == 204 || status == 304; }

using ResponseHead = beast::http::response<beast::http::empty_body>;

ResponseHead HeadOf(const Response& response, const Framing& framing) {
  ResponseHead head;
  head.version(framing.version);
  head.result(static_cast<unsigned>(response.status));
  head.keep_alive(framing.keep_alive);
  head.set("X-Content-Type-Options", "nosniff");
  head.set(beast::http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) head.set(name, value);
  if (!IsBodiless(response.status)) {
    head.set(beast::http::field::content_type, response.content_type);
  }
  return head;
}

template <typename Header>
std::string Written(const Header& header) {
  std::ostringstream text;
  text << header;
  return std::move(text).str();
}

}  // namespace

std::string ToText(const beast::http::request_header<>& head) { return Written(head); }
std::string ToText(const beast::http::response_header<>& head) { return Written(head); }

error_code CheckHead(const RequestParser& parser, std::size_t max_body) {
  const WireRequest& request = parser.get();
  const bool has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  const bool takes_body =
      request.method() != beast::http::verb::get && request.method() != beast::http::verb::head;
  if (has_body && !takes_body) return beast::http::error::unexpected_body;
  // Any other coding would leave us guessing where the request ends.
  if (request.count(beast::http::field::transfer_encoding) > 0 && !parser.chunked()) {
    return beast::http::error::bad_transfer_encoding;
  }
  if (parser.content_length().value_or(0) > max_body) return beast::http::error::body_limit;
  return {};
}

Params DecodeHeaders(const beast::http::fields& fields, std::string_view joint) {
  Params headers;
  for (const auto& field : fields) {
    std::string name = field.name_string();
    absl::AsciiStrToLower(&name);
    const auto [header, added] = headers.try_emplace(std::move(name), field.value());
    if (!added) header->second.append(joint).append(field.value());
  }
  return headers;
}

Result<Request> Decode(WireRequest&& wire, std::string_view joint) {
  if (wire.version() == 11 && wire.count(beast::http::field::host) != 1) {
    return absl::InvalidArgumentError("HTTP/1.1 asks for one Host header");
  }
  Result<Target> target = ParseTarget(wire.target());
  if (!target.ok()) return target.status();
  Request request;
  request.method = wire.method_string();
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.headers = DecodeHeaders(wire.base(), joint);
  if (!target->authority.empty()) request.headers["host"] = std::move(target->authority);
  request.body = std::move(wire.body());
  return request;
}

Response Refusal(const error_code& error) {
  if (error == beast::http::error::header_limit || error == beast::http::error::buffer_overflow) {
    return PlainText(431, fmt::format("request line and headers are over {} bytes\n", kMaxHead));
  }
  if (error == beast::http::error::body_limit) return PlainText(413, "body is too long\n");
  if (error == beast::http::error::bad_version) return PlainText(505, "only HTTP/1.0 and 1.1\n");
  return PlainText(400, fmt::format("bad request: {}\n", error.message()));
}

Encoded Encode(Response&& response, const Framing& framing) {
  ResponseHead head = HeadOf(response, framing);
  if (IsBodiless(response.status)) return {ToText(head.base()), ""};
  head.content_length(response.body.size());
  return {ToText(head.base()), framing.head_only ? "" : std::move(response.body)};
}

std::string EncodeOpenHead(Response&& response, unsigned version) {
  return ToText(HeadOf(response, {version, false, false}).base());
}

bool BareHead::Begins(std::string_view received) {
  const std::size_t end = received.find('\n');
  return end != received.npos && (end == 0 || received[end - 1] != '\r');
}

std::size_t BareHead::Take(std::string_view received, std::string& head) {
  std::size_t taken = 0;
  while (!done_ && taken < received.size()) {
    const char c = received[taken++];
    if (c != '\n') {
      line_ += c;
      continue;
    }
    if (line_.ends_with('\r')) line_.pop_back();
    head.append(line_).append("\r\n");
    done_ = line_.empty();
    line_.clear();
  }
  return taken;
}

}  // namespace twofold::http
