#pragma once

#include <google/protobuf/message.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/directory.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/rpc/awaited_call.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/loop_owner.h"
#include "lib/rpc/outgoing_call.h"
#include "lib/security/client.h"

namespace twofold::frontend {

/// What of a call is passed on to another frontend, which checks it as if the caller came there.
struct Caller {
  std::string authorization;
  /// max: it waits for ever.
  std::chrono::system_clock::time_point deadline = std::chrono::system_clock::time_point::max();
  bool is_forwarded = false;  ///< by a frontend; all that Call sends is
  int hops = 0;               ///< how often it was passed on to who serves its queue
  std::uint64_t epoch = 0;    ///< of the tenure for which it was passed on last
};

/// Of a call that comes in.
Caller CallerOf(const rpc::CallInfo& call);

/// The other frontends: passes calls on to those who serve a queue. A call that comes while its
/// queue moves is passed on more than once, kMostHops times at most.
///
/// Threads  Safe, but for Ask and AskOthers: not on the loop's thread. `done` comes
///          once, on the thread of the loop or of the Directory; what awaits a Stream goes on
///          there, too. The destructor breaks off what is under way, and waits for the end of it.
class Peers {
 public:
  /// `loop`, the servers' own, and `directory` outlive this and all calls.
  Peers(rpc::LoopOwner& loop, Directory& directory, security::Client security)
      : loop_(loop), directory_(directory), security_(std::move(security)) {}
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  static constexpr int kMostHops = 3;

  /// Who answers calls about a queue.
  struct Answerer {
    std::string address = {};  ///< empty: this frontend
    std::uint64_t epoch = 0;
    std::string worker_address = {};  ///< there
  };
  /// For co_await: now or when it is known. `newest_known`: see Directory::Await.
  /// Errors   kUnavailable: nobody serves it.
  Later<Answerer> Find(const std::string& queue, std::uint64_t newest_known);

  [[nodiscard]] bool IsHere(const std::string& queue) const { return directory_.Find(queue).here; }

  /// Those that are alive, without this one.
  [[nodiscard]] std::vector<Peer> Others() const { return directory_.Others(); }

  /// Breaks a call off, with CANCELLED; no-op when it is over.
  using Cancel = std::function<void()>;

  /// Calls a unary method, "/twofold.v1.Admin/ListQueues", with a serialized request.
  using Done = rpc::UnaryRequest::Done;
  Cancel Call(const std::string& address, const std::string& method,
              const google::protobuf::Message& request, Caller caller, Done done);

  /// Begins a call with messages in both directions. It counts as under way as long as somebody
  /// keeps it.
  std::shared_ptr<rpc::AwaitedCall> Open(const std::string& address, const std::string& method,
                                         Caller caller);

  /// Makes a call that brings a request and gets a stream of replies, each of which `on_reply`
  /// gets: FollowJob, AttendRun. Gives back how it ended. Breaks it off when `gone` asks for that.
  template <typename Reply>
  using OnReply = std::function<void(const Reply&)>;
  template <typename Request, typename Reply>
  Task<Status> Stream(Answerer there, std::string method, Request request, Caller caller,
                      std::stop_token gone, OnReply<Reply> on_reply);

  /// Waits until no unary call is under way, `limit` at most.
  void AwaitAnswers(Duration limit);

  /// Says to all others that who serves what has changed. Returns at once.
  void SayLookAgain();

  /// A call of the service there, which may pass it on. Blocks, for `patience` at most.
  Result<std::string> Ask(const std::string& address, const std::string& method,
                          const google::protobuf::Message& request, Caller caller,
                          std::chrono::milliseconds patience = std::chrono::seconds(10));

  /// Calls all others, in the name of this frontend. Blocks until they have answered, for
  /// `patience` at most. Those that answer, by address.
  std::map<std::string, std::string> AskOthers(const std::string& method,
                                               const google::protobuf::Message& request,
                                               std::chrono::milliseconds patience);

  /// This frontend as a caller, with the token that it has.
  [[nodiscard]] Caller self() const { return {.authorization = security_.Authorization()}; }

  [[nodiscard]] rpc::LoopOwner& loop() const { return loop_; }

 private:
  /// A call that is not over.
  struct UnderWay {
    std::shared_ptr<rpc::OutgoingCall> call;
    bool is_unary = false;  ///< it is answered once, and soon
  };

  Cancel Start(const std::string& address, const std::string& method,
               const google::protobuf::Message& request, const Caller& caller, Done done);
  Result<Answerer> FoundAt(const std::string& queue, const v1::Moved& moved);
  std::shared_ptr<rpc::Dialer> WayTo(const std::string& address);
  std::uint64_t NextNumber();
  Cancel Enter(std::uint64_t number, UnderWay begun, const std::shared_ptr<rpc::Dialer>& way,
               h2::CallOptions options);
  void Leave(std::uint64_t number);
  void BreakOff(std::uint64_t number);

  rpc::LoopOwner& loop_;
  Directory& directory_;
  const security::Client security_;
  Mutex mutex_;
  Condition left_;
  std::map<std::string, std::vector<std::shared_ptr<rpc::Dialer>>> ways_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint64_t, UnderWay> under_way_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace twofold::frontend
