#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/peers/exec_stream.h"
#include "backend/peers/kept_program.h"
#include "lib/common/result.h"
#include "lib/process/pipes.h"

namespace twofold::backend {

class ExecSession;

/// What a caller is admitted to.
struct ExecPlace {
  std::vector<std::string> environment;  ///< of the program, as PeerLink::Announce has it
  std::string directory;
  std::function<void()> leave;  ///< called once, when nothing is left of the program
};

/// One Exec: lets the caller in, starts its program under a keeper, relays, tells how it ended. The
/// program goes with the stream.
///
/// Threads  On the thread of the io_context.
/// Cost     Two chunks of output and one of input at most (64 KiB each).
class ExecSession : public std::enable_shared_from_this<ExecSession> {
 public:
  /// Keeps the session until it leaves.
  /// Errors   kUnauthenticated, kUnavailable, kResourceExhausted: what the caller is told.
  using Admit = std::function<Result<ExecPlace>(const v1::MemberKey& key,
                                                const std::shared_ptr<ExecSession>& session)>;

  ExecSession(boost::asio::io_context& io, const std::shared_ptr<ExecStream>& stream,
              std::string keeper, Admit admit);

  /// What the stream is to be opened with; they keep the session alive.
  ExecStream::Events MakeEvents();

  /// Waits for the first message.
  void Begin();

  /// The attempt is over: stops the program. The caller hears how it ended.
  void Stop();

 private:
  struct Output {
    v1::ExecOutput message;
    std::shared_ptr<process::OutputPipe> from;  // null: it is the last one
  };

  void Read();
  void Write(const v1::ExecOutput& output);
  void EndStream(const grpc::Status& status);
  void TakeInput(const v1::ExecInput& input);
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
  const std::weak_ptr<ExecStream> stream_;  // whose events keep us
  boost::asio::steady_timer patience_;      // with a caller that says nothing
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
