#include "lib/security/client.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "lib/common/address.h"
#include "lib/common/no_proxy.h"
#include "lib/security/tokens.h"

namespace twofold::security {
namespace {

constexpr std::string_view kHttp = "http://";

Result<std::string> LoadToken(const std::string& path) {
  const Result<std::string> text = ReadFile("--token-file", path);
  if (!text.ok()) return text.status();
  std::string token(absl::StripAsciiWhitespace(*text));
  const std::string bad = CheckToken(token);
  if (bad.empty()) return token;
  return absl::InvalidArgumentError(
      absl::StrCat("--token-file: ", path, " must hold one token and nothing else: ", bad));
}

// Without --tls-ca they would do nothing, and nobody would know that there is no TLS.
Status CheckTogether(const ClientOptions& options) {
  if (!options.ca.empty()) return absl::OkStatus();
  const std::pair<const char*, const std::string&> rest[] = {
      {"--tls-cert", options.cert},
      {"--tls-key", options.key},
      {"--tls-server-name", options.server_name}};
  for (const auto& [flag, value] : rest) {
    if (!value.empty())
      return absl::InvalidArgumentError(absl::StrCat(flag, " needs --tls-ca as well"));
  }
  return absl::OkStatus();
}

// A password in it would be seen by everybody who lists processes.
bool IsProxy(std::string_view url) {
  if (!url.starts_with(kHttp) || url.find('@') != url.npos) return false;
  url.remove_prefix(kHttp.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const auto address = ParseAddress(url);
  return address.ok() && !address->host.empty() && address->port != 0;
}

Status CheckProxy(const std::string& url) {
  if (url.empty() || IsProxy(url)) return absl::OkStatus();
  return absl::InvalidArgumentError("--proxy: use http://HOST:PORT, without user and password");
}

std::string Variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

void ForgetTokenVariable() {
  char* const token = std::getenv(kTokenVariable);
  if (token == nullptr) return;
  explicit_bzero(token, std::strlen(token));
  unsetenv(kTokenVariable);
}

Result<Client> Client::Open(const ClientOptions& options) {
  if (Status status = CheckTogether(options); !status.ok()) return status;
  if (Status status = CheckProxy(options.proxy); !status.ok()) return status;
  Client client;
  client.server_name_ = options.server_name;
  client.proxy_ = options.proxy;
  client.no_proxy_ = InEitherCase(Variable, "NO_PROXY");
  if (!options.ca.empty()) {
    auto tls = OpenTls(options);
    if (!tls.ok()) return tls.status();
    client.tls_ = *std::move(tls);
  }
  if (!options.token_file.empty()) {
    auto token = Reloaded<std::string>::Open(
        {options.token_file}, [path = options.token_file] { return LoadToken(path); });
    if (!token.ok()) return token.status();
    client.token_file_ = *std::move(token);
  } else if (const char* token = std::getenv(kTokenVariable); token != nullptr) {
    client.token_ = token;
    const std::string bad = client.token_.empty() ? "" : CheckToken(client.token_);
    if (!bad.empty()) return absl::InvalidArgumentError(absl::StrCat(kTokenVariable, ": ", bad));
  }
  return client;
}

Client Client::WithToken(std::string token) {
  Client client;
  client.token_ = std::move(token);
  return client;
}

Client Client::WithoutToken() const {
  Client client = *this;
  client.token_file_ = nullptr;
  client.token_.clear();
  return client;
}

Client Client::WithoutServerName() const {
  Client client = *this;
  client.server_name_.clear();
  return client;
}

std::string Client::Authorization() const {
  const std::string token = token_file_ == nullptr ? token_ : *token_file_->Get();
  return token.empty() ? "" : "Bearer " + token;
}

std::string Client::ProxyTo(const std::string& address) const {
  if (proxy_.empty()) return {};
  const auto server = ParseAddress(address);
  return server.ok() && GoesDirect(*server, no_proxy_) ? "" : proxy_;
}

}  // namespace twofold::security
