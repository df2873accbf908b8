#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/results/store.h"

namespace twofold::results {

/// A Store whose operations from number `first` on fail, `count` of them (numbers from 1), as a
/// disk does. Then it works again.
class FailingStore final : public Store {
 public:
  enum class How {
    kBefore,  ///< nothing happens
    kAfter,   ///< it happens, but the caller is told that it failed
  };

  FailingStore(Store& store, std::uint64_t first, std::uint64_t count, How how)
      : store_(store), first_(first), count_(count), how_(how) {}

  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  Status Commit(std::span<const Record> records) override {
    return Through<Status>([&] { return store_.Commit(records); });
  }
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override {
    return Through<Result<std::map<std::string, std::uint64_t>>>(
        [&] { return store_.Load(visit); });
  }
  Result<StoredJob> Find(JobId job) const override { return store_.Find(job); }
  Result<std::vector<StoredJob>> List(const JobQuery& query) const override {
    return store_.List(query);
  }
  Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) override {
    return Through<Result<std::size_t>>([&] { return store_.Forget(retention, at_most); });
  }

 private:
  template <typename Answer, typename Operation>
  Answer Through(const Operation& operation) {
    const std::uint64_t number = ++operations_;
    const bool fails = number >= first_ && number - first_ < count_;
    if (!fails) return operation();
    if (how_ == How::kAfter) static_cast<void>(operation());
    return absl::UnavailableError("the disk is away");
  }

  Store& store_;
  const std::uint64_t first_;
  const std::uint64_t count_;
  const How how_;
  std::atomic<std::uint64_t> operations_ = 0;
};

}  // namespace twofold::results
