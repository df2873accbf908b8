// What a session is told by the peer.

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/h2/session.h"

namespace twofold::h2 {
namespace {

constexpr std::string_view kGrpc = "application/grpc";
constexpr auto kForEver = std::chrono::hours(24 * 365 * 10);  // longer deadlines are none

/// "application/grpc", "application/grpc+proto", "application/grpc; charset=x"; not
/// "application/grpc-web".
bool IsGrpc(const std::string* type) {
  if (type == nullptr || !type->starts_with(kGrpc)) return false;
  return type->size() == kGrpc.size() ||
         std::string_view("+; ").find((*type)[kGrpc.size()]) != std::string_view::npos;
}

/// The part of a block that is the service's or the caller's, out of base64.
///
/// Errors   kInternal: which header is broken.
Result<Metadata> TakeMetadata(Metadata& block) {
  Metadata taken;
  for (auto& [name, value] : block) {
    if (IsReserved(name)) continue;
    if (IsBinary(name)) {
      std::optional<std::string> bytes = FromBase64(value);
      if (!bytes) return absl::InternalError("the value of " + name + " is not base64");
      value = *std::move(bytes);
    }
    taken.emplace_back(std::move(name), std::move(value));
  }
  return taken;
}

bool IsInformational(const std::string* status) {
  return status != nullptr && status->starts_with('1');
}

}  // namespace

int Session::OnBeginFrame(const nghttp2_frame_hd& head) {
  if (frames_ != nullptr) frames_->Add(LastFrames::Way::kIn, head);
  const bool is_block = head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_CONTINUATION;
  const bool goes_on = is_block && (head.flags & NGHTTP2_FLAG_END_HEADERS) == 0;
  if (!goes_on) {
    header_due_ = Instant::max();
  } else if (header_due_ == Instant::max()) {
    header_due_ = now_ + limits().header_block;
  }
  // A caller chose whom to call, so a server resets calls for nothing. gRPC's library updates the
  // window of a call with each message that it reads, and a frame of ours has thousands.
  const bool is_free = head.type == NGHTTP2_RST_STREAM || head.type == NGHTTP2_WINDOW_UPDATE;
  if (!serves() && is_free) return GoOn();
  return Pay(FrameCost(head.type, head.flags, head.length));
}

int Session::Pay(double cost) {
  if (cost > 0 && !purse_.Pay(cost, now_)) {
    Break(Cause::kFlood, absl::ResourceExhaustedError("too many frames that bring nothing forward"),
          NGHTTP2_ENHANCE_YOUR_CALM);
  }
  return GoOn();
}

int Session::OnBeginHeaders(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS) return GoOn();
  if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) Add(frame.hd.stream_id);
  if (Stream* const stream = Find(frame.hd.stream_id)) {
    stream->block_.clear();
    stream->header_bytes_ = 0;
  }
  return GoOn();
}

/// Peers and proxies may join the values of one name, and base64 has no comma (PROTOCOL-HTTP2.md):
/// each value counts as if it had come by itself.
int Session::OnHeader(std::int32_t id, std::string_view name, std::string_view value) {
  Stream* const stream = Find(id);
  if (stream == nullptr) return GoOn();
  while (broken_.ok() && IsBinary(name) && value.find(',') != std::string_view::npos) {
    KeepHeader(*stream, name, value.substr(0, value.find(',')));
    value.remove_prefix(value.find(',') + 1);
  }
  KeepHeader(*stream, name, value);
  return GoOn();
}

void Session::KeepHeader(Stream& stream, std::string_view name, std::string_view value) {
  constexpr std::size_t kHeaderOverhead = 32;  // RFC 9113, section 6.5.2
  stream.header_bytes_ += name.size() + value.size() + kHeaderOverhead;
  if (stream.header_bytes_ > limits().header_excess * limits().header_bytes) {
    Break(Cause::kFlood, absl::ResourceExhaustedError("far too many bytes of metadata"),
          NGHTTP2_ENHANCE_YOUR_CALM);
  } else if (stream.header_bytes_ <= limits().header_bytes) {
    stream.block_.emplace_back(name, value);
  }
}

int Session::OnFrame(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_SETTINGS:
      OnSettings((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0);
      return GoOn();
    case NGHTTP2_PING:
      if ((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) {
        OnPong({reinterpret_cast<const char*>(frame.ping.opaque_data), 8});
      }
      return GoOn();
    case NGHTTP2_GOAWAY:
      if (!std::exchange(peer_drains_, true)) Tell(PeerNews::kDrains);
      MarkDirty();
      return GoOn();
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
      if (Stream* const stream = Find(frame.hd.stream_id)) OnStreamFrame(*stream, frame);
      return GoOn();
    default:
      return GoOn();
  }
}

void Session::OnSettings(bool acknowledge_ours) {
  if (acknowledge_ours) {
    settings_acknowledged_ = true;
  } else if (!std::exchange(settings_came_, true)) {
    Tell(PeerNews::kGreeted);
  }
  if (settings_acknowledged_ && settings_came_) greeting_due_ = Instant::max();
}

void Session::OnStreamFrame(Stream& stream, const nghttp2_frame& frame) {
  const bool last = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame.hd.type == NGHTTP2_HEADERS) {
    if (stream.header_bytes_ > limits().header_bytes) {
      stream.Fail(absl::ResourceExhaustedError(absl::StrCat(
          stream.header_bytes_, " bytes of metadata, more than ", limits().header_bytes)));
    } else if (serves()) {
      if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) OnRequest(stream);
    } else if (last) {
      OnTrailers(stream);
    } else {
      OnResponse(stream);
    }
    Metadata().swap(stream.block_);
    stream.Recount();
  }
  if (!last) return;
  if (!serves()) {
    if (!stream.outcome_) stream.outcome_ = absl::InternalError("the call ended without a status");
    unfinished_.push_back(stream.id_);
    MarkDirty();
  }
  stream.OnPeerDone();
}

