#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/h2/client.h"
#include "lib/h2/session.h"
#include "lib/rpc/loop_owner.h"
#include "lib/rpc/outgoing_call.h"
#include "lib/rpc/reach.h"
#include "lib/security/client.h"

namespace twofold::rpc {

/// Whoever wants a connection gives up when there is none after so long: the name may belong to
/// another address by then, and a name server that does not answer may be back.
inline constexpr Duration kConnectPatience = std::chrono::seconds(4);

/// How a caller notices that a server vanished without a word.
enum class Liveness : std::uint8_t {
  /// HTTP/2's pings, within half a minute: dear to a server that has thousands of connections, but
  /// a proxy between the two passes them on, and a process that hangs does not answer.
  kPings,
  kOfKernel  ///< that its host has, within 15 s (KeepTcpAlive); pings only through a proxy
};

/// One connection to a server, from the first try until it is over, and the calls on it
/// (OutgoingCall::Start). Does not connect again: whoever wants the server for longer takes a
/// Dialer.
///
/// Calls may be begun at once, and leave when there is a connection. It is closed when nobody keeps
/// the channel, neither its owner nor a call.
///
/// Threads  Safe. The owner of the loop outlives the channel.
/// Errors   A channel that is over says why, and ends each call with that as kUnavailable.
/// Cost     A thread for as long as it looks up a name and connects, until `patience` is over at
///          most. The thread may outlive the channel.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  struct Options {
    security::Client security = {};
    Liveness liveness = Liveness::kPings;
    Duration patience = kConnectPatience;  ///< until the server has greeted
  };

  enum class State : std::uint8_t {
    kConnecting,
    kGreeting,  ///< what calls say leaves, and nobody has heard of the server
    kReady,
    kDrains,  ///< takes no further calls; those that there are go on
    kOver
  };

  /// `contacts` is host:port, or a list as Contacts() accepts.
  static std::shared_ptr<Channel> Connect(LoopOwner& owner, const std::string& contacts,
                                          Options options);
  ~Channel();

  [[nodiscard]] State state() const { return state_; }

  /// Whether the server has ever greeted.
  [[nodiscard]] bool was_ready() const { return was_ready_; }

  /// Until it no longer connects, `most` long. Not on the loop's thread.
  State Await(Duration most);

  /// Calls `told` at each change of the state, in place of whom it called before. On the loop's
  /// thread.
  void Watch(std::function<void()> told);

  /// REQUIRES: it is over.
  [[nodiscard]] Status why() const;

  [[nodiscard]] LoopOwner& owner() const { return owner_; }

 private:
  friend class OutgoingCall;
  struct Waiting {
    h2::CallOptions options;
    std::shared_ptr<OutgoingCall> call;
  };
  /// What belongs to the loop's thread.
  struct Line;
  /// A try to connect, and who waits for it.
  struct Attempt;

  Channel(LoopOwner& owner, std::string contacts, Options options);
  void Dial();
  void Begin(std::shared_ptr<OutgoingCall> call, h2::CallOptions options);

  // On the loop's thread.
  void Take(Waiting waiting);
  void TakeBack(OutgoingCall& call);
  void Send(Waiting waiting);
  void LimitPatience();
  void Arrive(Result<Reached> reached);
  void OnNews(h2::PeerNews news);
  [[nodiscard]] std::string Explain(std::string_view why) const;
  void GiveUp();
  void End(const std::string& why);
  void Become(State state);

  LoopOwner& owner_;
  const std::string contacts_;
  const Options options_;
  const Instant until_;  // it has to be ready
  std::shared_ptr<Line> line_;
  std::shared_ptr<Attempt> attempt_;

  std::atomic<State> state_ = State::kConnecting;  // written on the loop's thread
  std::atomic<bool> was_ready_ = false;
  mutable Mutex mutex_;
  Condition changed_;
  Status why_ ABSL_GUARDED_BY(mutex_);
};

/// A call of `method`, "/package.Service/Method", with the token that `security` has.
h2::CallOptions CallTo(std::string method, const security::Client& security);

}  // namespace twofold::rpc
