// What a session tells the peer.

#include <algorithm>
#include <utility>

#include "lib/h2/header_block.h"
#include "lib/h2/session.h"
#include "lib/h2/session_callbacks.h"

namespace twofold::h2 {

/// See Limits.
std::size_t Session::write_bytes() const {
  const bool of_use = !serves() || options_.account.of_use();
  return of_use ? limits().write_bytes : limits().write_bytes_of_no_use;
}

bool Session::Collect(Outgoing& out, Instant now) {
  now_ = now;
  dirty_ = false;
  for (const std::int32_t id : std::exchange(unfinished_, {})) {
    if (Stream* const stream = Find(id); stream != nullptr && !stream->closed_) {
      Reset(*stream, NGHTTP2_CANCEL);
    }
  }
  out_ = &out;
  while (out.bytes.size() < write_bytes()) {
    const std::uint8_t* data = nullptr;
    const std::size_t before = out.bytes.size();
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) {
      Check(static_cast<int>(size));
      break;
    }
    out.bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    if (out.bytes.size() == before) break;
  }
  out_ = nullptr;
  EndTakenBack();
  return out.bytes.size() >= write_bytes();
}

/// nghttp2 looks at calls that wait until the server takes more of them only then, also at those
/// that were taken back.
void Session::EndTakenBack() {
  for (const std::int32_t id : std::exchange(taken_back_, {})) {
    Stream* const stream = Find(id);
    if (stream == nullptr || stream->closed_) continue;
    stream->closed_ = true;
    EndStream(*stream);
  }
}

// ---- headers

void Session::Answer(Stream& stream) {
  stream.answered_ = true;
  HeaderBlock headers;
  headers.Add(":status", "200");
  headers.Add("content-type", "application/grpc");
  const nghttp2_data_provider provider = DataProvider();
  Check(nghttp2_submit_response(session_, stream.id_, headers.data(), headers.size(), &provider));
  MarkDirty();
}

/// The status without messages.
void Session::AnswerAlone(Stream& stream) {
  stream.answered_ = true;
  HeaderBlock headers;
  headers.Add(":status", "200");
  headers.Add("content-type", "application/grpc");
  headers.Add(stream.status_);
  headers.Add(stream.trailers_);
  Check(nghttp2_submit_response(session_, stream.id_, headers.data(), headers.size(), nullptr));
  MarkDirty();
}

/// To those who do not speak gRPC.
void Session::AnswerInHttp(Stream& stream, std::string_view status) {
  stream.answered_ = true;
  stream.dropped_ = true;
  HeaderBlock headers;
  headers.Add(":status", status);
  Check(nghttp2_submit_response(session_, stream.id_, headers.data(), headers.size(), nullptr));
  MarkDirty();
}

void Session::SendTrailers(Stream& stream) {
  HeaderBlock headers;
  headers.Add(stream.status_);
  headers.Add(stream.trailers_);
  Check(nghttp2_submit_trailer(session_, stream.id_, headers.data(), headers.size()));
}

/// Once: of a call that has not begun nghttp2 sends nothing, but a second reset it does send.
void Session::Reset(Stream& stream, std::uint32_t code) {
  if (std::exchange(stream.reset_, true)) return;
  if (!serves() && nghttp2_session_find_stream(session_, stream.id_) == nullptr) {
    taken_back_.push_back(stream.id_);
  }
  Check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, code));
  MarkDirty();
}

// ---- data

/// What nghttp2 had put off for want of data goes on.
void Session::Resume(Stream& stream) {
  Check(nghttp2_session_resume_data(session_, stream.id_));
  MarkDirty();
}

ssize_t Session::DataLength(std::int32_t id, std::int32_t window, std::uint32_t frame_bytes) {
  Stream* const stream = Find(id);
  if (stream == nullptr || !broken_.ok()) return 1;
  stream->Refill(out_->spare);
  // nghttp2 reserves as much as is said here, and keeps it.
  const std::size_t most = std::min({static_cast<std::size_t>(window), std::size_t{frame_bytes},
                                     limits().sent_frame_bytes, stream->unsent()});
  return std::max<ssize_t>(1, static_cast<ssize_t>(most));
}

ssize_t Session::ReadData(std::int32_t id, std::size_t size, std::uint32_t& flags) {
  Stream* const stream = Find(id);
  if (stream == nullptr || !broken_.ok()) return NGHTTP2_ERR_DEFERRED;
  const std::size_t there = stream->unsent();
  if (there == 0 && !stream->pulled_all_) return NGHTTP2_ERR_DEFERRED;
  if (there <= size && stream->pulled_all_) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    if (serves()) {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      SendTrailers(*stream);
    }
  }
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  return static_cast<ssize_t>(std::min(there, size));
}

int Session::SendData(std::int32_t id, std::string_view head, std::size_t size) {
  Stream* const stream = Find(id);
  // A frame goes as a whole or waits: nghttp2 asks again with the same one.
  if (out_->bytes.size() >= write_bytes()) return NGHTTP2_ERR_WOULDBLOCK;
  out_->bytes.append(head).append(stream->out_, stream->sent_, size);
  stream->sent_ += size;
  if (stream->unsent() == 0) stream->OnDrained(out_->spare);
  return 0;
}

// ---- what has gone

void Session::OnSent(const nghttp2_frame& frame) {
  if (frames_ != nullptr) frames_->Add(LastFrames::Way::kOut, frame.hd);
  if (frame.hd.type == NGHTTP2_DATA) purse_.Earn(limits().idle_frames_a_data);
  if (frame.hd.type == NGHTTP2_GOAWAY) OnGoodbye(frame.goaway);
  const bool last = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!serves() || frame.hd.type != NGHTTP2_HEADERS || !last) return;
  Stream* const stream = Find(frame.hd.stream_id);
  if (stream == nullptr) return;
  stream->trailers_sent_ = true;
  // The caller need not send on. A reset that was asked for earlier would overtake the status.
  if (!stream->peer_done_) Reset(*stream, NGHTTP2_NO_ERROR);
}

/// nghttp2 ends a connection by itself, too.
void Session::OnGoodbye(const nghttp2_goaway& goaway) {
  if (goaway.error_code == NGHTTP2_NO_ERROR || !broken_.ok()) return;
  const std::string_view why(reinterpret_cast<const char*>(goaway.opaque_data),
                             goaway.opaque_data_len);
  cause_ = goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM ? Cause::kFlood : Cause::kProtocol;
  broken_ = absl::InvalidArgumentError(
      "the peer broke the protocol: " +
      std::string(why.empty() ? nghttp2_http2_strerror(goaway.error_code) : why));
}

/// A call that has not left: the server takes no more of them, or it was taken back before.
void Session::OnNotSent(const nghttp2_frame& frame) {
  if (serves() || frame.hd.type != NGHTTP2_HEADERS) return;
  Stream* const stream = Find(frame.hd.stream_id);
  if (stream == nullptr) return;
  stream->closed_ = true;
  if (!stream->outcome_) {
    stream->outcome_ = absl::UnavailableError("the connection takes no further calls");
  }
  EndStream(*stream);
}

}  // namespace twofold::h2
