#include "lib/h2/account.h"

#include <algorithm>
#include <utility>

namespace twofold::h2 {
namespace {

// Of connections, up to what one may hold. A size has room for one that is idle, over TLS, too.
constexpr std::size_t kSizes = 256;

}  // namespace

/// Of the accounts that it has seen, the one that ends.
class Ledger::Choice {
 public:
  /// `step`: sizes between two multiples of it are the same, in bytes.
  explicit Choice(std::size_t step) : step_(std::max<std::size_t>(step, 1)) {}

  void See(const Host& host) {
    held_ += host.held;
    for (Account* const account : host.accounts) {
      Keep(largest_, *account);
      if (account->of_use_) continue;
      Keep(useless_, *account);
      useless_held_ += account->held();
    }
  }
  [[nodiscard]] Account& Made() const {
    return *(useless_held_ >= held_ - useless_held_ ? useless_ : largest_);
  }

 private:
  void Keep(Account*& most, Account& account) const {
    if (most == nullptr || Rank(account) > Rank(*most)) most = &account;
  }
  /// The largest first, of one size the oldest.
  [[nodiscard]] std::pair<std::size_t, std::uint64_t> Rank(const Account& account) const {
    return {account.held() / step_, ~account.number_};
  }

  const std::size_t step_;
  Account* largest_ = nullptr;
  Account* useless_ = nullptr;  // the largest of those
  std::size_t held_ = 0;
  std::size_t useless_held_ = 0;
};

void Ledger::Settle() {
  while (!overdrawn_.empty()) {
    Account& account = **overdrawn_.begin();
    overdrawn_.erase(overdrawn_.begin());
    if (account.overdrawn()) End(account, "the connection holds more memory than one may");
  }
  while (!overdrawn_hosts_.empty()) {
    const auto host = hosts_.find(*overdrawn_hosts_.begin());
    if (host != hosts_.end() && host->second.held > budgets_.host) {
      Choice choice(budgets_.connection / kSizes);
      choice.See(host->second);
      End(choice.Made(), "the host's connections hold more memory than they may");
    } else {
      overdrawn_hosts_.erase(overdrawn_hosts_.begin());
    }
  }
  while (held_ > budgets_.all) {
    Choice choice(budgets_.connection / kSizes);
    for (const auto& [name, host] : hosts_) choice.See(host);
    End(choice.Made(), "the connections hold more memory than they may");
  }
}

void Ledger::End(Account& account, std::string_view why) {
  const Account::End end = std::move(account.end_);  // which may destroy the account
  account.Leave();
  end(why);
}

Account::Account(Ledger& ledger, const std::string& host, End end)
    : ledger_(ledger),
      host_(*ledger.hosts_.try_emplace(host).first),
      end_(std::move(end)),
      number_(++ledger.accounts_) {
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
