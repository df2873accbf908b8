#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/peers/kept_program.h"
#include "lib/common/result.h"
#include "lib/process/pipes.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/message_slot.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {

class ExecSession;

/// What a caller is admitted to.
struct ExecPlace {
  std::vector<std::string> environment;  ///< of the program, as PeerLink::Announce has it
  std::string directory;
  std::function<void()> leave;  ///< called once, when nothing is left of the program
};

/// One Exec, the server's end of its stream: lets the caller in, starts its program under a keeper,
/// relays, tells how it ended. The program goes with the stream.
///
/// One message at a time is read or written: so the peer waits for the program, and the program for
/// the peer.
///
/// Create with std::make_shared.
///
/// Threads  On the thread of the io_context; what the server's loop brings is posted to it.
/// Cost     Two chunks of output and one of input at most (64 KiB each).
class ExecSession final : public rpc::ByteStream {
 public:
  /// Keeps the session until it leaves.
  /// Errors   kUnauthenticated, kUnavailable, kResourceExhausted: what the caller is told.
  using Admit = std::function<Result<ExecPlace>(const v1::MemberKey& key,
                                                const std::shared_ptr<ExecSession>& session)>;

  ExecSession(boost::asio::io_context& io, std::string keeper, Admit admit);

  /// Ends the stream, and takes it at once for gone: for when the io_context runs no more.
  void Abandon(const Status& status);

  /// The attempt is over: stops the program. The caller hears how it ended.
  void Stop();

 private:
  struct Output {
    v1::ExecOutput message;
    std::shared_ptr<process::OutputPipe> from;  // null: it is the last one
  };

  void OnBegin() override;
  void OnRead(std::string_view bytes) override;
  void OnReadEnd() override;
  void Pull(h2::MessageWriter& out) override;
  void OnCancel() override;
  void OnDone() override;
  [[nodiscard]] std::size_t waiting_bytes() const override { return next_.bytes(); }

  void Read();
  void Write(const v1::ExecOutput& output);
  void EndStream(const Status& status);
  void TakeBytes(std::string_view bytes);
  std::shared_ptr<ExecSession> Self();
  std::weak_ptr<ExecSession> WeakSelf();
  void HalfClosed();
  void TakeStart(const v1::ExecInput& input);
  Status Start(const v1::ExecStart& start, const ExecPlace& place);
  void Feed(const v1::ExecInput& input);
  void TakeChunk(bool is_err, std::string chunk);
  void SendNext();
  void Written();
  void Ended(KeptEnd end);
  void TellExit(const KeptEnd& end);
  void TellExitIfDone();
  void Refuse(const Status& why);
  void Gone();
  void Leave();

  boost::asio::io_context& io_;
  const std::string keeper_;
  const Admit admit_;
  boost::asio::steady_timer patience_;  // with a caller that says nothing
  rpc::MessageSlot next_;
  bool ended_ = false;  // the stream: nothing is read or written any more
  bool gone_ = false;
  std::function<void()> leave_;
  bool started_ = false;
  std::shared_ptr<KeptProgram> program_;
  std::shared_ptr<process::InputPipe> in_;
  std::shared_ptr<process::OutputPipe> out_;
  std::shared_ptr<process::OutputPipe> err_;
  int open_outputs_ = 0;
  std::deque<Output> waiting_;  // the first one is being written if `writing_`
  bool writing_ = false;
  std::optional<KeptEnd> end_;
  bool told_exit_ = false;
};

}  // namespace twofold::backend
