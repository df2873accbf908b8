#include "lib/rpc/served_call.h"

#include <google/protobuf/message_lite.h>

#include <cstdint>

namespace twofold::rpc {

void ServedCall::Begin(std::shared_ptr<ByteStream> service) {
  service_ = std::move(service);
  stream_->Pause();
  service_->Begin(shared_from_this());
}

// ---- orders of the service

void ServedCall::Read() {
  Carry([this] {
    reading_ = true;
    stream_->Resume();
    if (half_closed_ && std::exchange(reading_, false)) service_->OnReadEnd();
  });
}

void ServedCall::Write(const google::protobuf::MessageLite& message) {
  Send({.message = &message, .size = message.ByteSizeLong()});
}

void ServedCall::Write(const std::string& bytes) { Send({.bytes = &bytes, .size = bytes.size()}); }

void ServedCall::Send(Sendable next) {
  Carry([this, next] {
    next_ = next;
    Recount();
    stream_->WantPull();
  });
}

void ServedCall::Charge(std::size_t bytes) {
  Carry([this, bytes] {
    held_ = bytes;
    Recount();
  });
}

void ServedCall::Finish(Status status, h2::Metadata trailers) {
  if (const auto details = status.GetPayload(h2::kStatusDetails)) {
    trailers.emplace_back(h2::kStatusDetails, std::string(*details));
  }
  Carry([this, status = std::move(status), trailers = std::move(trailers)] {
    stream_->Finish(status, trailers);
  });
}

void ServedCall::BreakOff() {
  Carry([this] { stream_->Cancel(absl::CancelledError("broken off")); });
}

void ServedCall::After(Duration pause, std::function<void()> task) {
  const auto thread = thread_.lock();
  if (thread == nullptr) return;
  auto run = [self = shared_from_this(), task = std::move(task)] {
    if (self->stream_ != nullptr) task();
  };
  if (pause > Duration(0)) return thread->PostAfter(pause, std::move(run));
  thread->Post(std::move(run));
}

// ---- what the stream brings

void ServedCall::OnMessage(std::string_view bytes) {
  reading_ = false;
  service_->OnRead(bytes);
  if (!reading_ && stream_ != nullptr) stream_->Pause();
}

void ServedCall::OnHalfClosed() {
  half_closed_ = true;
  if (std::exchange(reading_, false)) service_->OnReadEnd();
}

/// All that was added before is on its way.
void ServedCall::Pull(h2::MessageWriter& out) {
  if (std::exchange(writing_, false)) service_->OnWritten(true);
  const Sendable sent = std::exchange(next_, {});
  if (!sent) return;
  if (sent.bytes != nullptr) {
    writing_ = out.Add(*sent.bytes);
  } else {
    writing_ = out.Add(sent.size, [&sent](char* to) {
      sent.message->SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to));
    });
  }
  Recount();  // it is the stream's now
}

void ServedCall::OnEnd(const Status& status, const h2::Metadata&) {
  stream_ = nullptr;
  const std::shared_ptr<ByteStream> service = std::exchange(service_, nullptr);
  if (service == nullptr) return;
  const bool has_unsent = writing_ || next_;
  writing_ = false;
  next_ = {};
  if (!status.ok()) service->OnCancel();
  if (std::exchange(reading_, false)) service->OnReadEnd();
  if (has_unsent) service->OnWritten(false);
  service->OnDone();
}

}  // namespace twofold::rpc
