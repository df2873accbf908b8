#include "lib/http/client.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <string_view>
#include <utility>

#include "lib/common/address.h"
#include "lib/http/codec.h"
#include "lib/http/peer_stream.h"

namespace twofold::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;

constexpr std::uint64_t kMaxBody = 64 << 20;

struct Url {
  bool tls = false;
  HostPort server;
  std::string authority;  // as in the URL, for the Host header
  std::string target;
};

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Status BadUrl(std::string_view text) {
  return absl::InvalidArgumentError(
      fmt::format("bad URL '{}': use http://host:port/path or https, percent-encoded", text));
}

Result<Url> ParseUrl(std::string_view text) {
  const std::string_view whole = text;
  const bool tls = text.starts_with("https://");
  if (!(tls || text.starts_with("http://")) || !IsPrintable(text) || text.find('#') != text.npos) {
    return BadUrl(whole);
  }
  text.remove_prefix(text.find("//") + 2);
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Url url{tls, {}, std::string(text.substr(0, end)), std::string(text.substr(end))};
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  const bool has_port = url.authority.rfind(':') + 1 > url.authority.rfind(']') + 1;
  Result<HostPort> server = ParseAddress(url.authority + (has_port ? "" : tls ? ":443" : ":80"));
  if (!server.ok() || server->host.empty()) return BadUrl(whole);
  url.server = *std::move(server);
  return url;
}

WireRequest MakeRequest(beast::http::verb method, const Url& url, std::string json) {
  WireRequest request(method, url.target, 11);
  request.set(beast::http::field::host, url.authority);
  request.keep_alive(false);
  if (!json.empty()) request.set(beast::http::field::content_type, "application/json");
  request.body() = std::move(json);
  request.prepare_payload();
  return request;
}

/// Throws system_error, as Asio does.
asio::awaitable<WireResponse> Exchange(const HostPort& server, const WireRequest& request,
                                       Duration timeout, TlsContext tls, const std::string& name) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto endpoints = resolver.resolve(server.host, std::to_string(server.port));
  PeerStream stream(beast::tcp_stream(executor), std::move(tls));
  stream.tcp().expires_after(timeout);
  co_await stream.tcp().async_connect(endpoints, asio::use_awaitable);
  if (stream.has_tls()) {
    const error_code error = co_await stream.Handshake(name);
    if (error) throw system_error(error);
  }
  co_await beast::http::async_write(stream, request, asio::use_awaitable);
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(kMaxBody);
  co_await beast::http::async_read(stream, buffer, parser, asio::use_awaitable);
  co_return parser.release();
}

Response ToResponse(WireResponse&& wire) {
  Response response;
  response.status = static_cast<int>(wire.result_int());
  response.content_type = wire[beast::http::field::content_type];
  response.headers = DecodeHeaders(wire.base());
  response.body = std::move(wire.body());
  return response;
}

Status ToStatus(const error_code& error, const std::string& url, Duration timeout) {
  if (error == beast::error::timeout) {
    return absl::DeadlineExceededError(
        fmt::format("no answer from {} within {:g} s", url, ToSeconds(timeout)));
  }
  return absl::UnavailableError(fmt::format("cannot reach {}: {}", url, error.message()));
}

Result<Response> Fetch(beast::http::verb method, const std::string& text, std::string json,
                       Duration timeout, const security::Client& security) {
  const Result<Url> url = ParseUrl(text);
  if (!url.ok()) return url.status();
  const auto material = security.Tls();
  if (url->tls && material == nullptr) {
    return absl::InvalidArgumentError(fmt::format("{}: TLS needs a CA to trust", text));
  }
  WireRequest request = MakeRequest(method, *url, std::move(json));
  const std::string authorization = security.Authorization();
  if (!authorization.empty()) request.set(beast::http::field::authorization, authorization);
  const std::string& name =
      security.server_name().empty() ? url->server.host : security.server_name();
  try {
    asio::io_context io{1};
    TlsContext tls = url->tls ? MakeContext(*material) : nullptr;
    auto response = asio::co_spawn(
        io, Exchange(url->server, request, timeout, std::move(tls), name), asio::use_future);
    io.run();
    return ToResponse(response.get());
  } catch (const system_error& error) {
    return ToStatus(error.code(), text, timeout);
  }
}

}  // namespace

Result<Response> Get(const std::string& url, Duration timeout, const security::Client& security) {
  return Fetch(beast::http::verb::get, url, {}, timeout, security);
}

Result<Response> Delete(const std::string& url, Duration timeout,
                        const security::Client& security) {
  return Fetch(beast::http::verb::delete_, url, {}, timeout, security);
}

Result<Response> Put(const std::string& url, std::string json, Duration timeout,
                     const security::Client& security) {
  return Fetch(beast::http::verb::put, url, std::move(json), timeout, security);
}

Result<Response> Post(const std::string& url, std::string json, Duration timeout,
                      const security::Client& security) {
  return Fetch(beast::http::verb::post, url, std::move(json), timeout, security);
}

}  // namespace twofold::http
