#include "workloads/objects/wire/request.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>

namespace twofold::objects {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

Status BadUrl(std::string_view field, std::string_view url) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(field), ": '", std::string(url),
                   "' is not such as http://host:port or https://host/folder"));
}

}  // namespace

Result<Endpoint> ParseEndpoint(std::string_view field, std::string_view url) {
  Endpoint endpoint;
  endpoint.tls = url.starts_with("https://");
  const bool printable =
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!(endpoint.tls || url.starts_with("http://")) || !printable ||
      url.find_first_of("?#@") != std::string_view::npos) {
    return BadUrl(field, url);
  }
  const std::string_view rest = url.substr(url.find("//") + 2);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  endpoint.authority = rest.substr(0, slash);
  endpoint.path = rest.substr(slash);
  while (endpoint.path.ends_with('/')) endpoint.path.pop_back();
  const bool has_port = endpoint.authority.rfind(':') + 1 > endpoint.authority.rfind(']') + 1;
  const auto server = ParseAddress(endpoint.authority + (has_port       ? ""
                                                         : endpoint.tls ? ":443"
                                                                        : ":80"));
  if (!server.ok() || server->host.empty() || server->port == 0) return BadUrl(field, url);
  endpoint.server = *server;
  return endpoint;
}

void AppendEncoded(std::string_view text, std::string& out, char keep) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (IsUnreserved(c) || c == keep) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
}

std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* code = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(code, code + 2, byte, 16).ptr == code + 2) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace twofold::objects
