#include "lib/http/connection.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/http/codec.h"

namespace twofold::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

constexpr std::size_t kReadSize = 4096;
constexpr std::size_t kMaxBuffer = 2 * kMaxHead;  // a head, and some of what is pipelined after it
constexpr std::size_t kSmallAnswer = 4096;        // always has room, so that probes are answered
constexpr char kTlsHandshake = 22;  // the first byte that a client sends (RFC 8446, 5.1)
constexpr auto kLinger = std::chrono::seconds(1);

/// Whether nobody is left to answer: the peer closed or broke off, or was too slow.
bool IsGone(const error_code& error) {
  if (!error) return false;
  const bool broke_a_rule = error.category() == make_error_code(beast::http::error{}).category() &&
                            error != beast::http::error::end_of_stream &&
                            error != beast::http::error::partial_message;
  return !broke_a_rule;
}

/// What `make` makes to answer `request`, "GET /path".
Response Make(const std::string& request, const std::function<Response()>& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    spdlog::error("{} failed: {}", request, error.what());
  } catch (...) {
    spdlog::error("{} failed: unknown exception", request);
  }
  return PlainText(500, "internal error, see the log\n");
}

/// Whether what the peer has shown counts.
bool HasCertificate(PeerStream& stream, const ServerOptions& options) {
  if (!options.vouches) return stream.has_certificate();
  const std::vector<std::string> shown = stream.Certificates();
  return !shown.empty() && options.vouches(shown);
}

Response Answer(const Handler& handler, WireRequest&& wire, bool has_certificate,
                std::string_view joint) {
  Result<Request> request = Decode(std::move(wire), joint);
  if (!request.ok()) {
    return PlainText(400,
                     fmt::format("bad request: {}\n", std::string(request.status().message())));
  }
  request->has_certificate = has_certificate;
  const std::string name = request->method + " " + request->path;
  Response response = Make(name, [&] { return handler(*std::move(request)); });
  if (!response.later) return response;
  return Later([name, make = std::move(response.later)] { return Make(name, make); });
}

/// What a peer is told that may come again.
Response TryLater(std::string_view why) {
  Response response = PlainText(503, fmt::format("{}, try again later\n", why));
  response.headers["Retry-After"] = "1";
  return response;
}

/// What `source` has for a reader; nullopt: it has failed.
std::optional<std::vector<EventBytes>> NewestOf(EventSource& source, Instant now) {
  try {
    return source.Next(now);
  } catch (const std::exception& error) {
    spdlog::error("a stream of events failed: {}", error.what());
    return std::nullopt;
  }
}

Response Busy() { return TryLater("too many requests wait for the disk"); }

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, TlsContext tls, const Handler& handler,
                       const ServerOptions& options, Budgets& budgets)
    : stream_(beast::tcp_stream(std::move(socket)), std::move(tls)),
      buffer_(kMaxBuffer),
      handler_(handler),
      options_(options),
      budgets_(budgets) {}

asio::awaitable<void> Connection::Serve() {
  bool open = co_await Open();
  while (open) {
    // No co_await in the condition of a loop: g++ 12 then runs the loop once too often, or crashes.
    const bool more = co_await AwaitRequest();
    open = more;
    if (more) open = co_await ServeOne();
  }
  co_await Linger();
}

void Connection::Finish() {
  finishing_ = true;
  if (idle_ || streaming_) Abort();
}

void Connection::Abort() { stream_.tcp().close(); }

void Connection::SetIdle(bool idle) {
  idle_ = idle;
  since_ = Now();
}

/// The TLS handshake, if this is a TLS port; false if there is nobody to serve.
asio::awaitable<bool> Connection::Open() {
  if (!stream_.has_tls()) co_return true;
  SetIdle(true);
  stream_.tcp().expires_after(options_.receive_timeout);
  const error_code error = co_await Read();
  if (error) co_return false;
  if (Received().front() == kTlsHandshake) {
    const error_code failed = co_await stream_.Accept(buffer_);
    SetIdle(false);
    co_return !failed;
  }
  // Somebody who has forgotten the s of https learns it.
  Response response = PlainText(400, "this port speaks TLS: use https\n");
  co_await Send(std::move(response), {11, false, false});
  co_return false;
}

