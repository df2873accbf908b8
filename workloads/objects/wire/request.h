#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/common/address.h"
#include "lib/common/result.h"

namespace twofold::objects {

/// Where requests go. Plain data.
struct Endpoint {
  bool tls = false;
  HostPort server;        ///< what is connected to
  std::string authority;  ///< as the Host header has it
  std::string path;       ///< what stands in front of each target: "" or "/folder"
};

/// Reads http://host[:port][/path] or https://; ports 80 and 443 if left out.
/// Errors   kInvalidArgument "FIELD: ...".
Result<Endpoint> ParseEndpoint(std::string_view field, std::string_view url);

/// What is asked of a store, whatever its protocol.
enum class Verb : std::uint8_t {
  kGet,
  kPut,
  kHead,
  kDelete,
  kList,  ///< one page of names
  kHeadBucket,
  kMakeBucket,
  kStartParts,  ///< of an upload in parts
  kPutPart,
  kFinishParts,
  kAbortParts,
};

struct Call {
  Verb verb = Verb::kGet;
  std::string_view name = {};      ///< of the object; of a list, the folder
  std::uint64_t size = 0;          ///< of the content that follows the head
  std::uint64_t offset = 0;        ///< of a GET
  std::uint64_t length = 0;        ///< of a GET; 0: to the end
  std::string_view checksum = {};  ///< of the content of a PUT, in hex; empty: none
  std::string_view sha256 = {};    ///< of the content, for a signature; empty: not covered
  std::string_view token = {};     ///< where the page begins; or
  std::string_view marker = {};    ///< the name after which it begins
  std::string_view upload = {};    ///< which upload in parts
  std::uint32_t part = 0;          ///< 1 is the first
  std::string_view body = {};      ///< of kFinishParts: the parts that there are
};

/// A request as a protocol has it, but for what depends on the server it is sent to (Host,
/// Authorization): after a redirect it goes to another one. Reused, so that it allocates nothing.
struct Request {
  std::string_view method;
  std::string target;        ///< path and query, percent-encoded
  std::string headers;       ///< lines "Name: value\r\n"
  std::string body;          ///< small ones; content is sent after the head
  std::string_view sha256;   ///< of the content, or empty
  std::uint64_t length = 0;  ///< of body or content
  bool has_length = false;   ///< there is a body, maybe an empty one
  bool ask_first = false;    ///< content is sent when the server says "100 Continue"
};

/// Appends `text` percent-encoded as in RFC 3986; `keep` is one more character to leave as it is.
void AppendEncoded(std::string_view text, std::string& out, char keep = '/');

/// The reverse; what is no valid code stays.
std::string Decoded(std::string_view text);

}  // namespace twofold::objects
