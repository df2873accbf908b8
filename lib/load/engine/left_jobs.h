#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "lib/load/load_loop.h"

namespace twofold::load {

/// Jobs on streams that take no more and still deliver ends: which stream each job is on.
///
/// A job that ends need not be taken out: nobody asks for its tag again.
///
/// Threads  Not thread-safe.
/// Cost     O(1); TakeAll looks at all jobs.
class LeftJobs {
 public:
  using Tag = LoadLoop::Tag;
  using Stream = const void*;  ///< a name, never followed

  void Add(Tag tag, Stream stream) { streams_.emplace(tag, stream); }

  [[nodiscard]] bool Has(Tag tag) const { return streams_.contains(tag); }

  /// Takes the job off `stream`. False: it was not there.
  bool Take(Tag tag, Stream stream) {
    const auto found = streams_.find(tag);
    if (found == streams_.end() || found->second != stream) return false;
    streams_.erase(found);
    return true;
  }

  /// Takes all that is left off `stream`.
  std::vector<Tag> TakeAll(Stream stream) {
    std::vector<Tag> tags;
    absl::erase_if(streams_, [&](const auto& job) {
      if (job.second != stream) return false;
      tags.push_back(job.first);
      return true;
    });
    return tags;
  }

 private:
  absl::flat_hash_map<Tag, Stream> streams_;
};

}  // namespace twofold::load