/// Waits for the first byte of the next request; false if there will be none.
asio::awaitable<bool> Connection::AwaitRequest() {
  error_code error;
  if (buffer_.size() == 0) {
    SetIdle(true);
    stream_.tcp().expires_after(options_.idle_timeout);
    error = co_await Read();
  }
  SetIdle(false);
  co_return !error;
}

/// One request and its answer; false if the connection is of no further use.
asio::awaitable<bool> Connection::ServeOne() {
  RequestParser parser;
  const error_code error = co_await Receive(parser);
  if (IsGone(error)) co_return false;
  Framing framing{11, false, false};
  if (!error) {
    const WireRequest& request = parser.get();
    framing = {request.version(), request.keep_alive() && !finishing_,
               request.method() == beast::http::verb::head};
  }
  const std::string target(parser.get().target());
  Response response = error ? Refused(parser.get(), error)
                            : Answer(handler_, parser.release(), HasCertificate(stream_, options_),
                                     options_.header_joint);
  if (response.later) {
    Response made = co_await RunLater(std::move(response.later));
    response = std::move(made);
  }
  Budget::Share place(budgets_.streams);
  if (response.events && !framing.head_only) {
    if (place.Grow(1)) {
      co_await SendEvents(std::move(response), framing.version);
      co_return false;
    }
    response = TryLater("too many streams of events are open");
  }
  Budget::Share unsent(budgets_.unsent);
  const bool has_room = response.body.size() <= kSmallAnswer || unsent.Grow(response.body.size());
  if (!has_room) response = PlainText(503, "too many slow readers, try again later\n");
  const bool sent = co_await Send(ErrorFor(target, std::move(response)), framing);
  const bool reusable = sent && framing.keep_alive && !finishing_;
  co_return reusable;
}

Response Connection::Refused(const WireRequest& request, const error_code& why) {
  Response response = Refusal(why);
  if (options_.on_refused && request.method() != beast::http::verb::unknown) {
    options_.on_refused(
        fmt::format("{} {}", std::string(request.method_string()), std::string(request.target())),
        response.status);
  }
  return response;
}

/// Reads a request within its limits. One deadline for all of it, so that drops do not extend it.
PeerStream::Error Connection::Receive(RequestParser& parser) {
  parser.header_limit(kMaxHead);
  parser.body_limit(boost::none);  // CheckHead knows better
  stream_.tcp().expires_after(options_.receive_timeout);
  const error_code head_error = co_await ReceiveHead(parser);
  if (head_error) co_return head_error;
  if (const error_code error = CheckHead(parser, options_.max_body)) co_return error;
  parser.body_limit(options_.max_body);  // chunks do not tell their sum before
  if (!parser.is_done() && parser.get()[beast::http::field::expect] == "100-continue") {
    const error_code continue_error = co_await Continue();
    if (continue_error) co_return continue_error;
  }
  co_return co_await ReceiveBody(parser);
}

/// Reads the head. The parser has a limit, too, but for the request line and for what it has yet to
/// parse each, so that many short headers would pass it.
PeerStream::Error Connection::ReceiveHead(RequestParser& parser) {
  std::size_t size = 0;
  error_code error;
  while (!error && !parser.is_header_done()) {
    // The parser takes no byte before the first line has ended.
    if (size == 0 && BareHead::Begins(Received())) co_return co_await ReceiveBareHead(parser);
    const std::size_t parsed = parser.put(buffer_.data(), error);
    buffer_.consume(parsed);
    size += parsed;
    const bool need_more = error == beast::http::error::need_more;
    const std::size_t unparsed = need_more ? buffer_.size() : 0;
    if (size + unparsed > kMaxHead) co_return beast::http::error::header_limit;
    if (need_more) error = co_await Read();
  }
  co_return error;
}

/// The same for a head whose lines end in LF alone.
PeerStream::Error Connection::ReceiveBareHead(RequestParser& parser) {
  BareHead lines;
  std::string head;  // rewritten, not yet parsed
  std::size_t size = 0;
  error_code error;
  while (!error && !parser.is_header_done()) {
    const std::size_t taken = lines.Take(Received(), head);
    buffer_.consume(taken);
    size += taken;
    if (size > kMaxHead) co_return beast::http::error::header_limit;
    // Not asio::buffer(head), which has no address when nothing is left: Beast adds to it.
    head.erase(0, parser.put(asio::const_buffer(head.data(), head.size()), error));
    if (error == beast::http::error::need_more) error = co_await Read();
  }
  co_return error;
}

