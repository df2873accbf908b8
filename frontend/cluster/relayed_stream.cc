#include "frontend/cluster/relayed_stream.h"

#include <vector>

#include "lib/rpc/channel.h"
#include "lib/rpc/tcp_keepalive.h"

namespace twofold::frontend {
namespace {

/// gRPC's own, which it makes of the status.
bool IsReserved(std::string_view key) { return key.substr(0, 5) == "grpc-"; }

grpc::ByteBuffer ToBuffer(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

std::string ToBytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

h2::Metadata TrailersOf(const grpc::ClientContext& context) {
  h2::Metadata trailers;
  for (const auto& [key, value] : context.GetServerTrailingMetadata()) {
    const std::string_view name(key.data(), key.size());
    if (!IsReserved(name)) trailers.emplace_back(name, std::string(value.data(), value.size()));
  }
  return trailers;
}

}  // namespace

// Each direction has a hold on the call until it is over, as its operations are started by
// reactions of the other side.
void RelayedStream::Begin(std::shared_ptr<rpc::ByteStream> caller, std::string first) {
  self_ = shared_from_this();
  caller_ = std::move(caller);
  upwards_ = ToBuffer(first);
  stub_.PrepareBidiStreamingCall(&context_, method_, {}, this);
  AddMultipleHolds(2);
  StartRead(&from_peer_);
  StartWrite(&upwards_);
  StartCall();
}

// ---- From the caller to the other frontend

void RelayedStream::OnRead(std::string_view bytes) {
  if (!Turn(Upwards::kWriting)) return;
  upwards_ = ToBuffer(bytes);
  StartWrite(&upwards_);
}

void RelayedStream::OnReadEnd() {
  if (!Turn(Upwards::kOver)) return;
  StartWritesDone();
  RemoveHold();
}

bool RelayedStream::Turn(Upwards next) {
  const MutexLock lock(mutex_);
  if (state_ != Upwards::kReading) return false;
  state_ = next;
  return true;
}

void RelayedStream::OnWriteDone(bool ok) {
  {
    const MutexLock lock(mutex_);
    ok = ok && !ended_;
    state_ = ok ? Upwards::kReading : Upwards::kOver;
  }
  ok ? caller_->StartRead() : RemoveHold();
}

// ---- From the other frontend to the caller

void RelayedStream::OnReadInitialMetadataDone(bool ok) {
  reached_ = ok;
  if (ok && !way_->is_watched.exchange(true)) rpc::KeepTcpAlive();
}

void RelayedStream::OnReadDone(bool ok) {
  {
    const MutexLock lock(mutex_);
    ok = ok && !gone_;
    writing_ = ok;
  }
  if (!ok) return EndDownwards();
  downwards_ = ToBytes(from_peer_);
  caller_->StartWrite(downwards_);
}

void RelayedStream::OnWritten(bool ok) {
  if (!TakeWriting()) return;
  ok ? StartRead(&from_peer_) : EndDownwards();
}

void RelayedStream::OnCancel() {
  context_.TryCancel();
  {
    const MutexLock lock(mutex_);
    gone_ = true;
  }
  if (TakeWriting()) EndDownwards();
}

bool RelayedStream::TakeWriting() {
  const MutexLock lock(mutex_);
  return std::exchange(writing_, false);
}

void RelayedStream::EndDownwards() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  if (Turn(Upwards::kOver)) RemoveHold();
  RemoveHold();
}

void RelayedStream::OnDone(const grpc::Status& status) {
  if (!status.ok()) way_->is_watched = false;  // its connection may be a new one
  const std::shared_ptr<RelayedStream> self = std::move(self_);
  const std::shared_ptr<rpc::ByteStream> caller = std::move(caller_);
  // What gRPC says has the address, which tells the caller nothing.
  if (!reached_ && status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return caller->Finish(
        absl::UnavailableError("the frontend that serves the queue cannot be reached; try again"));
  }
  caller->Finish(rpc::FromGrpc(status), TrailersOf(context_));
}

}  // namespace twofold::frontend
