#include "lib/rpc/served_call.h"

#include <utility>

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
    if (again_) return OnMessage(*std::exchange(again_, std::nullopt));
    if (std::exchange(keeps_, false)) stream_->Hold(service_->waiting_bytes());
    stream_->Resume();
    if (half_closed_ && std::exchange(reading_, false)) service_->OnReadEnd();
  });
}

void ServedCall::WantPull() {
  Carry([this] {
    stream_->Hold(service_->waiting_bytes());
    stream_->WantPull();
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

void ServedCall::HandOver(std::shared_ptr<ByteStream> next, std::optional<std::string> first) {
  Carry([this, next = std::move(next), first = std::move(first)]() mutable {
    again_ = std::move(first);
    service_ = std::move(next);
    service_->Begin(shared_from_this());
  });
}

// ---- what the stream brings

void ServedCall::OnMessage(std::string_view bytes) {
  reading_ = false;
  if (!open_) stream_->SetOfUse();
  service_->OnRead(bytes);
  if (reading_ || stream_ == nullptr) return;
  keeps_ = true;
  stream_->Hold(service_->waiting_bytes());
  stream_->Pause();
}

void ServedCall::OnHalfClosed() {
  half_closed_ = true;
  if (std::exchange(reading_, false)) service_->OnReadEnd();
}

void ServedCall::Pull(h2::MessageWriter& out) {
  service_->Pull(out);
  stream_->Hold(service_->waiting_bytes());
}

void ServedCall::OnEnd(const Status& status, const h2::Metadata&) {
  stream_ = nullptr;
  const std::shared_ptr<ByteStream> service = std::exchange(service_, nullptr);
  if (service == nullptr) return;
  if (!status.ok()) service->OnCancel();
  if (std::exchange(reading_, false)) service->OnReadEnd();
  service->End();
}

}  // namespace twofold::rpc