PeerStream::Error Connection::ReceiveBody(RequestParser& parser) {
  error_code error;
  while (!error && !parser.is_done()) {
    if (buffer_.size() == 0) error = beast::http::error::need_more;
    if (!error) buffer_.consume(parser.put(buffer_.data(), error));
    if (error == beast::http::error::need_more) error = co_await Read();
  }
  co_return error;
}

std::string_view Connection::Received() const {
  return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
}

PeerStream::Error Connection::Read() { return stream_.Read(buffer_, kReadSize); }

/// Tells a careful peer to send the body; curl waits a second for it.
PeerStream::Error Connection::Continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  return stream_.Write({asio::buffer(kContinue)});
}

/// The response that `make` makes on another thread. The peer has no deadline meanwhile: it is we
/// who keep it waiting.
asio::awaitable<Response> Connection::RunLater(std::function<Response()> make) {
  stream_.tcp().expires_never();
  asio::steady_timer made(stream_.tcp().get_executor(), asio::steady_timer::time_point::max());
  Response response = Busy();
  const auto task = [&made, &response, make = std::move(make)] {
    response = make();
    asio::post(made.get_executor(), [&made] { made.cancel(); });
  };
  if (options_.run_later && options_.run_later(task)) co_await made.async_wait(kTuple);
  co_return response;
}

asio::awaitable<bool> Connection::Send(Response response, Framing framing) {
  const Encoded answer = Encode(std::move(response), framing);
  std::vector<asio::const_buffer> bytes = {asio::buffer(answer.head), asio::buffer(answer.body)};
  co_return co_await SendBytes(std::move(bytes));
}

/// Sends what `response` has to tell until one side is done. A peer that sends anything more is
/// done, too; so a read tells when it has gone.
asio::awaitable<void> Connection::SendEvents(Response response, unsigned version) {
  streaming_ = true;
  asio::steady_timer wake(stream_.tcp().get_executor());
  bool peer_reads = true;
  stream_.tcp().expires_never();
  asio::co_spawn(wake.get_executor(), Read(), [&](const std::exception_ptr&, const error_code&) {
    peer_reads = false;
    wake.cancel();
  });
  const std::shared_ptr<EventSource> source = std::move(response.events);
  const std::string head = EncodeOpenHead(std::move(response), version);
  std::vector<asio::const_buffer> first = {asio::buffer(head)};
  bool open = co_await SendBytes(std::move(first));
  while (open && peer_reads && !finishing_) {
    open = co_await SendNewest(*source);
    wake.expires_after(options_.event_period);
    if (open && peer_reads) co_await wake.async_wait(kTuple);
  }
  Abort();
  wake.expires_at(asio::steady_timer::time_point::max());
  while (peer_reads) co_await wake.async_wait(kTuple);  // the read has `this`
}

asio::awaitable<bool> Connection::SendNewest(EventSource& source) {
  static constexpr std::string_view kHeartbeat = ":\n\n";
  const Instant now = Now();
  const auto events = NewestOf(source, now);
  if (!events) co_return false;
  std::vector<asio::const_buffer> bytes;
  for (const EventBytes& event : *events) bytes.push_back(asio::buffer(*event));
  if (bytes.empty() && now - sent_ < options_.heartbeat) co_return true;
  if (bytes.empty()) bytes.emplace_back(kHeartbeat.data(), kHeartbeat.size());
  co_return co_await SendBytes(std::move(bytes));
}

asio::awaitable<bool> Connection::SendBytes(std::vector<asio::const_buffer> bytes) {
  stream_.tcp().expires_after(options_.send_timeout);
  const error_code error = co_await stream_.Write(std::move(bytes));
  sent_ = Now();
  co_return !error;
}

/// Closes our side and drops what the peer still sends until it closes too: closing with unread
/// bytes would reset the connection, and the peer might lose the answer.
asio::awaitable<void> Connection::Linger() {
  SetIdle(true);
  if (finishing_) co_return;
  stream_.tcp().expires_after(kLinger);
  error_code error = co_await stream_.FinishSending();
  while (!error) {
    buffer_.clear();
    error = co_await Read();
  }
}

}  // namespace twofold::http
