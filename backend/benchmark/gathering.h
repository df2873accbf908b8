#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "backend/benchmark/verdict.h"
#include "backend/workload/peer_link.h"
#include "lib/common/result.h"

namespace twofold::backend {

/// Rank 0 asks all others for their records, at once.
///
/// Threads  On the thread of the io_context.
class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  /// Any may come before Start returns; none after the last reference to this is gone.
  struct Events {
    std::function<void(std::uint32_t rank, v1::RankRecord record)> record;
    /// Once: all have answered, or `wrong.error` says who has not.
    std::function<void(const Verdict& wrong)> done;
  };

  Gathering(boost::asio::io_context& io, PeerLink& peers, Events events);

  /// `stop`: see PeerLink::Member::Collect. Who need not go on has to answer soon.
  void Start(const GangSeat& seat, bool stop);

 private:
  void Answered(const std::string& who, std::uint32_t rank, Result<v1::RankRecord> record);
  void LimitAnswers();
  void Done(const Verdict& wrong);

  PeerLink& peers_;
  const Events events_;
  boost::asio::steady_timer limit_;
  int awaited_ = 0;
  bool done_ = false;
};

}  // namespace twofold::backend
