#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "backend/workload/peer_link.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/security/client.h"

namespace twofold::backend {

/// Asks members for their records: the calls of a rank 0.
///
/// Threads  On the thread of the io_context; destroy it when that runs no more.
class Collector {
 public:
  /// A member that is not reached is tried again for so long.
  static constexpr Duration kPatience = std::chrono::seconds(15);

  Collector(boost::asio::io_context& io, security::Client security)
      : io_(io), security_(std::move(security)) {}
  ~Collector();

  /// See PeerLink.
  void Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
               PeerLink::OnCollected on_collected);
  void Forget(const MemberId& id);

 private:
  struct Call;

  void Try(const std::shared_ptr<Call>& call);
  void Answered(const std::shared_ptr<Call>& call, const Status& status);
  void Tell(const std::shared_ptr<Call>& call, Result<v1::RankRecord> result);

  boost::asio::io_context& io_;
  const security::Client security_;
  absl::flat_hash_map<std::shared_ptr<Call>, MemberId> calls_;  // who asks
  Mutex mutex_;
  Condition answered_;
  int on_the_way_ ABSL_GUARDED_BY(mutex_) = 0;  // calls that gRPC has
};

}  // namespace twofold::backend
