#include "lib/http/connection_table.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace twofold::http {
namespace {

constexpr auto kSayFullEvery = std::chrono::minutes(1);

}  // namespace

ConnectionTable::Place ConnectionTable::Add(boost::asio::ip::tcp::socket socket, TlsContext tls) {
  boost::system::error_code gone;  // then it has no address
  const Host host = socket.remote_endpoint(gone).address();
  MakeRoom(host);
  ++counts_[host];
  ++open_;
  return entries_.emplace(entries_.end(), std::move(socket), std::move(tls), handler_, options_,
                          budgets_, host);
}

void ConnectionTable::Remove(Place place) {
  if (!place->closed) Discount(place->host);
  entries_.erase(place);
}

void ConnectionTable::Finish() {
  for (Entry& each : entries_) each.connection.Finish();
}

void ConnectionTable::Abort() {
  for (Entry& each : entries_) each.connection.Abort();
}

void ConnectionTable::MakeRoom(const Host& host) {
  const auto known = counts_.find(host);
  if (known != counts_.end() && known->second >= options_.max_host_connections) {
    CloseOneOf(host);
  } else if (open_ >= options_.max_connections) {
    CloseOneOf(BusiestHost());
  }
}

ConnectionTable::Host ConnectionTable::BusiestHost() const {
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts_.begin(), counts_.end(), fewer)->first;
}

void ConnectionTable::CloseOneOf(const Host& host) {
  Entry* oldest = nullptr;
  for (Entry& each : entries_) {
    if (each.closed || each.host != host) continue;
    const bool older =
        oldest == nullptr || each.connection.waiting() < oldest->connection.waiting();
    if (older) oldest = &each;
  }
  SayFull(host);
  oldest->closed = true;
  Discount(host);
  oldest->connection.Abort();
}

void ConnectionTable::Discount(const Host& host) {
  --open_;
  const auto count = counts_.find(host);
  if (--count->second == 0) counts_.erase(count);
}

void ConnectionTable::SayFull(const Host& host) {
  const Instant now = Now();
  if (said_full_ != Instant{} && now - said_full_ < kSayFullEvery) return;
  said_full_ = now;
  spdlog::warn("{} HTTP connections, {} of them of {}: its oldest ones are closed for new ones",
               open_, counts_.at(host), host.to_string());
}

}  // namespace twofold::http
