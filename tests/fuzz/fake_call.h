#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>
#include <string_view>

namespace twofold::fuzz {

/// gRPC's side of a bidirectional stream, without gRPC: hands bytes to a session as they would come
/// from the network, takes what it writes, and ends in gRPC's order. One thread, no sockets.
class FakeCall final : public grpc::ServerCallbackReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;
  using OnWrite = std::function<void(const std::string& bytes)>;

  /// The session has to have been started; it lives until it has ended.
  FakeCall(Reactor& session, OnWrite on_write);
  ~FakeCall() override;
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  /// Whether the session takes a message now.
  [[nodiscard]] bool reads() const { return read_ != nullptr && !finished_; }

  /// A message from the peer. REQUIRES: reads().
  void Receive(std::string_view bytes);

  /// The peer takes what was written, until nothing more is.
  void Settle();

  /// The peer sends no more.
  void HalfClose();

  /// The connection is lost.
  void Break();

  [[nodiscard]] bool ended() const { return ended_; }
  /// How it has ended.
  [[nodiscard]] const grpc::Status& status() const { return status_; }

 private:
  grpc::internal::ServerReactor* reactor() override { return &session_; }
  void CallOnDone() override {}
  void SendInitialMetadata() override {}
  void Read(grpc::ByteBuffer* message) override { read_ = message; }
  void Write(const grpc::ByteBuffer* message, grpc::WriteOptions) override { written_ = message; }
  void WriteAndFinish(const grpc::ByteBuffer* message, grpc::WriteOptions,
                      grpc::Status status) override;
  void Finish(grpc::Status status) override;

  void TakeWrites();
  void EndIfFinished();

  Reactor& session_;
  const OnWrite on_write_;
  grpc::ByteBuffer* read_ = nullptr;           // what waits for a message
  const grpc::ByteBuffer* written_ = nullptr;  // what waits to be taken
  bool finished_ = false;                      // by the session
  bool ended_ = false;
  grpc::Status status_;
};

}  // namespace twofold::fuzz
