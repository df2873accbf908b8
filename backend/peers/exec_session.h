#pragma once

#include <boost/asio/io_context.hpp>
#include <coroutine>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/peers/kept_program.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/process/pipes.h"
#include "lib/rpc/awaited_stream.h"
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
/// A flow, which is a coroutine, reads from the caller, and one from each output of the program.
/// Each goes on when what it has read has been taken: so the peer waits for the program, and the
/// program for the peer. The session keeps its flows, and those that wait for what will not come
/// go with it.
///
/// Create with std::make_shared.
///
/// Threads  On the thread of the io_context; what the server's loop brings is posted to it.
/// Cost     Two chunks of output and one of input at most (64 KiB each).
class ExecSession final : public rpc::AwaitedStream {
 public:
  /// A caller that does not say what to start is waited for so long.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  /// Keeps the session until it leaves.
  /// Errors   kUnauthenticated, kUnavailable, kResourceExhausted: what the caller is told.
  using Admit = std::function<Result<ExecPlace>(const v1::MemberKey& key,
                                                const std::shared_ptr<ExecSession>& session)>;

  ExecSession(boost::asio::io_context& io, std::string keeper, Admit admit,
              Duration patience = kPatience);

  /// Stops the program and ends the stream with `status`, unless that has an end already. Needs no
  /// turn of the io_context, which may run no more.
  void Abandon(const Status& status);

  /// The attempt is over: stops the program. The caller hears how it ended.
  void Stop();

 private:
  struct Output {
    Output(boost::asio::io_context& io, int descriptor, bool err)
        : pipe(std::make_shared<process::OutputPipe>(io, descriptor)), is_err(err) {}

    const std::shared_ptr<process::OutputPipe> pipe;
    const bool is_err;
    Once<> told;  // to its end
  };

  void Serve() override;
  void OnGone() override;
  void GoOn(std::coroutine_handle<> waiter) override;

  void BeginFlow(Task<> flow);
  Task<> Run();
  Task<Result<v1::ExecStart>> ReadStart();
  Task<std::optional<v1::ExecInput>> ReadInput();
  Task<Result<KeptEnd>> RunProgram(v1::ExecStart start, const ExecPlace& place);
  Status StartProgram(v1::ExecStart start, const ExecPlace& place, Once<KeptEnd>& ended);
  Task<> RelayInput();
  Task<> RelayOutput(Output& output);

  std::shared_ptr<ExecSession> Self();
  std::weak_ptr<ExecSession> WeakSelf();

  boost::asio::io_context& io_;
  const std::string keeper_;
  const Admit admit_;
  const Duration patience_;
  std::shared_ptr<KeptProgram> program_;    // while it runs
  std::shared_ptr<process::InputPipe> in_;  // from its start on
  std::deque<Output> outputs_;              // the same
  std::deque<Task<>> flows_;                // last, as they use all else
};

}  // namespace twofold::backend
