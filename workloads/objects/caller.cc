#include "workloads/objects/caller.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <ctime>

#include "lib/common/printable.h"

namespace twofold::objects {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::uint32_t kMostRedirects = 5;
constexpr std::size_t kMostConnections = 64;
constexpr std::size_t kMostOfExample = 200;
constexpr std::size_t kMostOfCause = 160;

constexpr std::array<unsigned, 6> kBusy = {408, 429, 500, 502, 503, 504};
// The same of an answer that began as a success.
constexpr std::array<std::string_view, 4> kBusyCauses = {"InternalError", "RequestTimeout",
                                                         "ServiceUnavailable", "SlowDown"};

bool IsBusy(unsigned code, const std::string& cause) {
  return std::find(kBusy.begin(), kBusy.end(), code) != kBusy.end() ||
         std::find(kBusyCauses.begin(), kBusyCauses.end(), cause) != kBusyCauses.end();
}

bool IsLost(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::error::connection_reset ||
         error == asio::error::broken_pipe || error == boost::beast::http::error::end_of_stream ||
         error == asio::ssl::error::stream_truncated;
}

// Cuts "http://host:port" off; the rest is taken as it is.
std::size_t TargetAt(std::string_view url) {
  const std::size_t host = url.find("://");
  return host == std::string_view::npos ? 0
                                        : std::min(url.find_first_of("/?", host + 3), url.size());
}

}  // namespace

Result<std::pair<Endpoint, std::string>> Located(std::string_view location, const Endpoint& from) {
  const std::size_t at = TargetAt(location);
  std::string target(location.substr(at));
  if (!target.starts_with('/')) target.insert(0, "/");
  if (at == 0) return std::pair(from, target);
  const auto endpoint = ParseEndpoint("location", location.substr(0, at));
  if (!endpoint.ok()) return endpoint.status();
  return std::pair(*endpoint, target);
}

Caller::Caller(asio::io_context& io, const Store& store, std::size_t number,
               std::size_t buffer_bytes, Duration timeout)
    : io_(io),
      store_(store),
      number_(number),
      timeout_(timeout),
      signer_(store.credentials, store.region),
      buffer_(buffer_bytes),
      timer_(io) {
  connections_.push_back(std::make_unique<Connection>(io_, store.endpoint.authority));
}

void Caller::Abort(bool timed_out) {
  timed_out_ = timed_out;
  deadline_ = Instant::max();
  timer_.cancel();
  if (connection_ != nullptr) connection_->Close();
}

asio::awaitable<void> Caller::WaitUntil(Instant when) {
  timer_.expires_at(when);
  co_await timer_.async_wait(kTuple);
}

Connection& Caller::ConnectionTo(const std::string& authority) {
  for (auto& connection : connections_) {
    if (connection->authority() == authority) return *connection;
  }
  if (connections_.size() >= kMostConnections) connections_.erase(connections_.begin() + 1);
  return *connections_.emplace_back(std::make_unique<Connection>(io_, authority));
}

asio::awaitable<Caller::Error> Caller::Connect(const Hop* hop) {
  const Endpoint& endpoint = hop == nullptr ? store_.endpoint : hop->endpoint;
  Peer peer{{}, endpoint.server.host, endpoint.tls ? store_.tls.get() : nullptr};
  Error error;
  if (endpoint.authority == store_.endpoint.authority) {
    peer.address = store_.addresses[number_++ % store_.addresses.size()];
  } else {
    tcp::resolver resolver(io_);
    const auto [unknown, found] = co_await resolver.async_resolve(
        endpoint.server.host, std::to_string(endpoint.server.port), kTuple);
    if (unknown) co_return unknown;
    if (timed_out_) co_return asio::error::timed_out;  // a look-up cannot be ended in its middle
    peer.address = found.begin()->endpoint();
  }
  error = co_await connection_->Open(peer);
  if (tally != nullptr) {
    tally->With([&](Tally& counts) {
      if (error) return counts.ConnectFailed();
      counts.Connected(connection_->connect_time(), connection_->tls_time());
    });
  }
  co_return error;
}

