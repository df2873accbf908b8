#include "lib/http/client.h"

#include <absl/strings/str_cat.h>
#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "lib/http/client_connection.h"
#include "lib/http/proxy.h"
#include "lib/http/url.h"

namespace twofold::http {
namespace {

constexpr std::size_t kMaxBody = 64 << 20;

Outgoing MakeRequest(std::string_view method, const Url& url, std::string json,
                     const std::string& authorization) {
  Outgoing request{std::string(method), url.target, {}, {}};
  request.headers = {{"Host", url.authority}, {"Connection", "close"}};
  if (!json.empty()) request.headers.emplace_back("Content-Type", "application/json");
  if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
  request.body = std::move(json);
  return request;
}

Result<Response> Exchange(const Upstream& server, const Outgoing& request, Instant deadline) {
  ClientConnection connection;
  if (Status status = connection.Open(server, deadline); !status.ok()) return status;
  if (Status status = connection.Send(request, deadline); !status.ok()) return status;
  Result<Head> head = connection.ReceiveHead(deadline);
  if (!head.ok()) return head.status();
  Response response;
  response.status = head->status;
  const std::string* type = Find(head->headers, "content-type");
  response.content_type = type == nullptr ? "" : *type;
  response.headers = std::move(head->headers);
  for (bool last = false; !last;) {
    const Result<Piece> piece = connection.ReceiveBody(response.body, deadline);
    if (!piece.ok()) return piece.status();
    if (response.body.size() > kMaxBody) return absl::UnavailableError("the answer is too long");
    last = piece->last;
  }
  return response;
}

Status Explain(const Status& status, const std::string& url, Duration timeout) {
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(
        fmt::format("no answer from {} within {:g} s", url, ToSeconds(timeout)));
  }
  return {status.code(), fmt::format("cannot reach {}: {}", url, std::string(status.message()))};
}

Result<Response> Fetch(std::string_view method, const std::string& text, std::string json,
                       Duration timeout, const security::Client& security) {
  const Result<Url> url = ParseUrl(text);
  if (!url.ok()) return url.status();
  Upstream server{url->server, nullptr, Trust::kCa, security.server_name(), {}};
  if (url->tls) server.tls = security.Tls();
  if (url->tls && server.tls == nullptr) {
    server.tls = std::make_shared<const security::TlsMaterial>();
    server.trust = Trust::kSystem;
  }
  const std::string via = security.ProxyTo(absl::StrCat(url->server.host, ":", url->server.port));
  if (!via.empty()) {
    Result<Proxy> proxy = ParseProxy(via);
    if (!proxy.ok()) return proxy.status();
    server.proxy = *std::move(proxy);
  }
  const Outgoing request = MakeRequest(method, *url, std::move(json), security.Authorization());
  Result<Response> response = Exchange(server, request, Now() + timeout);
  return response.ok() ? std::move(response) : Explain(response.status(), text, timeout);
}

}  // namespace

Result<Response> Get(const std::string& url, Duration timeout, const security::Client& security) {
  return Fetch("GET", url, {}, timeout, security);
}

Result<Response> Delete(const std::string& url, Duration timeout,
                        const security::Client& security) {
  return Fetch("DELETE", url, {}, timeout, security);
}

Result<Response> Put(const std::string& url, std::string json, Duration timeout,
                     const security::Client& security) {
  return Fetch("PUT", url, std::move(json), timeout, security);
}

Result<Response> Post(const std::string& url, std::string json, Duration timeout,
                      const security::Client& security) {
  return Fetch("POST", url, std::move(json), timeout, security);
}

}  // namespace twofold::http
