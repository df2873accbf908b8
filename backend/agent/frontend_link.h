#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "backend/agent/silence.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/loop_owner.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

struct LinkOptions {
  std::string address = "localhost:9999";  ///< of the first contact: any frontend's worker side
  security::Client security = {};

  /// Pauses before the first contact is asked again are random, and their longest doubles from
  /// `pause` to `pause_max`.
  Duration pause = std::chrono::milliseconds(100);
  Duration pause_max = std::chrono::seconds(1);

  /// Give up when no frontend welcomes us for so long, or when the first contact refuses what Hello
  /// says; 0 = never.
  Duration give_up = std::chrono::seconds(5);

  /// For the frontend to end a stream that we have half-closed.
  Duration close_patience = std::chrono::seconds(5);
};

/// The stream to the frontend that serves our queue, made again whenever it breaks or the queue is
/// served elsewhere.
///
/// Sends Hello, says when the frontend has welcomed us, keeps the lease with heartbeats (three a
/// lease while there is something to hold, else one in 0.93 of the idle lease). rpc::Route
/// says whom to dial next, and when. Says once that the frontend is away, and once that it is back.
///
/// A frontend may say `moved`, in answer to Hello or at any time after its welcome. The link then
/// half-closes the stream behind what was added, waits for its end, and says Hello where it was
/// told to, for the queue that was named (another shard of ours perhaps), with what the process
/// holds by then. Messages that come after `moved` are dropped. That
/// is no absence: only the new frontend's name is logged, once it welcomes us. What a frontend that
/// was named refuses is not final; the first contact is asked again.
///
/// Threads  On the thread of the io_context, which takes the turns of the loop of its streams.
/// Errors   What was added to a stream that then breaks may be lost; nobody hears of it.
class FrontendLink {
 public:
  class Listener {
   public:
    virtual v1::Hello MakeHello() = 0;
    virtual void OnMessage(const v1::FrontendMessage& message) = 0;

    /// Whether there is anything to hold a lease for.
    [[nodiscard]] virtual bool HoldsAttempts() const = 0;

    /// A message goes out now: the last chance to Add to it. Not on an idle link.
    virtual void OnFlush() = 0;

    /// The frontend has not heard us for so long that others may have our attempts; comes at least
    /// once when that is so.
    virtual void OnSilence() = 0;

    /// The last word, once, when nothing of the link is left: OK after Close, else why it gave up.
    virtual void OnGone(const Status& status) = 0;

   protected:
    ~Listener() = default;
  };

  /// `loop` belongs to `io`.
  FrontendLink(boost::asio::io_context& io, rpc::LoopOwner& loop, LinkOptions options,
               std::uint64_t seed, Listener& listener);

  void Start();

  /// Between Welcome and the break of the stream or Close. From any thread.
  [[nodiscard]] bool up() const { return state_ == State::kUp; }

  /// Adds to the next message, `fill(v1::WorkerMessage&)` as for rpc::Outbox::Add; what is added in
  /// one turn of the loop goes out together. REQUIRES: up().
  template <typename Fill>
  void Add(Fill&& fill) {
    stream_->Add(std::forward<Fill>(fill));
    FlushThisTurn();
  }

  /// Bytes that were added and wait for the stream to write what came before. REQUIRES: up().
  [[nodiscard]] std::size_t waiting_bytes() const { return stream_->waiting_bytes(); }

  /// Leaves: half-closes after what was added, then OnGone when the frontend has ended the stream
  /// (or takes too long to). A frontend that has not welcomed us may have given us jobs, which it
  /// has to take back, so it is told, too, if there is a connection; else as Abandon.
  void Close();

  /// Stop trying: OnGone with `why`, soon.
  void Abandon(Status why);

 private:
  using Stream = rpc::ClientStream<v1::WorkerMessage, v1::FrontendMessage>;
  enum class State : std::uint8_t {
    kConnecting,
    kUp,
    kMoving,  // the stream is half-closed
    kPausing,
    kClosing,
    kAbandoned,
    kGone
  };

  void Connect();
  void FlushThisTurn();
  void HandleMessage(const v1::FrontendMessage& message);
  void HandleWelcome(const v1::Welcome& welcome);
  void HandleMoved(const v1::Moved& moved);
  void SayTrouble(const std::string& trouble);
  void SayServed();
  void HandleEnd(const Status& status);
  void SayAway(const Status& status);
  void LimitAbsence();
  [[nodiscard]] bool IsHeard() const;
  void CancelAfterPatience(boost::asio::steady_timer& timer);
  void PauseBeforeDial();
  void Beat(Duration period);
  void StreamBroke();
  void CheckSilence();
  void BeatIdle(Duration period);
  void StopBeats();
  void Finish(const Status& status);

  rpc::LoopOwner& loop_;
  const LinkOptions options_;
  const std::uint64_t seed_;
  Listener& listener_;
  rpc::Route route_;
  boost::asio::steady_timer pause_timer_;  // of a pause, or of moving
  boost::asio::steady_timer beat_timer_;
  boost::asio::steady_timer idle_timer_;
  boost::asio::steady_timer patience_timer_;  // of giving up, or of waiting for an orderly end
  boost::asio::steady_timer silence_timer_;   // while there is no stream
  Silence silence_;

  std::atomic<State> state_ = State::kPausing;  // written on the thread of the io_context
  Status gone_status_;
  std::string queue_;      // as Hello says
  std::string sent_to_;    // the shard that a frontend has named; empty: none, see MakeHello
  std::string served_by_;  // the address that welcomed us last
  std::string away_reason_ = "no answer";
  std::map<std::string, std::string> away_reasons_;  // since it was up: said once, in these words
  bool ever_up_ = false;
  bool said_trouble_ = false;  // with where the queue has moved to
  bool flush_posted_ = false;
  std::shared_ptr<rpc::Channel> channel_;
  std::shared_ptr<Stream> stream_;  // null: none lives
};

}  // namespace twofold::backend