void Caller::WriteHead(const Hop* hop, bool ask_first) {
  const std::string& authority = connection_->authority();
  const std::string& target = hop == nullptr ? request_.target : hop->target;
  head_.assign(request_.method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  head_.append(authority).append("\r\n").append(request_.headers);
  if (request_.has_length) absl::StrAppend(&head_, "Content-Length: ", request_.length, "\r\n");
  if (ask_first) head_.append("Expect: 100-continue\r\n");
  if (!store_.authorization.empty()) {
    head_.append("Authorization: ").append(store_.authorization).append("\r\n");
  }
  if (store_.dialect->is_signed()) {
    signer_.Append(request_.method, target, authority, request_.sha256, std::time(nullptr), head_);
  }
  head_.append("\r\n").append(request_.body);
}

std::size_t Caller::FillContent(const Call& call, const Content* content, std::uint64_t done) {
  const std::uint64_t left = call.size - done;
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
  const Instant begin = Now();
  content->Fill(call.offset + done, std::span(buffer_).first(size));
  if (tally != nullptr) {
    const Duration spent = Now() - begin;
    tally->With([&](Tally& counts) { counts.Spent(spent, {}); });
  }
  return size;
}

asio::awaitable<Caller::Error> Caller::SendContent(const Call& call, const Content* content,
                                                   std::uint64_t done) {
  while (done < call.size) {
    const std::size_t size = FillContent(call, content, done);
    const auto [error, written] = co_await connection_->Write(asio::buffer(buffer_.data(), size));
    if (error) co_return error;
    done += size;
  }
  co_return Error();
}

// The head goes out together with the first of the content.
asio::awaitable<Caller::Error> Caller::Send(const Call& call, const Content* content,
                                            bool ask_first) {
  const bool has_content = content != nullptr && call.size > 0 && !ask_first;
  const std::size_t first = has_content ? FillContent(call, content, 0) : 0;
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_),
                                                   asio::buffer(buffer_.data(), first)};
  const auto [error, written] = co_await connection_->Write(parts);
  if (error || !has_content) co_return error;
  co_return co_await SendContent(call, content, first);
}

// Gives the answer what has come in; what it leaves moves to the front.
Caller::Error Caller::Feed() {
  std::size_t used = 0;
  Error error;
  while (used < filled_ && !answer_->is_done() && !error) {
    used += answer_->put(asio::buffer(buffer_.data() + used, filled_ - used), error);
  }
  std::memmove(buffer_.data(), buffer_.data() + used, filled_ - used);
  filled_ -= used;
  return error == boost::beast::http::error::need_more ? Error() : error;
}

asio::awaitable<Caller::Error> Caller::Receive(const Call& call, Sink* sink, std::size_t keep,
                                               Reply& reply) {
  answer_.emplace(sink, keep, request_.method == "HEAD");
  if (call.verb == Verb::kFinishParts) answer_->SkipBlanks();
  reply.first_byte = Instant();
  Error error = Feed();
  while (!answer_->is_done() && !error) {
    const auto [bad, size] = co_await connection_->ReadSome(
        asio::buffer(buffer_.data() + filled_, buffer_.size() - filled_));
    if (reply.first_byte == Instant()) reply.first_byte = Now();
    filled_ += size;
    if (bad == asio::error::eof) {
      if (!answer_->got_some()) co_return bad;
      answer_->put_eof(error);
    } else {
      error = bad ? bad : Feed();
    }
  }
  co_return error;
}

// One request to one server, and its answer. Nothing but what is lost on a connection that was
// kept is done again: the server may have closed it just then.
asio::awaitable<Caller::Error> Caller::Try(const Call& call, const Content* content, Sink* sink,
                                           std::size_t keep, const Hop* hop, Reply& reply) {
  connection_ = &ConnectionTo(hop == nullptr ? store_.endpoint.authority : hop->endpoint.authority);
  const bool ask_first = request_.ask_first && hop == nullptr;
  while (true) {
    const bool kept = connection_->is_open();
    Error error = kept ? Error() : co_await Connect(hop);
    if (error) co_return error;
    filled_ = 0;
    WriteHead(hop, ask_first);
    if (hop == nullptr) reply.sent = Now();
    const Error unsent = co_await Send(call, content, ask_first);
    // A server may answer and close before it has read all.
    error = co_await Receive(call, sink, keep, reply);
    if (!error && ask_first && answer_->code() == 100) {
      error = co_await SendContent(call, content, 0);
      if (!error) error = co_await Receive(call, sink, keep, reply);
    }
    if (error || unsent || filled_ > 0 || !answer_->keep_alive()) connection_->Close();
    if (!error) co_return error;
    const bool again = kept && !timed_out_ && IsLost(error) && !answer_->got_some();
    if (!again) co_return unsent && !timed_out_ ? unsent : error;
  }
}

