#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lib/common/result.h"

/// HTTP as handlers see it: plain values, no sockets.
namespace twofold::http {

using Params = std::map<std::string, std::string, std::less<>>;

/// The value of `name`, nullptr if there is none. Lives as long as `params`.
const std::string* Find(const Params& params, std::string_view name);

struct Request {
  std::string method;  ///< "GET", "HEAD", "PUT", ...
  std::string path;    ///< from the first '/', still percent-encoded; its escapes are valid
  Params query;        ///< decoded; a name given twice never gets here (400)
  Params params;       ///< decoded values of the {name} parts of a route; filled by Router
  Params headers;      ///< names in lower case; values of repeated ones joined by ", "
  std::string body;
  bool has_certificate = false;  ///< the peer has shown one that the server's CA has signed
};

class EventSource;  // lib/http/events.h

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  Params headers;  ///< further ones, without line breaks; from the client: all, in lower case

  /// Set instead of the rest: makes the answer, and may block (ServerOptions::run_later).
  std::function<Response()> later = nullptr;

  /// Set instead of `body`: a stream of events that ends with the connection.
  std::shared_ptr<EventSource> events = nullptr;
};

/// Makes the answer to one request. The server answers HEAD with the head of what it returns.
using Handler = std::function<Response(Request)>;

Response PlainText(int status, std::string text);
Response Json(int status, std::string json);
Response Html(int status, std::string html);
Response Later(std::function<Response()> make);

/// The same for programs, {"error": TEXT}, if it is an error in plain text at a path of an API:
/// below /api/. So programs read one form, whoever refuses.
Response ErrorFor(std::string_view path, Response response);

/// `text` for use in HTML, between tags or in a quoted attribute: & < > " ' become entities.
std::string Escape(std::string_view text);

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
