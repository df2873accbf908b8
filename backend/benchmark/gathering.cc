#include "backend/benchmark/gathering.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <string>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::backend {
namespace {

// Servers have Process::kStopGrace to end; the rest is for the network.
constexpr Duration kStoppedLimit = std::chrono::seconds(30);

}  // namespace

Gathering::Gathering(boost::asio::io_context& io, PeerLink& peers, Events events)
    : peers_(peers), events_(std::move(events)), limit_(io) {}

void Gathering::Start(const GangSeat& seat, bool stop) {
  if (stop) LimitAnswers();
  awaited_ = seat.gang->peers_size() - 1;
  for (int rank = 1; rank < seat.gang->peers_size(); ++rank) {
    const auto number = static_cast<std::uint32_t>(rank);
    const std::string who = absl::StrCat("rank ", rank, " at ", seat.gang->peers(rank).address());
    peers_.Collect(seat, number, stop,
                   [weak = weak_from_this(), who, number](Result<v1::RankRecord> record) {
                     const auto self = weak.lock();
                     if (self && !self->done_) self->Answered(who, number, std::move(record));
                   });
  }
}

void Gathering::Answered(const std::string& who, std::uint32_t rank,
                         Result<v1::RankRecord> record) {
  if (!record.ok()) {
    return Done(Because("collect", who + ": " + std::string(record.status().message())));
  }
  events_.record(rank, *std::move(record));
  if (--awaited_ == 0) Done({});
}

void Gathering::LimitAnswers() {
  limit_.expires_after(kStoppedLimit);
  limit_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->done_) return;
    self->Done(Because("collect", absl::StrCat(self->awaited_, " members have not answered within ",
                                               ToSeconds(kStoppedLimit), " s")));
  });
}

void Gathering::Done(const Verdict& wrong) {
  done_ = true;
  limit_.cancel();
  events_.done(wrong);
}

}  // namespace twofold::backend
