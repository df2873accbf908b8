#include "lib/h2/account.h"

#include <algorithm>

namespace twofold::h2 {

std::size_t Ledger::OfHost(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? 0 : found->second.held;
}

Account* Ledger::Largest(const Host& host) {
  const auto largest =
      std::max_element(host.accounts.begin(), host.accounts.end(),
                       [](const Account* a, const Account* b) { return a->held() < b->held(); });
  return largest == host.accounts.end() ? nullptr : *largest;
}

void Ledger::Settle() {
  while (!overdrawn_.empty()) {
    Account& account = **overdrawn_.begin();
    overdrawn_.erase(overdrawn_.begin());
    if (account.overdrawn()) End(account, "the connection holds more memory than one may");
  }
  while (!overdrawn_hosts_.empty()) {
    const auto host = hosts_.find(*overdrawn_hosts_.begin());
    if (host != hosts_.end() && host->second.held > budgets_.host) {
      End(*Largest(host->second), "the host's connections hold more memory than they may");
    } else {
      overdrawn_hosts_.erase(overdrawn_hosts_.begin());
    }
  }
  while (held_ > budgets_.all) {
    Account* most = nullptr;
    for (const auto& [name, host] : hosts_) {
      Account* const largest = Largest(host);
      if (largest != nullptr && (most == nullptr || largest->held() > most->held())) most = largest;
    }
    End(*most, "memory is short, and the connection holds most of it");
  }
}

void Ledger::End(Account& account, std::string_view why) {
  const Account::End end = std::move(account.end_);  // which may destroy the account
  account.Leave();
  end(why);
}

Account::Account(Ledger& ledger, const std::string& host, End end)
    : ledger_(ledger), host_(*ledger.hosts_.try_emplace(host).first), end_(std::move(end)) {
  host_.second.accounts.insert(this);
}

Account::~Account() {
  if (!ended_) Leave();
}

void Account::Leave() {
  ended_ = true;
  ledger_.held_ -= held_;
  ledger_.overdrawn_.erase(this);
  host_.second.held -= held_;
  host_.second.accounts.erase(this);
  if (host_.second.accounts.empty()) ledger_.hosts_.erase(ledger_.hosts_.find(host_.first));
}

void Account::Charge(std::size_t bytes) {
  held_ += bytes;
  if (ended_) return;
  ledger_.held_ += bytes;
  host_.second.held += bytes;
  if (overdrawn()) ledger_.overdrawn_.insert(this);
  if (host_.second.held > ledger_.budgets_.host) ledger_.overdrawn_hosts_.insert(host_.first);
}

void Account::Release(std::size_t bytes) {
  held_ -= bytes;
  if (ended_) return;
  ledger_.held_ -= bytes;
  host_.second.held -= bytes;
}

}  // namespace twofold::h2
