#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "lib/results/store.h"

namespace twofold::results {

/// A Store that forgets all when it goes. Also the plain model of what a Store does: it takes the
/// records one after the other, where a real one may take a group at once.
class MemoryStore : public Store {
 public:
  Status Commit(std::span<const Record> records) override;
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override;
  Result<StoredJob> Find(JobId job) const override;
  Result<std::vector<StoredJob>> List(const JobQuery& query) const override;
  Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) override;

 private:
  struct Contents {
    std::map<std::int64_t, StoredJob> jobs;  // by id, signed: the order of List
    std::map<std::string, std::uint64_t> sequences;
  };
  class Applier;

  [[nodiscard]] JobId Clash(std::span<const Record> records) const;

  mutable std::mutex mutex_;
  Contents contents_;
};

}  // namespace twofold::results
