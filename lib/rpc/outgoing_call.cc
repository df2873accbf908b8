#include "lib/rpc/outgoing_call.h"

#include "lib/rpc/channel.h"
#include "lib/rpc/status_details.h"

namespace twofold::rpc {

void OutgoingCall::Start(std::shared_ptr<Channel> channel, h2::CallOptions options) {
  owner_ = &channel->owner();
  channel_ = std::move(channel);
  channel_->Begin(shared_from_this(), std::move(options));
}

void OutgoingCall::Cancel() {
  Carry([this] {
    if (stream_ != nullptr) return stream_->Cancel();
    taken_back_ = true;
    if (channel_ != nullptr) channel_->TakeBack(*this);
  });
}

void OutgoingCall::Abandon() {
  stream_ = nullptr;
  channel_.reset();
}

void OutgoingCall::Begin(h2::Stream& stream) {
  stream_ = &stream;
  OnBegin();
}

void OutgoingCall::OnEnd(const Status& status, const h2::Metadata& trailers) {
  has_status_ = stream_ != nullptr && stream_->has_status();
  stream_ = nullptr;
  const std::shared_ptr<Channel> channel = std::move(channel_);  // until the end is told
  OnOver(status, trailers);
}

void UnaryRequest::Pull(h2::MessageWriter& out) {
  if (!std::exchange(asked_, true)) out.Add(std::exchange(request_, {}));
}

void UnaryRequest::OnOver(const Status& status, const h2::Metadata& trailers) {
  const Done done = std::exchange(done_, nullptr);
  if (status.ok()) return done(std::move(reply_));
  done(WithDetails(status, trailers));
}

}  // namespace twofold::rpc
