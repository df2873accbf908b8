#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/left_streams.h"
#include "lib/load/engine/submit_stream.h"
#include "lib/load/job_template.h"
#include "lib/rpc/route.h"
#include "lib/rpc/route_dialer.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

struct SessionOptions {
  std::uint64_t load_key = 0;  ///< see SubmitRequest; 0: the session draws one
  security::Client security = {};
  rpc::RoutePauses pauses = {};

  /// For the end of a stream that was left: as long as what runs there may take. Dead hosts are
  /// noticed sooner, by pings.
  Duration left_patience = std::chrono::minutes(10);
};

/// Connects a generator's lane to the frontend that serves its shard of the queue, whenever the
/// stream breaks, and wherever the shard moves. All jobs of a lane are of one shard, so there is
/// one route.
///
/// A frontend that says that the shard has moved gives back jobs that it has not started. A stream
/// to the frontend that it names (rpc::Route) takes these and all new ones at once, while the old
/// stream is half-closed and delivers the ends of what still runs there. If it breaks, or has not
/// ended in time, its jobs are submitted again. Jobs that belong to another shard go to that one's
/// lane, and the stream stays.
///
/// What keeps the session from its work is logged once until a frontend has answered.
///
/// Threads  Its own thread waits for connections and for the end of streams. Answers are handled on
///          the gRPC thread that read them. Call Start, Stop and Join from one thread.
class ShardSession final : private SubmitStream::Owner {
 public:
  class Owner {
   public:
    /// Asks for a call of Generator::Tick at `when`. On any thread.
    virtual void TickAt(Instant when) = 0;

    /// The queue has so many shards at least; kMostShards at most. On any thread.
    virtual void HasShards(std::uint32_t count) = 0;

   protected:
    ~Owner() = default;
  };

  /// `frontend` is host:port of the first contact; `job` names the queue, and `lane` is the number
  /// of the shard. The generator and the owner outlive the session.
  ShardSession(const std::string& frontend, const JobTemplate& job, Generator::Lane lane,
               Generator& generator, const SessionOptions& options, Owner& owner);

  /// Stops at once.
  ~ShardSession();

  void Start();

  /// Begins to stop: waits until `give_up` for missing answers on the streams that there are, ends
  /// them. The generator has finished by then.
  void Stop(Instant give_up);

  /// Waits for the end of what Stop has begun.
  void Join();

 private:
  using StreamPtr = LeftStreams::Stream;

  /// What the threads of gRPC know of a stream.
  struct News {
    std::optional<Instant> answered;  ///< for the first time
    std::optional<v1::Moved> moved;   ///< the first one of this shard, without its tags
    bool ended = false;
    std::string reason;          ///< of the end
    std::size_t unanswered = 0;  ///< jobs, at the end
  };

  void Run();
  bool Stopping();
  void PauseUntil(Instant when);
  std::shared_ptr<grpc::Channel> Reach(const rpc::Dial& dial);
  void SayUnreachable(const rpc::Dial& dial) const;
  void Open(const std::shared_ptr<grpc::Channel>& channel);
  void Serve();
  void Depart();
  void Follow(const v1::Moved& moved);
  std::optional<Instant> TendLeft();
  bool CanDrop(const StreamPtr& stream);
  void FinishStreams();
  bool AllEnded() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNew(const std::string& trouble);

  // shard_session_replies.cc: on threads of gRPC
  void OnReply(SubmitStream& stream, const v1::SubmitReply& reply) override;
  void OnEnd(SubmitStream& stream, const grpc::Status& status) override;
  void TickAt(Instant when) override { owner_.TickAt(when); }
  const v1::Moved* GiveBack(const SubmitStream& stream, const v1::SubmitReply& reply);

  // Constant.
  const std::string queue_;
  const Generator::Lane lane_;
  const JobTemplate job_;  // its queue is the shard
  const std::string for_;  // " for sleep/1", for the log; empty: the first shard
  Generator& generator_;
  const SessionOptions options_;
  Owner& owner_;

  // Used by the thread only.
  rpc::Route route_;
  rpc::RouteDialer dialer_;
  bool connected_before_ = false;
  StreamPtr current_;  // null: between two streams
  LeftStreams left_;
  std::set<std::string> troubles_;  // since a frontend answered
  bool quiet_ = false;              // the last one was not new

  Mutex mutex_;
  Condition changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Instant give_up_ ABSL_GUARDED_BY(mutex_);                           // if stopping
  std::map<const SubmitStream*, News> news_ ABSL_GUARDED_BY(mutex_);  // of current_ and left_

  std::thread thread_;
};

}  // namespace twofold::load
