#include "bench/peers/client_load.h"

#include "bench/peers/payload.h"

namespace twofold::bench {

ClientLoad::ClientLoad(const Cell& cell, int client, Instant start, const std::atomic<Phase>& phase)
    : client_(static_cast<std::uint32_t>(client)),
      share_(static_cast<std::uint64_t>(ShareOf(cell.outstanding, cell.connections, client))),
      phase_(phase),
      payload_(static_cast<std::size_t>(cell.payload), 'x') {
  if (cell.test != TestKind::kOpenLoop) return;
  arrivals_.emplace(start, cell.rate / cell.connections, static_cast<std::uint64_t>(client + 1));
}

std::string_view ClientLoad::Next(Instant now) {
  if (phase() == Phase::kDrain) return {};
  if (arrivals_ ? arrivals_->next() > now : ledger_.open() >= share_) return {};
  const Instant start = arrivals_ ? arrivals_->Take() : now;
  if (phase() == Phase::kMeasure) {
    ++sends_;
    late_ += now - start > kLateSend;
  }
  Write({ledger_.Open(start), client_}, payload_);
  in_flight_.store(ledger_.open(), std::memory_order_relaxed);
  return payload_;
}

Instant ClientLoad::NextDue() const {
  const bool open = arrivals_ && phase() != Phase::kDrain;
  return open ? arrivals_->next() : Instant::max();
}

bool ClientLoad::Expected(std::string_view payload) const {
  return payload.size() == payload_.size() && ReadHead(payload).client == client_ &&
         payload.substr(kPayloadHeadBytes) == std::string_view(payload_).substr(kPayloadHeadBytes);
}

void ClientLoad::Finish(std::string_view payload, Instant now) {
  const std::optional<Instant> start =
      Expected(payload) ? ledger_.Close(ReadHead(payload).number) : std::nullopt;
  if (!start) {
    ++wrong_;
    return;
  }
  if (phase() == Phase::kMeasure) times_.Record(now - *start);
  in_flight_.store(ledger_.open(), std::memory_order_release);
}

}  // namespace twofold::bench
