#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "twofold/v1/peers.pb.h"

namespace twofold::backend {

/// The server's end of one Exec stream. Nothing is read or written that was not asked for, one
/// message at a time each way: so the peer waits for the program, and the program for the peer.
///
/// Create with std::make_shared, Open, and hand it to gRPC; it keeps itself alive until gRPC is
/// done with it.
///
/// Threads  The thread of the io_context, on which the events come as well; Open before there are
///          any.
class ExecStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                         public std::enable_shared_from_this<ExecStream> {
 public:
  struct Events {
    std::function<void(v1::ExecInput)> input;  ///< the answer to Read
    std::function<void()> half_closed;         ///< instead of it: nothing more will come
    std::function<void()> written;             ///< the answer to Write
    std::function<void()> gone;                ///< the last event, however it ended
  };

  explicit ExecStream(boost::asio::io_context& io) : io_(io) {}

  /// In the method. `place` is kept as long as the stream is open.
  void Open(Events events, std::shared_ptr<void> place);

  /// REQUIRES: the Read before has been answered. A message that is none ends the stream.
  void Read();
  /// REQUIRES: the Write before has been answered.
  void Write(const v1::ExecOutput& output);
  /// The first call wins; what is being written may be lost. After it Read and Write do nothing.
  void End(const grpc::Status& status);
  /// Ends it, and says at once that it is gone: for when the io_context runs no more.
  void Abandon(const grpc::Status& status);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void HandleRead(bool ok);
  void HandleGone();

  boost::asio::io_context& io_;
  std::shared_ptr<ExecStream> self_;
  std::shared_ptr<void> place_;
  Events events_;
  bool gone_ = false;
  bool ended_ = false;
  grpc::ByteBuffer read_;
  grpc::ByteBuffer written_;
};

}  // namespace twofold::backend
