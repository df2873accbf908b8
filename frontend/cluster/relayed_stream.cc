#include "frontend/cluster/relayed_stream.h"

#include <string_view>

#include "lib/rpc/tcp_keepalive.h"

namespace twofold::frontend {
namespace {

std::string TextOf(grpc::string_ref text) { return {text.data(), text.size()}; }

/// gRPC's own, which it makes of the status.
bool IsReserved(grpc::string_ref key) {
  return std::string_view(key.data(), key.size()).substr(0, 5) == "grpc-";
}

}  // namespace

// Each direction has a hold on the call until it is over, as its operations are started by
// reactions of the other side.
void RelayedStream::Begin(const grpc::ByteBuffer& first) {
  upwards_ = first;
  stub_.PrepareBidiStreamingCall(&context_, method_, {}, this);
  AddMultipleHolds(2);
  StartRead(&downwards_);
  StartWrite(&upwards_);
  StartCall();
}

// ---- From the caller to the other frontend

void RelayedStream::OnRead(bool ok) {
  {
    const MutexLock lock(mutex_);
    if (state_ == Upwards::kOver) return;
    state_ = ok ? Upwards::kWriting : Upwards::kOver;
  }
  if (ok) return StartWrite(&upwards_);
  StartWritesDone();
  RemoveHold();
}

void RelayedStream::OnWriteDone(bool ok) {
  {
    const MutexLock lock(mutex_);
    ok = ok && !ended_;
    state_ = ok ? Upwards::kReading : Upwards::kOver;
  }
  ok ? caller_.StartRead(&upwards_) : RemoveHold();
}

// ---- From the other frontend to the caller

void RelayedStream::OnReadInitialMetadataDone(bool ok) {
  reached_ = ok;
  if (ok && !way_->is_watched.exchange(true)) rpc::KeepTcpAlive();
}

void RelayedStream::OnReadDone(bool ok) {
  if (ok) return caller_.StartWrite(&downwards_);
  bool was_reading = false;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    was_reading = state_ == Upwards::kReading;
    if (was_reading) state_ = Upwards::kOver;
  }
  if (was_reading) RemoveHold();
  RemoveHold();
}

void RelayedStream::OnWritten(bool ok) {
  if (ok) return StartRead(&downwards_);
  OnCancel();
  OnReadDone(false);
}

void RelayedStream::OnCancel() { context_.TryCancel(); }

/// The last of it: the caller's stream, which keeps this, may be gone when it has been finished.
void RelayedStream::OnDone(const grpc::Status& status) {
  if (!status.ok()) way_->is_watched = false;  // its connection may be a new one
  for (const auto& [key, value] : context_.GetServerTrailingMetadata()) {
    if (!IsReserved(key)) caller_context_.AddTrailingMetadata(TextOf(key), TextOf(value));
  }
  // What gRPC says has the address, which tells the caller nothing.
  if (!reached_ && status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return caller_.Finish(
        {status.error_code(), "the frontend that serves the queue cannot be reached; try again"});
  }
  caller_.Finish(status);
}

}  // namespace twofold::frontend
