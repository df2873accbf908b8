#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/h2/sleeper.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/submit_stream.h"
#include "lib/load/profile.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/loop_owner.h"
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
/// lane, and the stream stays. Of more than kMostLeft streams that were left, the oldest is broken
/// off.
///
/// What keeps the session from its work is logged once until a frontend has answered.
///
/// Threads  The loop's, also for construction and destruction.
class ShardSession {
 public:
  static constexpr std::size_t kMostLeft = 8;

  /// Is told how many shards the queue has at least; kMostShards at most.
  using HasShards = std::function<void(std::uint32_t count)>;

  /// `frontend` is host:port of the first contact; `job` names the queue, and `lane` is the number
  /// of the shard. Loop and generator outlive the session.
  ShardSession(rpc::LoopOwner& loop, const std::string& frontend, const JobTemplate& job,
               Generator::Lane lane, Generator& generator, const SessionOptions& options,
               HasShards has_shards);

  /// `done` is called once, after Stop, when nothing of the session goes on: destroy it after that.
  void Start(std::function<void()> done);

  /// Waits until `give_up` for missing answers on the streams that there are, ends them. The
  /// generator has finished by then.
  void Stop(Instant give_up);

 private:
  /// A stream that is up or was left, and what is known of it.
  struct Known {
    std::shared_ptr<SubmitStream> stream = nullptr;
    std::optional<Instant> give_up{};   ///< if it was left: when it is broken off; nullopt: it was
    std::optional<Instant> answered{};  ///< for the first time
    std::optional<v1::Moved> moved{};   ///< the first one of this shard, without its tags
    bool ended = false;
    std::string reason{};        ///< of the end
    std::size_t unanswered = 0;  ///< jobs, at the end
  };
  using ChannelPtr = std::shared_ptr<rpc::Channel>;

  // The way of a stream.
  Task<> Run();
  Task<> PauseUntil(Instant when);
  Task<ChannelPtr> Reach(rpc::Dial dial);
  Task<> SayUnreachable(rpc::Dial dial);
  Task<std::string> Diagnosis(rpc::Dial dial);
  Known& Open(ChannelPtr channel);
  Task<> Serve(const Known& known);
  void Depart(Known& known);
  void Follow(const v1::Moved& moved);
  Task<> EndAll();

  // What its frontend says.
  void OnReply(Known& known, const v1::SubmitReply& reply);
  void GiveBack(Known& known, const v1::SubmitReply& reply);
  void OnEnd(Known& known, const Status& status);

  // Those that were left.
  Instant TendLeft();
  [[nodiscard]] bool CanDrop(const Known& known) const;
  [[nodiscard]] bool AllEnded() const;

  bool IsNew(const std::string& trouble);

  rpc::LoopOwner& loop_;
  const std::string queue_;
  const Generator::Lane lane_;
  const JobTemplate job_;  // its queue is the shard
  const std::string for_;  // " for sleep/1", for the log; empty: the first shard
  Generator& generator_;
  const SessionOptions options_;
  const HasShards has_shards_;

  rpc::Route route_;
  rpc::RouteDialer dialer_;
  std::shared_ptr<h2::Sleeper> changed_;  // channels may outlive the session
  bool connected_before_ = false;
  bool has_current_ = false;        // the last one of the streams is up
  std::list<Known> streams_;        // the oldest first
  std::set<std::string> troubles_;  // since a frontend answered
  bool quiet_ = false;              // the last one was not new
  std::optional<Instant> give_up_;  // nullopt: it is not to stop
};

}  // namespace twofold::load
