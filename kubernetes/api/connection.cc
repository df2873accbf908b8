#include "kubernetes/api/connection.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/credentials.h"
#include "kubernetes/api/errors.h"
#include "lib/common/printable.h"
#include "lib/common/program.h"
#include "lib/http/gzip.h"
#include "lib/http/proxy.h"

namespace twofold::kube {
namespace {

constexpr int kMaxBreaks = 3;  // of the connection during one call
constexpr auto kAfterBreak = std::chrono::milliseconds(100);
constexpr std::size_t kShownBody = 200;
constexpr int kTooManyRequests = 429;

std::string HeaderOf(const http::Head& head, std::string_view name) {
  const std::string* value = http::Find(head.headers, name);
  return value == nullptr ? "" : *value;
}

/// What the server asks to wait, if that is why it refused.
std::optional<std::chrono::seconds> RetryAfter(const http::Head& head) {
  if (head.status != kTooManyRequests && head.status < 500) return std::nullopt;
  int seconds = 0;
  if (!absl::SimpleAtoi(HeaderOf(head, "retry-after"), &seconds) || seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(seconds);
}

void CountFlow(const http::Head& head, ConnectionCounts& counts) {
  constexpr std::size_t kMostFlows = 64;
  Flow flow{HeaderOf(head, "x-kubernetes-pf-prioritylevel-uid"),
            HeaderOf(head, "x-kubernetes-pf-flowschema-uid")};
  const bool is_known = counts.throttled_by.contains(flow);
  if (flow == Flow{} || (!is_known && counts.throttled_by.size() >= kMostFlows)) return;
  ++counts.throttled_by[std::move(flow)];
}

bool Agrees(int status) { return status >= 200 && status < 300; }

Status Named(const Call& call, const std::string& server, const Status& status) {
  std::string text = absl::StrCat(call.what, ": ", server, ": ", std::string(status.message()));
  if (text.find("certificate verify failed") != std::string::npos) {
    text +=
        ": the server's certificate is not one of certificate-authority, or is for another "
        "name (tls-server-name)";
  }
  return {status.code(), text};
}

/// How the server of `config` is reached.
Result<http::Upstream> UpstreamOf(const Config& config, const http::Url& url) {
  http::Upstream upstream;
  upstream.address = url.server;
  upstream.server_name = config.cluster.tls_server_name;
  upstream.trust = config.cluster.insecure     ? http::Trust::kAnybody
                   : config.cluster.ca.empty() ? http::Trust::kSystem
                                               : http::Trust::kCa;
  if (config.cluster.proxy.empty()) return upstream;
  Result<http::Proxy> proxy = http::ParseProxy(config.cluster.proxy);
  if (!proxy.ok()) return proxy.status();
  upstream.proxy = *std::move(proxy);
  return upstream;
}

Result<Json> ParseBody(const std::string& text) {
  if (text.empty()) return Json();
  Json body = Json::parse(text, nullptr, false);
  if (!body.is_discarded()) return body;
  return absl::UnavailableError(absl::StrCat("the answer is no JSON, so this is no API server: '",
                                             Printable(text, kShownBody), "'"));
}

}  // namespace

Access Open(Config config) {
  if (config.cluster.insecure) {
    spdlog::warn(
        "INSECURE: {} says insecure-skip-tls-verify, so whoever answers at {} gets our credentials "
        "and may tell us anything; use certificate-authority instead",
        config.source, config.cluster.server);
  }
  auto credentials = std::make_shared<Credentials>(config);
  return {std::move(config), std::move(credentials)};
}

Result<Access> OpenAccess(const ConfigSources& sources) {
  Result<Config> config = FindConfig(sources);
  if (!config.ok()) return config.status();
  return Open(*std::move(config));
}

/// An answer as it came.
struct Connection::Answer {
  http::Head head;
  std::string body;
  Instant sent;
};

/// Where a call stands after its tries so far.
struct Connection::Tries {
  int breaks = 0;
  int throttled = 0;
  bool repeated = false;
  bool refused = false;  // by 401, once
};

Connection::Connection(Access access, ConnectionOptions options)
    : access_(std::move(access)), options_(options) {}

Connection::~Connection() = default;

/// Of an answer other than one that agrees. What only says to ask elsewhere (3xx, 1xx) is not from
/// an API server.
Status Connection::Refusal(const Call& call, const Answer& answer) {
  const int status = answer.head.status;
  if (status >= 400) return ErrorOf(call.what, status, answer.body);
  const auto to = http::ParseUrl(HeaderOf(answer.head, "location"));
  const std::string told = to.ok() ? "redirects to " + to->server.host : "is no answer";
  return ErrorOf(call.what, status, told + ": is a proxy in the way?");
}

Result<Reply> Connection::Do(const Call& call) {
  Tries tries;
  Result<Answer> answer = Ask(call, true, tries);
  if (!answer.ok()) return answer.status();
  Result<Json> body = ParseBody(answer->body);
  if (!body.ok()) return Named(call, access_.config.cluster.server, body.status());
  Reply reply;
  reply.status = answer->head.status;
  reply.body = *std::move(body);
  reply.bytes = answer->body.size();
  reply.sent = answer->sent;
  reply.first_byte = answer->head.arrived;
  reply.throttled = tries.throttled;
  reply.repeated = tries.repeated;
  return reply;
}

Result<std::string> Connection::GetText(const Call& call) {
  Tries tries;
  Result<Answer> answer = Ask(call, true, tries);
  if (!answer.ok()) return answer.status();
  return std::move(answer->body);
}

Result<Instant> Connection::OpenStream(const Call& call) {
  Tries tries;
  const Result<Answer> answer = Ask(call, false, tries);
  if (!answer.ok()) return answer.status();
  return answer->head.arrived;
}

/// An answer of success. `whole`: with its body.
Result<Connection::Answer> Connection::Ask(const Call& call, bool whole, Tries& tries) {
  if (!call.fault.ok()) return call.fault;
  ++counts_.calls;
  const Instant deadline = Now() + options_.timeout;
  for (;;) {
    Result<Answer> answer = Try(call, whole, deadline);
    if (!answer.ok()) {
      if (MayRepeat(call, answer.status(), tries, deadline)) continue;
      Status status = Named(call, access_.config.cluster.server, answer.status());
      if (tries.repeated) SetRepeated(status);
      return status;
    }
    if (Agrees(answer->head.status)) return answer;
    if (MayRetry(*answer, tries, deadline)) continue;
    Status status = Refusal(call, *answer);
    if (const auto wait = RetryAfter(answer->head)) SetRetryAfter(status, *wait);
    if (tries.repeated) SetRepeated(status);
    return status;
  }
}

/// One request and the answer to it, on the open connection or a new one.
Result<Connection::Answer> Connection::Try(const Call& call, bool whole, Instant deadline) {
  sent_ = false;
  auto proof = access_.credentials->Get(Now(), [this] { return !interruption_.Pause(Now()); });
  if (!proof.ok()) return proof.status();
  proof_ = *std::move(proof);
  if (tls_ != proof_->tls || !http_.is_idle()) {
    if (Status status = Connect(*proof_, deadline); !status.ok()) return status;
  }
  const http::Outgoing request = MakeRequest(call, whole, *proof_);
  Answer answer;
  answer.sent = Now();
  sent_ = true;
  if (Status status = http_.Send(request, deadline); !status.ok()) return status;
  Result<http::Head> head = http_.ReceiveHead(deadline);
  if (!head.ok()) return head.status();
  answer.head = *std::move(head);
  if (!whole && Agrees(answer.head.status)) return answer;
  if (Status status = ReceiveAll(answer, deadline); !status.ok()) return status;
  return answer;
}

Status Connection::Connect(const Proof& proof, Instant deadline) {
  Result<http::Url> url = http::ParseUrl(access_.config.cluster.server);
  if (!url.ok()) return url.status();
  url_ = *std::move(url);
  Result<http::Upstream> upstream = UpstreamOf(access_.config, *url_);
  if (!upstream.ok()) return upstream.status();
  if (url_->tls) upstream->tls = proof.tls;
  ++counts_.connects;
  tls_ = proof.tls;
  return http_.Open(*upstream, deadline);
}

http::Outgoing Connection::MakeRequest(const Call& call, bool whole, const Proof& proof) const {
  std::string prefix = url_->target;
  while (prefix.ends_with('/')) prefix.pop_back();
  http::Outgoing request{call.method, prefix + call.target, {}, call.body};
  request.headers = {{"Host", url_->authority},
                     {"User-Agent", absl::StrCat("twofold/", std::string(GetBuildInfo().version))},
                     {"Accept", call.accept}};
  if (!call.content_type.empty()) request.headers.emplace_back("Content-Type", call.content_type);
  // Packed, the events of a watch would wait in the server for each other.
  if (whole && !access_.config.cluster.disable_compression) {
    request.headers.emplace_back("Accept-Encoding", "gzip");
  }
  request.headers.insert(request.headers.end(), proof.headers.begin(), proof.headers.end());
  return request;
}

Status Connection::ReceiveAll(Answer& answer, Instant deadline) {
  for (bool last = false; !last;) {
    const Result<http::Piece> piece = http_.ReceiveBody(answer.body, deadline);
    if (!piece.ok()) return piece.status();
    last = piece->last;
    if (answer.body.size() <= options_.max_reply) continue;
    http_.Close();
    return absl::ResourceExhaustedError(
        absl::StrCat("the answer has more than ", options_.max_reply, " bytes"));
  }
  if (HeaderOf(answer.head, "content-encoding") != "gzip") return absl::OkStatus();
  Result<std::string> text = http::Gunzip(answer.body, options_.max_reply);
  if (!text.ok()) {
    return {absl::IsResourceExhausted(text.status()) ? text.status().code()
                                                     : absl::StatusCode::kInternal,
            absl::StrCat("the answer: ", std::string(text.status().message()))};
  }
  answer.body = *std::move(text);
  return absl::OkStatus();
}

/// After a break. What was not sent can be sent without being a repeat, but only if an earlier try
/// got that far: a server that is not there at the first try is the caller's to wait for.
bool Connection::MayRepeat(const Call& call, const Status& status, Tries& tries, Instant deadline) {
  if (!absl::IsUnavailable(status) || ++tries.breaks > kMaxBreaks) return false;
  if (sent_ ? call.repeat == Repeat::kNo : !tries.repeated) return false;
  const Duration wait = kAfterBreak * (tries.breaks - 1);  // first at once
  if (Now() + wait > deadline || !Sleep(wait)) return false;
  if (sent_) ++counts_.repeats;
  tries.repeated = tries.repeated || sent_;
  return true;
}

/// After a refusal that says that nothing was done.
bool Connection::MayRetry(const Answer& answer, Tries& tries, Instant deadline) {
  if (answer.head.status == 401) {
    return !std::exchange(tries.refused, true) && access_.credentials->Refuse(*proof_);
  }
  const auto wait = RetryAfter(answer.head);
  if (wait || answer.head.status == kTooManyRequests) {
    ++tries.throttled;
    ++counts_.throttled;
    CountFlow(answer.head, counts_);
  }
  if (!wait) return false;
  if (tries.throttled >= options_.max_throttled || Now() + *wait > deadline) return false;
  counts_.throttled_time += *wait;
  return Sleep(*wait);
}

Result<std::optional<Instant>> Connection::ReadStream(std::string& to, Duration timeout) {
  const std::size_t before = to.size();
  const Result<http::Piece> piece = http_.ReceiveBody(to, Now() + timeout);
  if (!piece.ok()) return piece.status();
  if (piece->last && to.size() == before) return std::nullopt;
  return piece->arrived;
}

bool Connection::Sleep(Duration wait) { return interruption_.Pause(Now() + wait); }

void Connection::Interrupt() {
  interruption_.Interrupt();
  http_.Interrupt();
}

}  // namespace twofold::kube
