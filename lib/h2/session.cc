#include "lib/h2/session.h"

#include <algorithm>
#include <utility>

#include "lib/h2/header_block.h"
#include "lib/h2/session_callbacks.h"

namespace twofold::h2 {
namespace {

constexpr std::string_view kLastCalls = "lastcall";  // of a PING: eight bytes
constexpr std::size_t kSentHeaderBytes = 64 << 10;   // nghttp2's own bound

// Silence is looked at four times a second: at the very instants, each of thousands of peers at
// rest would wake the process by itself.
using Looks = std::chrono::duration<std::int64_t, std::ratio<1, 4>>;

struct FreeOption {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

/// Null: no memory.
std::unique_ptr<nghttp2_option, FreeOption> MakeOption(const Limits& limits) {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) return nullptr;
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_outbound_ack(option, limits.waiting_acks);
  nghttp2_option_set_max_settings(option, limits.settings_entries);
  nghttp2_option_set_max_continuations(option, limits.continuations);
  nghttp2_option_set_max_send_header_block_length(option, kSentHeaderBytes);
  // Resets are paid like other frames, by the clock of the session.
  constexpr std::uint64_t kNever = 1ULL << 40;
  nghttp2_option_set_stream_reset_rate_limit(option, kNever, kNever);
  return std::unique_ptr<nghttp2_option, FreeOption>(option);
}

std::vector<nghttp2_settings_entry> Announcements(const Limits& limits, bool serves) {
  std::vector<nghttp2_settings_entry> settings = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(limits.stream_window)},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, limits.frame_bytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.header_bytes)}};
  if (serves) {
    settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams});
  } else {
    settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  }
  return settings;
}

/// Of nghttp2's fatal errors.
Cause CauseOf(ssize_t error) {
  if (error == NGHTTP2_ERR_NOMEM) return Cause::kMemory;
  return error == NGHTTP2_ERR_FLOODED ? Cause::kFlood : Cause::kProtocol;
}

/// What the peer is told of it.
std::uint32_t CodeOf(Cause cause) {
  if (cause == Cause::kMemory) return NGHTTP2_INTERNAL_ERROR;
  return cause == Cause::kFlood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR;
}

bool IsPositive(std::chrono::milliseconds time) { return time.count() > 0; }

}  // namespace

// ---- its life

Result<std::unique_ptr<Session>> Session::Make(Options options, Instant now) {
  std::unique_ptr<Session> made(new Session(std::move(options), now));
  if (const Status started = made->Start(); !started.ok()) return started;
  return made;
}

Session::Session(Options options, Instant now)
    : options_(std::move(options)),
      memory_(options_.account),
      frames_(options_.keep_frames ? std::make_unique<LastFrames>() : nullptr),
      now_(now),
      heard_(now),
      idle_since_(now),
      greeting_due_(now + options_.limits.greeting),
      purse_(options_.limits.idle_frames, options_.limits.idle_frames_a_second, now) {}

Session::~Session() { nghttp2_session_del(session_); }

Status Session::Start() {
  const Status full = absl::ResourceExhaustedError("no memory for a connection");
  const auto option = MakeOption(limits());
  if (option == nullptr) return full;
  const auto make = serves() ? nghttp2_session_server_new3 : nghttp2_session_client_new3;
  nghttp2_mem memory = memory_.functions();
  if (make(&session_, Callbacks(), this, option.get(), &memory) != 0) return full;
  const auto settings = Announcements(limits(), serves());
  if (nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0 ||
      nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                            limits().connection_window) != 0) {
    return full;
  }
  MarkDirty();
  return absl::OkStatus();
}

void Session::MarkDirty() {
  if (std::exchange(dirty_, true) || closed_) return;
  if (options_.on_output) options_.on_output();
}

void Session::Break(Cause cause, Status why, std::uint32_t code) {
  if (!broken_.ok()) return;
  cause_ = cause;
  broken_ = std::move(why);
  nghttp2_session_terminate_session(session_, code);
  dirty_ = false;  // it is told even if a socket that takes nothing was told before
  MarkDirty();
}

void Session::Check(int result) {
  if (nghttp2_is_fatal(result) != 0) {
    Break(CauseOf(result), absl::ResourceExhaustedError(nghttp2_strerror(result)),
          NGHTTP2_INTERNAL_ERROR);
  }
}

int Session::GoOn() {
  if (options_.account.overdrawn()) {
    Break(Cause::kMemory,
          absl::ResourceExhaustedError("the connection holds more memory than one may"),
          NGHTTP2_ENHANCE_YOUR_CALM);
  }
  return broken_.ok() ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

Status Session::Receive(std::string_view bytes, Instant now) {
  now_ = now;
  heard_ = now;
  sign_due_ = Instant::max();
  if (!broken_.ok()) return broken_;
  const ssize_t used = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (used < 0) {
    const Cause cause = CauseOf(used);
    Break(cause, absl::InvalidArgumentError(nghttp2_strerror(static_cast<int>(used))),
          CodeOf(cause));
  }
  GoOn();
  if (nghttp2_session_want_write(session_) != 0) MarkDirty();
  return broken_;
}

bool Session::over() const {
  if (nghttp2_session_want_write(session_) != 0) return false;
  if (drains_ == Drains::kDone && streams_.empty()) return true;
  return nghttp2_session_want_read(session_) == 0;
}

void Session::Close(std::string_view why) {
  closed_ = true;
  while (!streams_.empty()) {
    Stream& stream = *streams_.begin()->second;
    stream.closed_ = true;
    if (!stream.outcome_) {
      stream.outcome_ = serves() ? absl::CancelledError("the caller has gone")
                                 : absl::UnavailableError(std::string(why));
    }
    EndStream(stream);
  }
}

// ---- time

Instant Session::NextDue() const {
  if (!broken_.ok()) return Instant::max();
  Instant next = std::min({greeting_due_, header_due_, last_calls_due_, sign_due_});
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first);
  if (sign_due_ == Instant::max() && IsPositive(limits().silence)) {
    next = std::min<Instant>(next, std::chrono::ceil<Looks>(heard_ + limits().silence));
  }
  if (IsPositive(limits().idle) && streams_.empty() && !drains()) {
    next = std::min(next, idle_since_ + limits().idle);
  }
  return next;
}

