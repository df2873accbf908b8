#include "frontend/cluster/relayed_stream.h"

namespace twofold::frontend {

void RelayedStream::Begin(std::shared_ptr<rpc::ByteStream> caller, std::string first) {
  upwards_bytes_ = first.size();
  loop_.Post([this, self = shared_from_this(), caller = std::move(caller),
              first = std::move(first)]() mutable {
    if (gone_) return;
    caller_ = std::move(caller);
    upwards_ = std::move(first);
    Start(way_->Get(), options_);
  });
}

/// What the caller's loop brings: here, in the order in which it came.
void RelayedStream::Do(std::function<void()> task) {
  if (loop_.IsHere()) return task();
  loop_.Post([self = shared_from_this(), task = std::move(task)] { task(); });
}

// ---- From the caller to the other frontend

void RelayedStream::OnBegin() { half_closed_ ? stream()->HalfClose() : stream()->WantPull(); }

void RelayedStream::OnRead(std::string_view bytes) {
  upwards_bytes_ = bytes.size();
  Do([this, message = std::string(bytes)]() mutable {
    upwards_ = std::move(message);
    if (stream() != nullptr) stream()->WantPull();
  });
}

void RelayedStream::OnReadEnd() {
  Do([this] {
    half_closed_ = true;
    if (stream() != nullptr) stream()->HalfClose();
  });
}

void RelayedStream::Pull(h2::MessageWriter& out) {
  if (!upwards_) return;
  out.Add(*std::exchange(upwards_, std::nullopt));
  upwards_bytes_ = 0;
  if (caller_ != nullptr) caller_->StartRead();
}

// ---- From the other frontend to the caller

void RelayedStream::OnMessage(std::string_view bytes) {
  stream()->Pause();
  downwards_.Put(std::string(bytes));
  caller_->WantPull();
}

void RelayedStream::PullDown(h2::MessageWriter& out) {
  if (!downwards_.Pull(out)) return;
  Do([this] {
    if (stream() != nullptr) stream()->Resume();
  });
}

void RelayedStream::OnCallerGone() {
  Do([this] {
    gone_ = true;
    if (caller_ != nullptr) Cancel();
  });
}

void RelayedStream::OnOver(const Status& status, const h2::Metadata& trailers) {
  const std::shared_ptr<rpc::ByteStream> caller = std::move(caller_);
  // What a connection says has the address, which tells the caller nothing.
  if (!has_status() && absl::IsUnavailable(status)) {
    return caller->Finish(
        absl::UnavailableError("the frontend that serves the queue cannot be reached; try again"));
  }
  caller->Finish(status, trailers);
}

}  // namespace twofold::frontend