asio::awaitable<void> Caller::Follow(const Call& call, const Content* content, Sink* sink,
                                     std::size_t keep, Reply& reply) {
  std::optional<Hop> hop;
  Error error = co_await Try(call, content, sink, keep, nullptr, reply);
  while (!error && answer_->is_redirect() && reply.redirects < kMostRedirects) {
    reply.redirected = Now();
    ++reply.redirects;
    const Endpoint& from = hop ? hop->endpoint : store_.endpoint;
    auto to = Located(answer_->location(), from);
    // Neither does a token leave TLS, nor TLS begin without CAs: the redirect is the failure.
    if (!to.ok() || from.tls != to->first.tls) break;
    hop = Hop{std::move(to->first), std::move(to->second)};
    error = co_await Try(call, content, sink, keep, &*hop, reply);
  }
  reply.ended = Now();
  if (error) {
    reply.failure = FailureOf(error);
    reply.may_retry = true;
  } else {
    Judge(call, reply);
  }
}

asio::awaitable<Reply> Caller::Make(const Call& call, const Content* content, Sink* sink,
                                    std::size_t keep) {
  Reply reply;
  request_.headers.clear();
  request_.body.assign(call.body);
  request_.ask_first = false;
  request_.sha256 = call.sha256;
  request_.length = call.body.empty() ? call.size : call.body.size();
  request_.has_length = request_.length > 0 || call.verb == Verb::kPut ||
                        call.verb == Verb::kPutPart || call.verb == Verb::kStartParts ||
                        call.verb == Verb::kFinishParts;
  store_.dialect->Write(call, request_);
  if (call.verb == Verb::kGet && (call.offset > 0 || call.length > 0)) {
    absl::StrAppend(&request_.headers, "Range: bytes=", call.offset, "-");
    if (call.length > 0) absl::StrAppend(&request_.headers, call.offset + call.length - 1);
    request_.headers.append("\r\n");
  }
  // What is no object may say that it is no success.
  if (call.verb != Verb::kGet) keep = std::max(keep, Answer::kKeptOfFailure);
  timed_out_ = false;
  reply.sent = Now();
  deadline_ = reply.sent + timeout_;
  co_await Follow(call, content, sink, keep, reply);
  deadline_ = Instant::max();
  connection_ = nullptr;
  co_return reply;
}

Failure Caller::FailureOf(const Error& error) const {
  const bool answered = answer_ && answer_->is_header_done();
  Failure failure{answered ? answer_->code() : 0, error.message(), {}};
  if (timed_out_) {
    failure.cause = "timeout";
  } else if (error == asio::error::connection_refused) {
    failure.cause = "connection refused";
  } else if (IsLost(error) || error == boost::beast::http::error::partial_message) {
    failure.cause = "closed early";
  } else if (error.category() == boost::beast::http::make_error_code({}).category()) {
    failure.cause = "malformed answer";
  }
  failure.example = absl::StrCat(store_.endpoint.authority, ": ", failure.cause);
  return failure;
}

std::string Caller::CauseOf(const Call& call) const {
  if (!answer_->is_success()) return store_.dialect->Cause(answer_->body());
  if (call.verb == Verb::kGet) return "";
  if (call.verb == Verb::kList && answer_->is_cut()) return "list too long";
  if (call.verb == Verb::kPutPart && answer_->etag().empty()) return "no ETag";
  const Instant begin = Now();
  std::string fault = store_.dialect->Fault(call.verb, answer_->body());
  if (tally != nullptr) {
    const Duration spent = Now() - begin;
    tally->With([&](Tally& counts) { counts.Spent({}, spent); });
  }
  return fault;
}

Reason Caller::ReasonOf(const std::string& cause) const {
  if (!store_.dialect->is_signed() || !signer_.has_key()) return {};
  const std::string said = store_.dialect->Region(answer_->body());
  return objects::ReasonOf({.code = answer_->code(),
                            .cause = cause,
                            .region = said.empty() ? answer_->region() : said,
                            .signed_for = store_.region,
                            .date = answer_->date(),
                            .now = std::time(nullptr)});
}

void Caller::Judge(const Call& call, Reply& reply) const {
  const unsigned code = answer_->code();
  std::string cause = CauseOf(call);
  if (answer_->is_success() && cause.empty()) return;
  Reason reason = ReasonOf(cause);
  if (cause.empty()) cause = reason.kind;
  if (cause.empty()) cause = absl::StrCat("HTTP ", code);
  const std::string said = Printable(answer_->body(), kMostOfExample);
  reply.may_retry = IsBusy(code, cause);
  reply.failure =
      Failure{code, Printable(cause, kMostOfCause),
              reason.text.empty() ? said : absl::StrCat(reason.text, "; ", said), reason.text};
}

}  // namespace twofold::objects