void Session::OnDue(Instant now) {
  now_ = now;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    OnDeadline(*Find(deadlines_.begin()->second));
  }
  if (greeting_due_ <= now) {
    Break(Cause::kTooSlow, absl::DeadlineExceededError("no greeting"), NGHTTP2_SETTINGS_TIMEOUT);
  }
  if (header_due_ <= now) {
    Break(Cause::kTooSlow, absl::DeadlineExceededError("headers without an end"),
          NGHTTP2_ENHANCE_YOUR_CALM);
  }
  if (sign_due_ <= now)
    Break(Cause::kLost, absl::UnavailableError("no sign of life"), NGHTTP2_NO_ERROR);
  if (last_calls_due_ <= now) SayLastCall();
  if (IsPositive(limits().idle) && streams_.empty() && idle_since_ + limits().idle <= now) {
    Drain(now);
  }
  if (sign_due_ == Instant::max() && IsPositive(limits().silence) &&
      heard_ + limits().silence <= now && broken_.ok()) {
    sign_due_ = std::chrono::ceil<Looks>(now + limits().sign_of_life);
    Check(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr));
    MarkDirty();
  }
}

void Session::OnDeadline(Stream& stream) {
  SetDeadline(stream, std::nullopt);
  const Status over = absl::DeadlineExceededError("the deadline of the call has passed");
  // An answer that waits for a peer that reads nothing is cut off. Any other is told its status: a
  // proxy makes another one of a reset.
  if (stream.answered_ && !TakesStatus(stream)) return stream.Cancel(over);
  stream.Fail(over);
}

/// Nothing that was begun has to go first. nghttp2 holds trailers back, as data, without a window.
bool Session::TakesStatus(const Stream& stream) const {
  return stream.unsent() == 0 && nghttp2_session_get_remote_window_size(session_) > 0 &&
         nghttp2_session_get_stream_remote_window_size(session_, stream.id_) > 0;
}

// ---- streams

Stream* Session::Find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

Stream& Session::Add(std::int32_t id) {
  auto& stream = streams_[id];
  stream.reset(new Stream(*this, id));
  return *stream;
}

void Session::SetDeadline(Stream& stream, std::optional<Instant> deadline) {
  if (stream.due_) deadlines_.erase({*stream.due_, stream.id_});
  stream.due_ = deadline;
  if (deadline) deadlines_.emplace(*deadline, stream.id_);
}

void Session::EndStream(Stream& ended) {
  const auto found = streams_.find(ended.id_);
  const std::unique_ptr<Stream> stream = std::move(found->second);
  streams_.erase(found);
  SetDeadline(*stream, std::nullopt);
  if (streams_.empty()) idle_since_ = now_;
  if (stream->outcome_->ok() && !serves() && stream->unread() > 0) {
    stream->outcome_ = absl::InternalError("the last message is cut off");
  }
  if (stream->end_ != nullptr) stream->end_->OnEnd(*stream->outcome_, stream->trailers_);
  if (drains()) MarkDirty();  // whoever waits for the last one looks then
}

Result<Stream*> Session::Call(const CallOptions& options, std::shared_ptr<End> end, Instant now) {
  now_ = now;
  if (drains() || closed_ || !broken_.ok() ||
      nghttp2_session_check_request_allowed(session_) == 0) {
    return absl::UnavailableError("the connection takes no further calls");
  }
  HeaderBlock headers;
  headers.Add(":method", "POST");
  headers.Add(":scheme", options.scheme);
  headers.Add(":path", options.path);
  headers.Add(":authority", options.authority);
  headers.Add("te", "trailers");
  headers.Add("content-type", "application/grpc");
  if (options.deadline) headers.AddOwn("grpc-timeout", ToTimeout(*options.deadline - now_));
  headers.Add(options.metadata);
  const nghttp2_data_provider provider = DataProvider();
  const std::int32_t id =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &provider, nullptr);
  if (id < 0) return absl::UnavailableError(nghttp2_strerror(id));
  Stream& stream = Add(id);
  stream.end_ = std::move(end);
  stream.path_ = options.path;
  stream.deadline_ = options.deadline;
  stream.answered_ = true;
  SetDeadline(stream, options.deadline);
  MarkDirty();
  return &stream;
}

// ---- its end

void Session::Drain(Instant now) {
  if (drains_ != Drains::kNo) return;
  now_ = now;
  if (!serves()) return SayLastCall();
  drains_ = Drains::kNoticed;
  last_calls_due_ = now + limits().last_calls;
  Check(nghttp2_submit_shutdown_notice(session_));
  Check(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE,
                            reinterpret_cast<const std::uint8_t*>(kLastCalls.data())));
  MarkDirty();
}

/// What the peer sent before it knew has come by now.
void Session::SayLastCall() {
  if (std::exchange(drains_, Drains::kDone) == Drains::kDone) return;
  last_calls_due_ = Instant::max();
  Check(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                              nullptr, 0));
  MarkDirty();
}

void Session::OnPong(std::string_view opaque) {
  if (drains_ == Drains::kNoticed && opaque == kLastCalls) SayLastCall();
}

}  // namespace twofold::h2
