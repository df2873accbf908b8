#include "backend/peers/exec_stream.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "lib/rpc/channel.h"
#include "lib/rpc/wire.h"

namespace twofold::backend {

void ExecStream::Open(Events events, std::shared_ptr<void> place) {
  self_ = shared_from_this();
  place_ = std::move(place);
  events_ = std::move(events);
}

void ExecStream::Read() {
  if (!ended_) StartRead(&read_);
}

void ExecStream::Write(const v1::ExecOutput& output) {
  if (ended_) return;
  written_ = rpc::Serialize(output);
  StartWrite(&written_);
}

void ExecStream::End(const grpc::Status& status) {
  if (!std::exchange(ended_, true)) Finish(status);
}

void ExecStream::Abandon(const grpc::Status& status) {
  End(status);
  HandleGone();
}

void ExecStream::OnReadDone(bool ok) {
  boost::asio::post(io_, [self = shared_from_this(), ok] { self->HandleRead(ok); });
}

void ExecStream::HandleRead(bool ok) {
  if (gone_) return;
  if (!ok) return events_.half_closed();
  v1::ExecInput input;
  if (Status status = rpc::Parse(read_, input); !status.ok()) return End(rpc::ToGrpc(status));
  events_.input(std::move(input));
}

// Of one that has failed the cancel tells.
void ExecStream::OnWriteDone(bool ok) {
  if (!ok) return;
  boost::asio::post(io_, [self = shared_from_this()] {
    if (!self->gone_) self->events_.written();
  });
}

// Not here: a Read or Write that begins meanwhile would be one after the end.
void ExecStream::OnCancel() {
  boost::asio::post(io_, [self = shared_from_this()] { self->Abandon(grpc::Status::CANCELLED); });
}

void ExecStream::OnDone() {
  boost::asio::post(io_, [self = shared_from_this()] { self->HandleGone(); });
  place_.reset();
  self_.reset();
}

void ExecStream::HandleGone() {
  if (std::exchange(gone_, true)) return;
  const Events events = std::move(events_);  // whose owner may own us
  events.gone();
}

}  // namespace twofold::backend