void Session::OnRequest(Stream& stream) {
  const std::string* const method = h2::Find(stream.block_, ":method");
  if (method == nullptr || *method != "POST") return AnswerInHttp(stream, "405");
  if (!IsGrpc(h2::Find(stream.block_, "content-type"))) return AnswerInHttp(stream, "415");
  if (const std::string* const path = h2::Find(stream.block_, ":path")) stream.path_ = *path;
  if (const std::string* const text = h2::Find(stream.block_, "grpc-timeout")) {
    const std::optional<Duration> timeout = FromTimeout(*text);
    if (!timeout) return stream.Fail(absl::InternalError("grpc-timeout is not a time"));
    if (*timeout < kForEver) stream.deadline_ = now_ + *timeout;
  }
  Result<Metadata> metadata = TakeMetadata(stream.block_);
  if (!metadata.ok()) return stream.Fail(metadata.status());
  stream.metadata_ = *std::move(metadata);
  SetDeadline(stream, stream.deadline_);
  Result<std::shared_ptr<End>> end = options_.serve(stream);
  if (!end.ok()) return stream.Fail(end.status());
  stream.end_ = *std::move(end);
}

void Session::OnResponse(Stream& stream) {
  const std::string* const status = h2::Find(stream.block_, ":status");
  if (IsInformational(status)) return;
  if (status != nullptr && *status != "200") return stream.Cancel(FromHttpStatus(*status));
  if (!IsGrpc(h2::Find(stream.block_, "content-type"))) {
    stream.Cancel(absl::UnknownError("the peer's answer is not gRPC"));
  }
}

void Session::OnTrailers(Stream& stream) {
  stream.has_status_ = true;
  if (stream.outcome_) return;
  const std::string* const code = h2::Find(stream.block_, "grpc-status");
  const std::string* const http = h2::Find(stream.block_, ":status");
  if (code != nullptr) {
    stream.outcome_ = FromTrailers(*code, h2::Find(stream.block_, "grpc-message"));
  } else if (http != nullptr && *http != "200") {
    stream.outcome_ = FromHttpStatus(*http);
  } else {
    stream.outcome_ = absl::UnknownError("the peer ended the call without a status of gRPC");
  }
  Result<Metadata> trailers = TakeMetadata(stream.block_);
  if (trailers.ok()) {
    stream.trailers_ = *std::move(trailers);
  } else {
    stream.outcome_ = trailers.status();
  }
}

int Session::OnInvalidFrame(const nghttp2_frame& frame, int error) {
  if (frames_ != nullptr) frames_->MarkInvalid(frame.hd);
  // Who is told the limit late has begun more calls than it allows.
  if (error == NGHTTP2_ERR_REFUSED_STREAM) return Pay(1);
  if (++glitches_ > limits().glitches) {
    Break(Cause::kProtocol, absl::InvalidArgumentError("too many frames break the protocol"),
          NGHTTP2_ENHANCE_YOUR_CALM);
  }
  return GoOn();
}

int Session::OnChunk(std::int32_t id, std::string_view bytes) {
  Stream* const stream = Find(id);
  if (stream == nullptr) {
    Check(nghttp2_session_consume(session_, id, bytes.size()));
    MarkDirty();
  } else if (stream->end_ == nullptr) {
    stream->Consume(bytes.size());
  } else {
    stream->Deliver(bytes);
  }
  return GoOn();
}

int Session::OnStreamClosed(std::int32_t id, std::uint32_t code) {
  Stream* const stream = Find(id);
  if (stream == nullptr) return GoOn();
  stream->closed_ = true;
  if (stream->unconsumed_ > 0) {
    Check(nghttp2_session_consume_connection(session_, std::exchange(stream->unconsumed_, 0)));
  }
  if (!stream->outcome_) {
    if (!serves()) {
      stream->outcome_ = FromReset(code);
    } else {
      stream->outcome_ =
          stream->trailers_sent_ ? absl::OkStatus() : absl::CancelledError("the caller has gone");
    }
  }
  // A caller reads what came before the status.
  const bool waits = !serves() && stream->paused_ && !stream->dropped_ && stream->unread() > 0;
  if (!waits) EndStream(*stream);
  return GoOn();
}

}  // namespace twofold::h2
