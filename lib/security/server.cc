#include "lib/security/server.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/common/address.h"

namespace twofold::security {
namespace {

Status OpenCertificate(const ServerOptions& options, Server& server) {
  const std::string flag = "--" + options.prefix + "tls-";
  if (options.cert.empty() && options.key.empty()) {
    if (options.ca.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "ca needs ", flag, "cert and ", flag, "key as well"));
  }
  auto opened = OpenTls(options);
  if (!opened.ok()) return opened.status();
  server.tls = *std::move(opened);
  server.asks_certificate = !options.ca.empty();
  return absl::OkStatus();
}

Result<Tokens> LoadTokens(const std::string& flag, const std::string& path) {
  const Result<std::string> text = ReadFile(flag, path);
  if (!text.ok()) return text.status();
  Result<Tokens> tokens = Tokens::Parse(*text);
  if (tokens.ok()) return tokens;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", path, ": ", std::string(tokens.status().message())));
}

Status OpenTokens(const ServerOptions& options, Server& server) {
  if (options.token_file.empty()) return absl::OkStatus();
  const std::string flag = "--" + options.prefix + "token-file";
  auto opened = Reloaded<Tokens>::Open(
      {options.token_file}, [flag, path = options.token_file] { return LoadTokens(flag, path); });
  if (!opened.ok()) return opened.status();
  server.tokens = *std::move(opened);
  return absl::OkStatus();
}

}  // namespace

bool IsLoopback(const std::string& address) {
  const Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return false;
  return parsed->host == "localhost" || parsed->host == "::1" ||
         absl::StartsWith(parsed->host, "127.");
}

Result<Server> Open(const ServerOptions& options) {
  Server server;
  if (Status status = OpenCertificate(options, server); !status.ok()) return status;
  if (Status status = OpenTokens(options, server); !status.ok()) return status;
  return server;
}

std::string Warning(const Server& server, const std::string& address) {
  if (server.tokens == nullptr || server.tls != nullptr || IsLoopback(address)) return {};
  return absl::StrCat("tokens are asked for at ", address,
                      " without TLS: whoever sees the traffic can read and use them");
}

}  // namespace twofold::security
