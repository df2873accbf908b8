#include "lib/h2/stream.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "lib/h2/session.h"

namespace twofold::h2 {
namespace {

constexpr std::size_t kRestingBytes = 4 << 10;  // of a buffer that has become empty

/// Empties a buffer; keeps what is hardly worth giving back.
void Clear(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kRestingBytes) std::string().swap(buffer);
}

std::size_t BytesOf(const Metadata& metadata) {
  std::size_t bytes = 0;
  for (const auto& entry : metadata) {
    bytes += sizeof(entry) + entry.first.size() + entry.second.size();
  }
  return bytes;
}

}  // namespace

Stream::Stream(Session& session, std::int32_t id) : session_(session), id_(id) { Recount(); }

Stream::~Stream() { session_.options_.account.Release(charged_); }

void Stream::Recount() {
  Account& account = session_.options_.account;
  const std::size_t before = charged_;
  charged_ = session_.limits().stream_bytes + path_.size() + BytesOf(metadata_) + BytesOf(block_) +
             in_.capacity() + out_.capacity() + service_bytes_;
  if (charged_ > before) account.Charge(charged_ - before);
  if (charged_ < before) account.Release(before - charged_);
}

void Stream::Hold(std::size_t bytes) {
  Account& account = session_.options_.account;
  if (bytes > service_bytes_) account.Charge(bytes - service_bytes_);
  if (bytes < service_bytes_) account.Release(service_bytes_ - bytes);
  charged_ = charged_ - service_bytes_ + bytes;
  service_bytes_ = bytes;
}

void Stream::SetOfUse() {
  if (session_.options_.account.SetOfUse()) session_.Tell(PeerNews::kOfUse);
}

// ---- what comes

void Stream::Consume(std::size_t bytes) {
  if (closed_) return;
  session_.Check(nghttp2_session_consume(session_.session_, id_, bytes));
  session_.MarkDirty();
}

void Stream::Deliver(std::string_view chunk) {
  if (dropped_) return Consume(chunk.size());
  if (paused_) {
    unconsumed_ += chunk.size();
  } else {
    Consume(chunk.size());
  }
  // Messages that are whole are taken from where they lie.
  if (in_.empty()) chunk.remove_prefix(TakeFrom(chunk));
  if (!chunk.empty() && !dropped_) {
    in_.append(chunk);
    TakeMessages();
  }
  Recount();
}

/// How many bytes were used.
std::size_t Stream::TakeFrom(std::string_view bytes) {
  std::size_t used = 0;
  delivering_ = true;
  while (!dropped_ && !paused_ && bytes.size() - used >= kMessageHead) {
    const MessageHead head = ReadMessageHead(bytes.substr(used));
    if (head.compressed) {
      Fail(absl::UnimplementedError("messages must not be compressed"));
      break;
    }
    const std::size_t most = session_.limits().message_bytes;
    if (head.size > most) {
      Fail(absl::ResourceExhaustedError(
          absl::StrCat("the message has ", head.size, " bytes, more than ", most)));
      break;
    }
    if (bytes.size() - used - kMessageHead < head.size) break;
    used += kMessageHead + head.size;
    end_->OnMessage(bytes.substr(used - head.size, head.size));
  }
  delivering_ = false;
  return used;
}

void Stream::TakeMessages() {
  taken_ += TakeFrom(std::string_view(in_).substr(taken_));
  if (dropped_ || unread() == 0) {
    Clear(in_);
    taken_ = 0;
  } else if (taken_ > in_.size() / 2) {
    in_.erase(0, std::exchange(taken_, 0));
  }
}

void Stream::Resume() {
  paused_ = false;
  if (delivering_) return;
  if (unconsumed_ > 0) Consume(std::exchange(unconsumed_, 0));
  if (end_ != nullptr) TakeMessages();
  Recount();
  if (closed_ && (!paused_ || dropped_)) return session_.EndStream(*this);
  if (peer_done_) OnPeerDone();
}

void Stream::OnPeerDone() {
  peer_done_ = true;
  // What waits to be read comes first.
  if (end_ == nullptr || dropped_ || told_done_ || (paused_ && unread() > 0)) return;
  if (!session_.serves()) return;  // see Session::EndStream
  if (unread() > 0) return Fail(absl::InternalError("the last message is cut off"));
  told_done_ = true;
  end_->OnHalfClosed();
}

/// Further messages are not wanted, nor those that wait.
void Stream::Drop() {
  dropped_ = true;
  if (unconsumed_ > 0) Consume(std::exchange(unconsumed_, 0));
  if (!delivering_) {
    Clear(in_);
    taken_ = 0;
  }
  Recount();
}

// ---- what goes

void Stream::WantPull() {
  if (closed_ || outcome_) return;
  wants_pull_ = true;
  if (!answered_) {
    session_.Answer(*this);
  } else {
    session_.Resume(*this);
  }
}

void Stream::Finish(Status status, Metadata trailers) {
  if (finishing_ || closed_ || outcome_) return;
  finishing_ = true;
  status_ = std::move(status);
  trailers_ = std::move(trailers);
  Drop();
  if (answered_) {
    session_.Resume(*this);
  } else {
    session_.AnswerAlone(*this);
  }
}

void Stream::HalfClose() {
  if (std::exchange(finishing_, true)) return;
  WantPull();
}

void Stream::Cancel(Status status) {
  if (closed_ || !outcome_) outcome_ = std::move(status);
  Drop();
  if (!closed_) return session_.Reset(*this, NGHTTP2_CANCEL);
  if (!delivering_) session_.EndStream(*this);
}

void Stream::Fail(const Status& status) {
  if (!session_.serves()) return Cancel(status);
  outcome_ = status;
  status_ = status;
  finishing_ = true;
  pulled_all_ = true;
  Drop();
  if (answered_) {
    session_.Resume(*this);
  } else {
    session_.AnswerAlone(*this);
  }
}

/// Pulls if all that was pulled before is on its way.
void Stream::Refill(std::string& spare) {
  if (unsent() > 0 || pulled_all_ || end_ == nullptr) return;
  OnDrained(spare);
  if (out_.capacity() < spare.capacity()) out_.swap(spare);
  out_.clear();
  bool more = true;
  const std::size_t enough = std::min(session_.limits().sent_frame_bytes, session_.write_bytes());
  // The frame with the last message should be the last one, so what ends is pulled to its end.
  while (more && !outcome_ && out_.size() < enough) {
    wants_pull_ = false;
    MessageWriter writer(out_, session_.limits().message_bytes, session_.write_bytes());
    end_->Pull(writer);
    if (writer.refused()) Fail(absl::ResourceExhaustedError("a message of ours is too large"));
    more = writer.bytes() > 0 ? finishing_ : wants_pull_;
    if (finishing_ && !more) pulled_all_ = true;
  }
  if (out_.empty()) OnDrained(spare);
  Recount();
}

/// Buffers at rest are the loop's: a stream has one only while it has something to send.
void Stream::OnDrained(std::string& spare) {
  sent_ = 0;
  out_.clear();
  if (out_.capacity() > spare.capacity()) out_.swap(spare);
  Clear(out_);
  Recount();
}

}  // namespace twofold::h2
