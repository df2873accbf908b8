#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/rpc/byte_stream.h"

namespace twofold::fuzz {

/// The wire's side of a stream, without a wire: hands bytes to a session as they would come from
/// the network, takes what it writes, and ends in a server's order. No sockets; one thread, for
/// which what other threads want done waits until Settle.
class FakeCall final {
 public:
  using OnWrite = std::function<void(std::string_view bytes)>;

  FakeCall(std::shared_ptr<rpc::ByteStream> session, OnWrite on_write);
  ~FakeCall();
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  /// Whether the session takes a message now.
  [[nodiscard]] bool reads() const;

  /// A message from the peer. REQUIRES: reads().
  void Receive(std::string_view bytes);

  /// The peer takes what was written, until nothing more is.
  void Settle();

  /// The peer sends no more.
  void HalfClose();

  /// The connection is lost.
  void Break();

  [[nodiscard]] bool ended() const { return session_ == nullptr; }
  /// How it has ended.
  [[nodiscard]] const Status& status() const;

 private:
  class Orders;

  void TakeWrites();
  std::string_view Pulled();
  void EndIfFinished();
  void End();

  const std::shared_ptr<Orders> orders_;
  const OnWrite on_write_;
  std::shared_ptr<rpc::ByteStream> session_;  // null: it has ended
  std::string pulled_;                        // messages, with their heads
};

}  // namespace twofold::fuzz
