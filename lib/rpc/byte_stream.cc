#include "lib/rpc/byte_stream.h"

#include <utility>

namespace twofold::rpc {

void ByteStream::Begin(std::shared_ptr<Wire> wire) {
  wire_ = std::move(wire);
  std::optional<Status> end;
  {
    const MutexLock lock(mutex_);
    begun_ = true;
    end.swap(early_end_);
  }
  if (end) Finish(*std::move(end));
  OnBegin();
}

bool ByteStream::HasBegun(const Status& end) {
  const MutexLock lock(mutex_);
  if (!begun_ && !early_end_) early_end_ = end;
  return begun_;
}

void ByteStream::Finish(Status status, h2::Metadata trailers) {
  if (HasBegun(status)) wire_->Finish(std::move(status), std::move(trailers));
}

void ByteStream::BreakOff() {
  if (HasBegun(absl::CancelledError("broken off"))) wire_->BreakOff();
}

}  // namespace twofold::rpc
