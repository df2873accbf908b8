#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

#include "backend/workload/peer_link.h"
#include "lib/common/instant.h"
#include "lib/common/task.h"
#include "lib/rpc/loop_owner.h"
#include "lib/security/client.h"

namespace twofold::backend {

/// Asks members for their records: the calls of a rank 0.
///
/// Threads  On the thread of the io_context, to which `loop` belongs; destroy it when that runs no
///          more.
class Collector {
 public:
  /// A member that is not reached is tried again for so long.
  static constexpr Duration kPatience = std::chrono::seconds(15);

  Collector(boost::asio::io_context& io, rpc::LoopOwner& loop, security::Client security);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// See PeerLink.
  void Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
               PeerLink::OnCollected on_collected);
  void Forget(const MemberId& id);

 private:
  struct Question;

  Task<> Ask(Question& question);
  Task<Result<v1::RankRecord>> Try(Question& question);
  Task<> Pause(Question& question);
  void Tell(Question& question, Result<v1::RankRecord> record);

  boost::asio::io_context& io_;
  rpc::LoopOwner& loop_;
  const security::Client security_;
  absl::flat_hash_map<std::shared_ptr<Question>, MemberId> questions_;  // who asks
};

}  // namespace twofold::backend
