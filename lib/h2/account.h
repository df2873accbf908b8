#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/h2/limits.h"

namespace twofold::h2 {

class Account;

/// Knows what peers make this process hold, and whose connection ends when that is too much.
///
/// Threads  Not thread-safe: one loop. Outlives its accounts.
/// Cost     Charge and Release O(1). Settle O(1) while nothing is overdrawn, else O(connections)
///          for each connection that ends.
class Ledger {
 public:
  explicit Ledger(const Budgets& budgets) : budgets_(budgets) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Ends connections until nothing is overdrawn: those beyond a connection's budget, then the
  /// largest of each host beyond a host's, then the largest of all. Where connections that have
  /// been of no use hold half of what is overdrawn, it is the largest of these: thousands that say
  /// little are small each, and must not end those that work. Of about one size the oldest
  /// ends: newcomers have time to say what they want. To be called once a turn, where connections
  /// may be destroyed.
  void Settle();

  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  friend class Account;
  class Choice;
  struct Host {
    std::size_t held = 0;
    std::unordered_set<Account*> accounts;
  };
  using Hosts = std::unordered_map<std::string, Host>;

  void End(Account& account, std::string_view why);

  const Budgets budgets_;
  std::size_t held_ = 0;
  Hosts hosts_;
  std::uint64_t accounts_ = 0;  // that there have been
  std::unordered_set<Account*> overdrawn_;
  std::unordered_set<std::string> overdrawn_hosts_;
};

/// What one connection makes this process hold, in bytes.
///
/// Threads  Those of its ledger.
class Account {
 public:
  /// Called at most once, by Ledger::Settle; may destroy the account.
  using End = std::function<void(std::string_view why)>;

  Account(Ledger& ledger, const std::string& host, End end);
  ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  void Charge(std::size_t bytes);
  void Release(std::size_t bytes);

  [[nodiscard]] std::size_t held() const { return held_; }
  /// See Stream::SetOfUse. Whether it was of no use so far.
  bool SetOfUse() { return !std::exchange(of_use_, true); }
  [[nodiscard]] bool of_use() const { return of_use_; }
  /// Whether the connection's budget has room for so many more.
  [[nodiscard]] bool Admits(std::size_t bytes) const {
    return held_ + bytes <= ledger_.budgets_.connection;
  }
  /// More than a connection's budget: it ends, and should take nothing more until then.
  [[nodiscard]] bool overdrawn() const { return !Admits(0); }

 private:
  friend class Ledger;
  void Leave();

  Ledger& ledger_;
  Ledger::Hosts::value_type& host_;
  End end_;
  std::size_t held_ = 0;
  const std::uint64_t number_;  // those that came before have lower ones
  bool of_use_ = false;
  bool ended_ = false;  // its bytes no longer count, as they are about to be free
};

}  // namespace twofold::h2
