#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/submit_stream.h"
#include "lib/load/job_template.h"
#include "lib/rpc/route.h"
#include "lib/rpc/route_dialer.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

struct SessionOptions {
  security::Client security = {};
  rpc::RoutePauses pauses = {};

  /// For the end of a stream that was left: as long as what runs there may take. Dead hosts are
  /// noticed sooner, by pings.
  Duration left_patience = std::chrono::minutes(10);
};

/// Connects a generator to the frontend that serves its queue, whenever the stream breaks, and
/// wherever the queue moves. All jobs of a load are of one queue, so there is one route.
///
/// A frontend that says `moved` gives back jobs that it has not started. A stream to the frontend
/// that it names (rpc::Route) takes these and all new ones at once, while the old stream is
/// half-closed and delivers the ends of what still runs there. If it breaks, or has not ended in
/// time, its jobs are submitted again.
///
/// What keeps the session from its work is logged once until a frontend has answered.
///
/// Threads  Its own thread waits for connections, for the end of streams and for the time to submit
///          again after a rejection. Answers are handled on the gRPC thread that read them. Call
///          Start and Stop from one thread.
class Session final : private SubmitStream::Owner {
 public:
  static constexpr std::size_t kMostLeft = 8;  ///< streams; beyond, the oldest is broken off

  /// `frontend` is host:port of the first contact. The generator outlives the session.
  Session(std::string frontend, JobTemplate job, Generator& generator, SessionOptions options = {});

  /// Stops at once.
  ~Session();

  void Start();

  /// Stops submitting, waits up to `patience` for missing answers on the streams that there are,
  /// ends them.
  void Stop(Duration patience);

 private:
  using StreamPtr = std::shared_ptr<SubmitStream>;

  /// What the threads of gRPC know of a stream.
  struct News {
    std::optional<Instant> answered;  ///< for the first time
    std::optional<v1::Moved> moved;   ///< the first one, without its tags
    bool ended = false;
    std::string reason;          ///< of the end
    std::size_t unanswered = 0;  ///< jobs, at the end
  };

  /// A stream that takes no more jobs.
  struct Left {
    StreamPtr stream;
    std::optional<Instant> give_up;  ///< nullopt: it was broken off
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
  bool Reap(const Left& left);
  void FinishStreams();
  bool AllEnded() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNew(const std::string& trouble);

  // On threads of gRPC.
  void OnReply(SubmitStream& stream, const v1::SubmitReply& reply) override;
  void OnEnd(SubmitStream& stream, const grpc::Status& status) override;
  void TickAt(Instant when) override;
  [[nodiscard]] Status Check(const v1::SubmitReply& reply) const;

  // Constant.
  const JobTemplate job_;
  Generator& generator_;
  const SessionOptions options_;

  // Used by the thread only.
  rpc::Route route_;
  rpc::RouteDialer dialer_;
  bool connected_before_ = false;
  StreamPtr current_;               // null: between two streams
  std::vector<Left> left_;          // the oldest first
  std::set<std::string> troubles_;  // since a frontend answered
  bool quiet_ = false;              // the last one was not new

  Mutex mutex_;
  Condition changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Instant give_up_ ABSL_GUARDED_BY(mutex_);  // if stopping
  std::optional<Instant> tick_at_ ABSL_GUARDED_BY(mutex_);
  std::map<const SubmitStream*, News> news_ ABSL_GUARDED_BY(mutex_);  // of current_ and left_

  std::thread thread_;
};

}  // namespace twofold::load
