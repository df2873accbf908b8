#include "tests/fuzz/fake_call.h"

#include <utility>
#include <vector>

#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  Require(buffer.Dump(&slices).ok(), "what is written can be read");
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

FakeCall::FakeCall(Reactor& session, OnWrite on_write)
    : session_(session), on_write_(std::move(on_write)) {
  BindReactor(&session_);
}

FakeCall::~FakeCall() {
  if (!ended_) Break();
}

void FakeCall::Receive(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  *std::exchange(read_, nullptr) = grpc::ByteBuffer(&slice, 1);
  session_.OnReadDone(true);
}

void FakeCall::Settle() {
  if (ended_) return;
  TakeWrites();
  EndIfFinished();
}

void FakeCall::HalfClose() {
  if (!reads()) return;
  read_ = nullptr;
  session_.OnReadDone(false);
}

void FakeCall::Break() {
  if (ended_) return;
  session_.OnCancel();
  if (std::exchange(read_, nullptr) != nullptr) session_.OnReadDone(false);
  if (std::exchange(written_, nullptr) != nullptr) session_.OnWriteDone(false);
  Require(finished_, "a session finishes when its connection is lost");
  EndIfFinished();
}

void FakeCall::TakeWrites() {
  while (written_ != nullptr) {
    on_write_(ToString(*std::exchange(written_, nullptr)));
    session_.OnWriteDone(true);
  }
}

void FakeCall::WriteAndFinish(const grpc::ByteBuffer* message, grpc::WriteOptions,
                              grpc::Status status) {
  written_ = message;
  Finish(std::move(status));
}

void FakeCall::Finish(grpc::Status status) {
  Require(!finished_, "a session finishes once");
  finished_ = true;
  status_ = std::move(status);
}

// As in gRPC, a read that is under way fails before the call ends.
void FakeCall::EndIfFinished() {
  if (!finished_ || ended_) return;
  ended_ = true;
  if (std::exchange(read_, nullptr) != nullptr) session_.OnReadDone(false);
  session_.OnDone();
}

}  // namespace twofold::fuzz
